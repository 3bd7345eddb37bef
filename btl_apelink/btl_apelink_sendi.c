/* SPDX-License-Identifier: BSD-3-Clause */
/* The hot path out: header and user data go straight into the lane. */
#include "btl_apelink/btl_apelink.h"

#include "btl_apelink/btl_apelink_copy_inl.h"
#include "engine/send/fast.h"

/* There is no room, or something waits already: give the caller a descriptor to fill and send. */
static NI_COLD int sendi_later(struct mca_btl_base_module_t *btl,
                               mca_btl_apelink_endpoint_t *endpoint, size_t size, uint8_t order,
                               uint32_t flags, mca_btl_base_descriptor_t **descriptor)
{
    if (descriptor != NULL) {
        *descriptor = mca_btl_apelink_alloc(btl, endpoint, order, size, flags);
    }
    return mca_btl_apelink_is_down(endpoint) ? OPAL_ERR_UNREACH : OPAL_ERR_RESOURCE_BUSY;
}

/* User data that is not contiguous is packed in place. A convertor that does not deliver all of it
 * in one go is broken; nothing is sent then. */
static NI_COLD bool pack(struct opal_convertor_t *convertor, uint8_t *place, size_t size)
{
    struct iovec iov = {.iov_base = place, .iov_len = size};
    uint32_t count = 1;
    size_t packed = size;

    return opal_convertor_pack(convertor, &iov, &count, &packed) >= 0 && packed == size;
}

/* Anything but a message of contiguous data for which there is room in the ring. */
static __attribute__((noinline)) int sendi_any(
    struct mca_btl_base_module_t *btl, struct mca_btl_base_endpoint_t *endpoint,
    struct opal_convertor_t *convertor, void *header, size_t header_size, size_t payload_size,
    uint8_t order, uint32_t flags, mca_btl_base_tag_t tag, mca_btl_base_descriptor_t **descriptor)
{
    size_t total = header_size + payload_size;
    uint8_t *place = NULL;

    if (NI_LIKELY(!mca_btl_apelink_waits(endpoint))) {
        place = ni_msg_begin(endpoint->peer, (uint32_t)header_size, (uint32_t)payload_size);
    }
    if (NI_UNLIKELY(place == NULL)) {
        return sendi_later(btl, endpoint, total, order, flags, descriptor);
    }
    if (payload_size != 0) {
        if (NI_LIKELY(!opal_convertor_need_buffers(convertor))) {
            void *data;

            opal_convertor_get_current_pointer(convertor, &data);
            ni_msg_copy(endpoint->peer, place + header_size, data, payload_size);
        } else if (NI_UNLIKELY(!pack(convertor, place + header_size, payload_size))) {
            ni_msg_abort(endpoint->peer);
            if (descriptor != NULL) {
                *descriptor = NULL;
            }
            return OPAL_ERROR;
        }
    }
    /* Last: the peer polls the line that the header is in, and takes it back from us at any
     * time. */
    mca_btl_apelink_copy_header(place, header, header_size);
    ni_msg_commit(endpoint->peer, endpoint->queue, tag, (uint32_t)total);
    return OPAL_SUCCESS;
}

/* A message of several lines that stay in the ring. False: sendi_any knows more. */
static __attribute__((noinline)) bool send_lines(struct mca_btl_base_endpoint_t *endpoint,
                                                 const struct opal_convertor_t *convertor,
                                                 const void *header, size_t size,
                                                 mca_btl_base_tag_t tag)
{
    struct ni_peer *peer = endpoint->peer;
    uint32_t lines = 1 + (uint32_t)(size + NI_LINE - 1) / NI_LINE;
    uint8_t *place = ni_lines_begin(peer, lines);
    void *data;

    if (NI_UNLIKELY(place == NULL)) {
        return false;
    }
    opal_convertor_get_current_pointer(convertor, &data);
    memcpy(place, data, size);
    memcpy(place - MCA_BTL_APELINK_OB1_MATCH, header, MCA_BTL_APELINK_OB1_MATCH);
    ni_lines_commit(peer, lines, MCA_BTL_APELINK_OB1_MATCH, endpoint->queue, tag,
                    MCA_BTL_APELINK_OB1_MATCH + (uint32_t)size);
    return true;
}

/*
 * All or nothing: on success the data is on its way and the user's buffer may be reused. The
 * convertor is looked at only if there is user data: for an empty message it is not even
 * initialised. It is advanced only after room was found, so that the caller can start over.
 */
int mca_btl_apelink_sendi(struct mca_btl_base_module_t *btl,
                          struct mca_btl_base_endpoint_t *endpoint,
                          struct opal_convertor_t *convertor, void *header, size_t header_size,
                          size_t payload_size, uint8_t order, uint32_t flags,
                          mca_btl_base_tag_t tag, mca_btl_base_descriptor_t **descriptor)
{
    struct ni_peer *peer = endpoint->peer;
    struct ni_line line;
    uint8_t *place;

    if (NI_UNLIKELY(header_size != MCA_BTL_APELINK_OB1_MATCH || mca_btl_apelink_waits(endpoint) ||
                    (payload_size != 0 && opal_convertor_need_buffers(convertor)))) {
        return sendi_any(btl, endpoint, convertor, header, header_size, payload_size, order, flags,
                         tag, descriptor);
    }
    if (NI_LIKELY(payload_size <= MCA_BTL_APELINK_COPY_SMALL) &&
        NI_LIKELY((place = ni_line_begin(peer, &line)) != NULL)) {
        size_t total = MCA_BTL_APELINK_OB1_MATCH + payload_size;
        uint8_t *rest = NULL;
        uint64_t common;

        memcpy(&common, header, sizeof(common));
        if (total <= NI_RIDER_MESSAGE) {
            rest = ni_line_rider(peer, endpoint->queue, common);
        }
        if (rest != NULL) {
            place = rest - sizeof(common);
            memcpy(rest, (uint8_t *)header + sizeof(common),
                   MCA_BTL_APELINK_OB1_MATCH - sizeof(common));
        } else {
            memcpy(place, header, MCA_BTL_APELINK_OB1_MATCH);
        }
        if (payload_size != 0) {
            void *data;

            opal_convertor_get_current_pointer(convertor, &data);
            mca_btl_apelink_copy_small(place + MCA_BTL_APELINK_OB1_MATCH, data, payload_size);
        }
        if (rest != NULL) {
            ni_line_ride(peer, rest, NI_PACKET_MESSAGE, tag, (uint32_t)total);
        } else {
            ni_line_commit(peer, &line, endpoint->queue, tag, (uint32_t)total);
        }
        return OPAL_SUCCESS;
    }
    if (payload_size > NI_PACKET_INLINE - MCA_BTL_APELINK_OB1_MATCH &&
        payload_size <= NI_RING_PAYLOAD - MCA_BTL_APELINK_OB1_MATCH &&
        NI_LIKELY(send_lines(endpoint, convertor, header, payload_size, tag))) {
        return OPAL_SUCCESS;
    }
    return sendi_any(btl, endpoint, convertor, header, header_size, payload_size, order, flags, tag,
                     descriptor);
}
