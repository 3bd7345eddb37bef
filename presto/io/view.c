/* SPDX-License-Identifier: BSD-3-Clause */
/* What a rank sees of a file, and where that is. */
#include "io/io.h"

#include "io/datarep.h"
#include "io/layout.h"
#include "type/external.h"

/* The etype and filetype as they lie in the file; false: memory is short. */
static bool lay_out(struct pri_io_view *view)
{
    view->laid_out = true;
    view->unit = pri_io_bytes(view, view->etype);
    if (!view->external && !view->converted) {
        view->layout = view->filetype;
        pri_type_retain(view->layout);
        return true;
    }
    view->layout = pri_io_layout(view->filetype, view->datarep);
    return view->layout != NULL;
}

/* Whether the file is as the program's representation says. Where data that may be moved is not
 * converted, it is as in memory. */
static bool is_converted(const struct pri_io *io, const struct pri_io_datarep *datarep)
{
    return datarep != NULL &&
           ((pri_io_converts(&datarep->read) && (io->mode & PRI_IO_WRONLY) == 0) ||
            (pri_io_converts(&datarep->write) && (io->mode & PRI_IO_RDONLY) == 0));
}

static bool bad_order(const struct pri_io *io, const struct pri_io_view *view)
{
    return view->order == PRI_UNORDERED ||
           (view->order == PRI_OVERLAPPING && (io->mode & PRI_IO_RDONLY) == 0);
}

int pri_io_set_view(struct pri_io *io, int64_t disp, struct pri_type *etype,
                    struct pri_type *filetype, bool external, struct pri_io_datarep *datarep)
{
    struct pri_io_view view = {.disp = disp,
                               .etype = etype,
                               .filetype = filetype,
                               .external = external,
                               .datarep = datarep,
                               .unit = 1};
    if (etype->size == 0 || filetype->size == 0 || filetype->size % etype->size != 0) {
        return PRI_ERR_OP;
    }
    if (external && (!pri_external_possible(etype) || !pri_external_possible(filetype))) {
        return PRI_IO_CONVERSION;
    }
    if (!lay_out(&view)) {
        return PRI_ERR_NOMEM;
    }
    view.order = pri_type_order(view.layout);
    view.converted = is_converted(io, datarep);
    view.laid_out = !view.converted;
    if (view.laid_out && bad_order(io, &view)) {
        pri_type_release(view.layout);
        return PRI_ERR_OP;
    }
    pri_type_retain(etype);
    pri_type_retain(filetype);
    pri_io_drop_view(io);
    io->view = view;
    return 0;
}

/* Until then the layout is that of memory. The lock is held. */
static int lay_out_converted(struct pri_io *io)
{
    struct pri_io_view view = io->view;
    int error = pri_io_datarep_ask(view.datarep, view.etype);
    if (error == 0) {
        error = pri_io_datarep_ask(view.datarep, view.filetype);
    }
    if (error == 0 && (pri_io_datarep_size(view.datarep, view.etype) == 0 ||
                       pri_io_datarep_size(view.datarep, view.filetype) == 0)) {
        error = PRI_IO_CONVERSION;
    }
    if (error == 0 && !lay_out(&view)) {
        error = PRI_ERR_NOMEM;
    }
    if (error != 0) {
        return error;
    }
    view.order = pri_type_order(view.layout);
    if (bad_order(io, &view)) {
        pri_type_release(view.layout);
        return PRI_ERR_OP;
    }
    pri_type_release(io->view.layout);
    io->view = view;
    return 0;
}

int pri_io_prepare(struct pri_io *io, const struct pri_type *type)
{
    int error = 0;
    if (NI_LIKELY(!io->view.converted)) {
        return 0;
    }
    pthread_mutex_lock(&io->lock);
    if (!io->view.laid_out) {
        error = lay_out_converted(io);
    }
    pthread_mutex_unlock(&io->lock);
    return error != 0 || type == NULL ? error : pri_io_datarep_ask(io->view.datarep, type);
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

bool pri_io_in_order(const struct pri_io_view *view, uint64_t at, uint64_t bytes)
{
    const size_t size = view->layout->size;
    return view->order == PRI_ORDERED ||
           (view->order == PRI_ORDERED_ONCE && at / size == (at + bytes - 1) / size);
}

void pri_io_bounds(const struct pri_io_view *view, uint64_t at, uint64_t bytes, int64_t *first,
                   int64_t *behind)
{
    const struct pri_type *layout = view->layout;
    if (pri_io_in_order(view, at, bytes)) {
        *first = pri_io_place(view, at);
        *behind = pri_io_place(view, at + bytes - 1) + 1;
        return;
    }
    *first = view->disp + (int64_t)(at / layout->size) * layout->extent + layout->true_lb;
    *behind = view->disp + (int64_t)((at + bytes - 1) / layout->size) * layout->extent +
              layout->true_lb + layout->true_extent;
}

static uint64_t search(const struct pri_io_view *view, uint64_t low, uint64_t high, int64_t place)
{
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

uint64_t pri_io_stream_at(const struct pri_io_view *view, int64_t place)
{
    const struct pri_type *layout = view->layout;
    /* From the end of the first element; those before the place have no byte behind it. */
    int64_t behind = place - view->disp - layout->true_lb - layout->true_extent;
    uint64_t element = behind < 0 ? 0 : (uint64_t)behind / (uint64_t)layout->extent + 1;
    return search(view, element * layout->size, (element + 1) * layout->size, place);
}

uint64_t pri_io_stream_in(const struct pri_io_view *view, uint64_t at, uint64_t bytes,
                          int64_t place)
{
    if (view->order != PRI_ORDERED) {
        return search(view, at, at + bytes, place);
    }
    uint64_t first = pri_io_stream_at(view, place);
    return first <= at ? at : first < at + bytes ? first : at + bytes;
}

int pri_io_end(struct pri_io *io, int64_t *offset)
{
    int64_t size;
    int error = pri_io_prepare(io, NULL);
    if (error == 0) {
        error = pri_io_get_size(io, &size);
    }
    if (error == 0) {
        uint64_t bytes = pri_io_stream_at(&io->view, size);
        *offset = (int64_t)((bytes + io->view.unit - 1) / io->view.unit);
    }
    return error;
}

size_t pri_io_bytes(const struct pri_io_view *view, const struct pri_type *type)
{
    return view->converted  ? pri_io_datarep_size(view->datarep, type)
           : view->external ? pri_external_size(type)
                            : type->size;
}

int64_t pri_io_etypes(const struct pri_io *io, struct pri_io_data data)
{
    uint64_t bytes = data.count * pri_io_bytes(&io->view, data.type);
    return (int64_t)(bytes / io->view.unit);
}

int pri_io_extent(struct pri_io *io, struct pri_type *type, ptrdiff_t *bytes)
{
    struct pri_io_datarep *datarep = io->view.datarep;
    *bytes = type->extent;
    if (!io->view.external && datarep == NULL) {
        return 0;
    }
    int error = datarep != NULL               ? pri_io_datarep_ask(datarep, type)
                : pri_external_possible(type) ? 0
                                              : PRI_IO_CONVERSION;
    if (error != 0) {
        return error;
    }
    struct pri_type *layout = pri_io_layout(type, datarep);
    if (layout == NULL) {
        return PRI_ERR_NOMEM;
    }
    *bytes = layout->extent;
    pri_type_release(layout);
    return 0;
}
