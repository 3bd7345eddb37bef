/* SPDX-License-Identifier: BSD-3-Clause */
#include "qp/pair.h"

/* What a request may name, judged on the NI's own copy of it. */

/* Which of words 1 to 5 an operation uses; the others must be 0. */
static const struct {
    bool local, remote, operands;
} uses[] = {
    [NI_QP_NOP] = {false, false, false},
    [NI_QP_READ] = {true, true, false},
    [NI_QP_WRITE] = {true, true, false},
    [NI_QP_ATOMIC] = {false, true, true},
};

static bool is_noted(uint64_t head)
{
    return (ni_qp_flags_of(head) & NI_QP_NOTE) != 0;
}

/* Flags are those that the operation has. */
static bool are_flags(enum ni_qp_op op, unsigned flags)
{
    unsigned write = op == NI_QP_WRITE ? NI_QP_NOTE | NI_QP_DEPARTED : 0;

    return (flags & ~(NI_QP_FENCE | NI_QP_SILENT | write)) == 0;
}

static bool is_request(const struct ni_qp_flight *flight)
{
    const uint64_t *word = flight->word;
    enum ni_qp_op op = ni_qp_op_of(word[0]);
    uint64_t len = ni_qp_len_of(word[0]);

    if (op < NI_QP_NOP || op > NI_QP_ATOMIC || !are_flags(op, ni_qp_flags_of(word[0])) ||
        (!uses[op].local && word[1] != 0) || (!uses[op].remote && word[2] != 0) ||
        (!uses[op].operands && !is_noted(word[0]) && (word[3] | word[4] | word[5] >> 32) != 0)) {
        return false;
    }
    if (is_noted(word[0])) {
        return (word[5] >> 32 & 0xffff) == 0;
    }
    if (op == NI_QP_ATOMIC) {
        return (len == 4 || len == 8) && word[5] >> 32 < NI_ATOMIC_OPS;
    }
    return op != NI_QP_NOP || (len == 0 && ni_qp_target_of(word[0]) == 0);
}

static unsigned local_access(enum ni_qp_op op)
{
    return op == NI_QP_WRITE ? NI_ACCESS_READ : NI_ACCESS_WRITE;
}

static bool judge_request_local(struct ni_qp_flight *flight)
{
    enum ni_qp_op op = ni_qp_op_of(flight->word[0]);
    uint64_t len = ni_qp_len_of(flight->word[0]);
    unsigned access = local_access(op);

    if (!uses[op].local || len == 0) {
        return true;
    }
    return ni_region_search(flight->pair->ni, (const void *)(uintptr_t)flight->word[1], len,
                            &flight->memory) == NI_OK &&
           (flight->memory.access & access) == access;
}

bool ni_qp_is_owners(const struct ni_qp_flight *flight, uint64_t len)
{
    enum ni_qp_op op = ni_qp_op_of(flight->word[0]);

    return !uses[op].local || len == 0 ||
           ni_table_check(&flight->pair->ni->table, flight->memory.handle, flight->memory.key,
                          flight->word[1] + flight->issued, len, local_access(op), NULL) == NI_OK;
}

static bool judge_note(struct ni_qp_flight *flight)
{
    const struct ni_target *told = ni_targets_find(&flight->pair->targets, flight->word[5] >> 48);

    if (told == NULL || told->peer != flight->peer) {
        return false;
    }
    flight->note =
        (struct ni_note){.region = told->rkey, .addr = flight->word[3], .value = flight->word[4]};
    return true;
}

enum ni_qp_reason ni_qp_judge(struct ni_qp_flight *flight)
{
    const struct ni_target *target =
        ni_targets_find(&flight->pair->targets, ni_qp_target_of(flight->word[0]));

    if (!is_request(flight)) {
        return NI_QP_BAD_REQUEST;
    }
    if (ni_qp_op_of(flight->word[0]) == NI_QP_NOP) {
        return NI_QP_DONE;
    }
    if (target == NULL) {
        return NI_QP_BAD_TARGET;
    }
    flight->peer = target->peer;
    flight->target = target->rkey;
    if (is_noted(flight->word[0]) && !judge_note(flight)) {
        return NI_QP_BAD_NOTE;
    }
    return judge_request_local(flight) ? NI_QP_DONE : NI_QP_BAD_LOCAL;
}
