/* SPDX-License-Identifier: BSD-3-Clause */
/* What a rank sees of a file, and where that is. */
#include "io/io.h"

#include "io/layout.h"
#include "type/external.h"

/* The etype and filetype as they lie in the file; false: memory is short. */
static bool lay_out(struct pri_io_view *view)
{
    if (!view->external) {
        view->unit = view->etype->size;
        view->layout = view->filetype;
        pri_type_retain(view->layout);
        return true;
    }
    view->unit = pri_external_size(view->etype);
    view->layout = pri_io_layout(view->filetype);
    return view->layout != NULL;
}

int pri_io_set_view(struct pri_io *io, int64_t disp, struct pri_type *etype,
                    struct pri_type *filetype, bool external)
{
    struct pri_io_view view = {
        .disp = disp, .etype = etype, .filetype = filetype, .external = external};
    if (etype->size == 0 || filetype->size == 0 || filetype->size % etype->size != 0) {
        return PRI_ERR_OP;
    }
    if (external && (!pri_external_possible(etype) || !pri_external_possible(filetype))) {
        return PRI_IO_CONVERSION;
    }
    if (!lay_out(&view)) {
        return PRI_ERR_NOMEM;
    }
    if (!pri_type_ascends(view.layout)) {
        pri_type_release(view.layout);
        return PRI_ERR_OP;
    }
    pri_type_retain(etype);
    pri_type_retain(filetype);
    pri_io_drop_view(io);
    io->view = view;
    return 0;
}

void pri_io_drop_view(struct pri_io *io)
{
    if (io->view.etype == NULL) {
        return;
    }
    pri_type_release(io->view.etype);
    pri_type_release(io->view.filetype);
    pri_type_release(io->view.layout);
    io->view.etype = NULL;
}

int64_t pri_io_run(const struct pri_io_view *view, uint64_t at, uint64_t limit, uint64_t *length)
{
    ptrdiff_t first, next;
    size_t here, more;

    pri_type_run(view->layout, at, &first, &here);
    while (here < limit) {
        pri_type_run(view->layout, at + here, &next, &more);
        if (next != first + (ptrdiff_t)here) {
            break;
        }
        here += more;
    }
    *length = here < limit ? here : limit;
    return view->disp + first;
}

uint64_t pri_io_stream_at(const struct pri_io_view *view, int64_t place)
{
    const struct pri_type *layout = view->layout;
    int64_t behind = place - view->disp;
    if (behind <= 0) {
        return 0;
    }
    /* The element that the place is in ends at most one element later. */
    uint64_t element = (uint64_t)behind / (uint64_t)layout->extent;
    uint64_t low = element > 0 ? (element - 1) * layout->size : 0;
    uint64_t high = (element + 1) * layout->size;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (pri_io_place(view, middle) < place) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

int pri_io_end(const struct pri_io *io, int64_t *offset)
{
    int64_t size;
    int error = pri_io_get_size(io, &size);
    if (error == 0) {
        uint64_t bytes = pri_io_stream_at(&io->view, size);
        *offset = (int64_t)((bytes + io->view.unit - 1) / io->view.unit);
    }
    return error;
}

size_t pri_io_bytes(const struct pri_io_view *view, const struct pri_type *type)
{
    return view->external ? pri_external_size(type) : type->size;
}

int64_t pri_io_etypes(const struct pri_io *io, struct pri_io_data data)
{
    uint64_t bytes = data.count * pri_io_bytes(&io->view, data.type);
    return (int64_t)(bytes / io->view.unit);
}

int pri_io_extent(const struct pri_io *io, struct pri_type *type, ptrdiff_t *bytes)
{
    *bytes = type->extent;
    if (!io->view.external) {
        return 0;
    }
    if (!pri_external_possible(type)) {
        return PRI_IO_CONVERSION;
    }
    struct pri_type *layout = pri_io_layout(type);
    if (layout == NULL) {
        return PRI_ERR_NOMEM;
    }
    *bytes = layout->extent;
    pri_type_release(layout);
    return 0;
}
