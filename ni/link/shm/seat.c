/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/compiler.h"
#include "link/shm/shm.h"

/*
 * Seats: see layout.h for the protocol. Senders of one process take and leave seats of one segment
 * under the registry's lock, because the kernel does not tell their record locks apart.
 */

/* The lock of the owner is on byte 0. */
static struct flock seat_lock(short type, uint32_t seat)
{
    return (struct flock){
        .l_type = type, .l_whence = SEEK_SET, .l_start = (off_t)seat + 1, .l_len = 1};
}

/* Whether an NI of the owner's process sits there. The registry is locked. */
static bool is_local(const struct ni_shm_segment *segment, uint32_t seat)
{
    return segment->own && segment->local[seat] != 0;
}

static void unlock_seat(struct ni_shm_segment *segment, uint32_t seat)
{
    struct flock lock = seat_lock(F_UNLCK, seat);

    if (segment->own) {
        segment->local[seat] = 0;
    } else {
        (void)fcntl(segment->fd, F_SETLK, &lock);
    }
}

/* Whether the seat was free and is now claimed by us; NI_AGAIN: it is not free. */
static ni_status claim_seat(struct ni_shm_segment *segment, uint32_t seat, uint32_t *generation)
{
    _Atomic uint64_t *word = &segment->seat_words[seat];
    uint64_t seen = atomic_load_explicit(word, memory_order_relaxed);
    struct flock lock = seat_lock(F_WRLCK, seat);

    if (ni_shm_seat_state(seen) != NI_SHM_SEAT_FREE || is_local(segment, seat)) {
        return NI_AGAIN;
    }
    /* First the lock, then the word: a claimed seat without a lock is that of a dead sender. */
    if (segment->own) {
        segment->local[seat] = 1;
    } else if (fcntl(segment->fd, F_SETLK, &lock) != 0) {
        return errno == EAGAIN || errno == EACCES ? NI_AGAIN : NI_ERR_SYSTEM;
    }
    *generation = ni_shm_seat_generation(seen);
    /* Acquire: pairs with S2, the area is empty. */
    if (!atomic_compare_exchange_strong_explicit(word, &seen,
                                                 ni_shm_seat_word(NI_SHM_SEAT_CLAIMED, *generation),
                                                 memory_order_acquire, memory_order_relaxed)) {
        unlock_seat(segment, seat);
        return NI_AGAIN;
    }
    return NI_OK;
}

/* Have the page in which a blob lies allocated. */
static ni_status make_blob_page(struct ni_shm_segment *segment, uint32_t seat)
{
    uint64_t page = segment->geometry.counts.page;
    uint64_t number = seat * (uint64_t)NI_SHM_BLOB_STRIDE / page;

    if (segment->blobs_made[number] == 0) {
        ni_status status = ni_shm_allocate(segment, segment->geometry.blobs + number * page, page);

        if (status != NI_OK) {
            return status;
        }
        segment->blobs_made[number] = 1;
    }
    return NI_OK;
}

/* The registry is locked. */
static void leave_seat(struct ni_shm_segment *segment, uint32_t seat, uint32_t generation)
{
    _Atomic uint64_t *word = &segment->seat_words[seat];
    uint64_t seen = atomic_load_explicit(word, memory_order_relaxed);

    /* Not ours any more, if the owner took us for dead. S3. */
    while (ni_shm_seat_generation(seen) == generation &&
           ni_shm_seat_state(seen) != NI_SHM_SEAT_FREE &&
           !atomic_compare_exchange_weak_explicit(word, &seen,
                                                  ni_shm_seat_word(NI_SHM_SEAT_CLOSED, generation),
                                                  memory_order_release, memory_order_relaxed)) {
    }
    /* Only now: an open seat without a lock is that of a dead sender. */
    unlock_seat(segment, seat);
}

static ni_status open_seat(struct ni_shm_segment *segment, uint32_t seat, uint32_t generation,
                           const void *blob, size_t len)
{
    struct ni_shm_seat_blob *place = &segment->blobs[seat];
    uint64_t seen = ni_shm_seat_word(NI_SHM_SEAT_CLAIMED, generation);
    ni_status status = make_blob_page(segment, seat);

    if (status != NI_OK) {
        return status;
    }
    memcpy(place->bytes, blob, len);
    atomic_store_explicit(&place->len, (uint32_t)len, memory_order_relaxed);
    /* S1 */
    return atomic_compare_exchange_strong_explicit(&segment->seat_words[seat], &seen,
                                                   ni_shm_seat_word(NI_SHM_SEAT_OPEN, generation),
                                                   memory_order_release, memory_order_relaxed)
               ? NI_OK
               : NI_AGAIN;
}

ni_status ni_shm_seat_take(struct ni_shm_segment *segment, const void *blob, size_t len,
                           uint32_t *seat, uint32_t *generation)
{
    ni_status status = NI_AGAIN;
    uint32_t seats = segment->geometry.counts.seats;

    if (len > sizeof(segment->blobs->bytes)) {
        return NI_ERR_INVALID;
    }
    ni_shm_registry_lock();
    for (uint32_t i = 0; i < seats && status == NI_AGAIN; i++) {
        status = claim_seat(segment, i, generation);
        *seat = i;
    }
    if (status == NI_OK) {
        status = open_seat(segment, *seat, *generation, blob, len);
        if (status != NI_OK) {
            leave_seat(segment, *seat, *generation);
        }
    }
    ni_shm_registry_unlock();
    return status;
}

void ni_shm_seat_leave(struct ni_shm_segment *segment, uint32_t seat, uint32_t generation)
{
    ni_shm_registry_lock();
    leave_seat(segment, seat, generation);
    ni_shm_registry_unlock();
    ni_shm_attention(segment);
}

static bool locked_by_other(const struct ni_shm_segment *segment, struct flock lock)
{
    /* An error is no proof of death. */
    return fcntl(segment->fd, F_GETLK, &lock) != 0 || lock.l_type != F_UNLCK;
}

bool ni_shm_seat_alive(struct ni_shm_segment *segment, uint32_t seat)
{
    bool local;

    ni_shm_registry_lock();
    local = is_local(segment, seat);
    ni_shm_registry_unlock();
    return local || locked_by_other(segment, seat_lock(F_WRLCK, seat));
}

bool ni_shm_seats_held(struct ni_shm_segment *segment)
{
    for (uint32_t i = 0; i < segment->geometry.counts.seats; i++) {
        uint64_t word = atomic_load_explicit(&segment->seat_words[i], memory_order_relaxed);
        enum ni_shm_seat_state state = ni_shm_seat_state(word);

        /* The owner's turn, who may take its time. */
        if (state == NI_SHM_SEAT_FREE || state == NI_SHM_SEAT_CLOSED ||
            !ni_shm_seat_alive(segment, i)) {
            return false;
        }
    }
    return true;
}

bool ni_shm_owner_alive(struct ni_shm_segment *segment)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = 1};

    return segment->own || locked_by_other(segment, lock);
}

ni_status ni_shm_seat_blob(struct ni_shm_segment *segment, uint32_t seat, void *blob, size_t size,
                           size_t *len)
{
    const struct ni_shm_seat_blob *place = &segment->blobs[seat];
    ni_status status;
    uint32_t claimed;

    /* Who wrote it has allocated it; a sender that pretends so must not make us touch a hole. */
    ni_shm_registry_lock();
    status = make_blob_page(segment, seat);
    ni_shm_registry_unlock();
    if (status != NI_OK) {
        return status;
    }
    claimed = atomic_load_explicit(&place->len, memory_order_relaxed);
    *len = claimed <= size && claimed <= sizeof(place->bytes) ? claimed : 0;
    memcpy(blob, place->bytes, *len);
    return NI_OK;
}

void ni_shm_seat_free(struct ni_shm_segment *segment, uint32_t seat, uint32_t generation)
{
    ni_shm_areas_empty(segment, seat); /* zero, as the next lane needs it */
    /* S2 */
    atomic_store_explicit(&segment->seat_words[seat],
                          ni_shm_seat_word(NI_SHM_SEAT_FREE, generation + 1), memory_order_release);
}

void ni_shm_attention(struct ni_shm_segment *segment)
{
    /* Release: the owner's acquire exchange sees what it is called for. */
    atomic_store_explicit(&segment->header->attention, 1, memory_order_release);
    ni_shm_segment_wake(segment);
}

void ni_shm_segment_wake(struct ni_shm_segment *segment)
{
    _Atomic uint32_t *word = &segment->header->sleeping;
    uint32_t sleeps = atomic_load_explicit(word, memory_order_relaxed);

    /* Reset it, so that a sleeper that is not asleep yet does not fall asleep, and others need not
     * wake it again. Not private: the futex is that of the file, whatever address it has here and
     * there. */
    if (sleeps == 0 || (sleeps = atomic_exchange_explicit(word, 0, memory_order_relaxed)) == 0) {
        return;
    }
    if (sleeps == NI_SHM_SLEEPS_ON_SOCKET) {
        ni_shm_socket_wake(segment->socket, segment->key);
    } else {
        (void)syscall(SYS_futex, word, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
    }
}
