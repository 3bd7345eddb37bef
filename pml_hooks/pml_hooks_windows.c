/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One-sided communication: who is in which call of which window, and who has locked what. When a
 * window has been made, the functions of its module, which is its own, are exchanged for those
 * here; what puts and gets is left as it is.
 */
#include "pml_hooks/pml_hooks_window.h"

#include "record/clock.h"

enum { ALL = -1 /* processes of the window */ };

/* ---- calls ------------------------------------------------------------------------------------
 */

/* A call of a window; `call` is NULL if it is not recorded. */
struct inside {
    struct pml_hooks_window *window;
    struct record_call_entry *call;
    uint64_t begin, waited;
};

static struct record_peer *target_of(const ompi_win_t *win, int target)
{
    return target < 0 || target >= ompi_group_size(win->w_group)
               ? NULL
               : pml_hooks_peer_named(ompi_group_get_proc_name(win->w_group, target));
}

static void begin(struct inside *in, enum record_call kind, const struct record_peer *peer, int tag,
                  uint32_t context, uint32_t number, int processes)
{
    in->begin = record_stamp();
    in->waited = RECORD_READ(record_own.head->wait_ticks);
    in->call = record_call_enter_by(record_threads, kind, peer, tag, context, 0,
                                    (uint32_t)processes, in->begin);
    if (in->call->depth == 1) {
        RECORD_WRITE(in->call->window, number);
    }
}

/* A call of a window, to a process of it or ALL; of a lock's type, else of RECORD_ANY. */
static struct inside enter_typed(ompi_win_t *win, enum record_call kind, int target, int type)
{
    struct inside in = {.window = pml_hooks_window_find(win)};

    if (pml_hooks_recording()) {
        begin(&in, kind, target_of(win, target), type, in.window->context, in.window->number,
              target == ALL ? ompi_group_size(win->w_group) : 1);
    }
    return in;
}

static struct inside enter(ompi_win_t *win, enum record_call kind, int target)
{
    return enter_typed(win, kind, target, RECORD_ANY);
}

/* What the call returns. The messages that it has waited for are counted as any. */
static int leave(const struct inside *in, int rc)
{
    struct record_head *head = record_own.head;
    uint64_t now, waited;

    if (in->call == NULL) {
        return rc;
    }
    now = record_stamp();
    waited = RECORD_READ(head->wait_ticks) - in->waited;
    record_add(&head->window_calls, 1);
    record_add(&head->window_ticks, now - in->begin > waited ? now - in->begin - waited : 0);
    record_add(rc == OMPI_SUCCESS ? &head->completed : &head->failed, 1);
    RECORD_WRITE(head->last_event, now);
    if (in->call->depth == 1) {
        RECORD_WRITE(in->call->window, 0);
    }
    record_call_leave(in->call, now);
    if (rc != OMPI_SUCCESS) {
        record_call_failed(in->call);
    }
    return rc;
}

static int pass_fence(int assertion, ompi_win_t *win)
{
    struct inside in = enter(win, RECORD_WIN_FENCE, ALL);

    return leave(&in, in.window->below.osc_fence(assertion, win));
}

/* Of a group of one process it is known which that is. */
static struct inside enter_group(ompi_win_t *win, enum record_call kind, struct ompi_group_t *group)
{
    struct inside in = {.window = pml_hooks_window_find(win)};
    int size = ompi_group_size(group);

    if (pml_hooks_recording()) {
        begin(&in, kind,
              size == 1 ? pml_hooks_peer_named(ompi_group_get_proc_name(group, 0)) : NULL,
              RECORD_ANY, in.window->context, in.window->number, size);
    }
    return in;
}

static int pass_start(struct ompi_group_t *group, int assertion, ompi_win_t *win)
{
    struct inside in = enter_group(win, RECORD_WIN_START, group);

    return leave(&in, in.window->below.osc_start(group, assertion, win));
}

static int pass_complete(ompi_win_t *win)
{
    struct inside in = enter(win, RECORD_WIN_COMPLETE, ALL);

    return leave(&in, in.window->below.osc_complete(win));
}

static int pass_post(struct ompi_group_t *group, int assertion, ompi_win_t *win)
{
    struct inside in = enter_group(win, RECORD_WIN_POST, group);

    return leave(&in, in.window->below.osc_post(group, assertion, win));
}

static int pass_wait(ompi_win_t *win)
{
    struct inside in = enter(win, RECORD_WIN_WAIT, ALL);

    return leave(&in, in.window->below.osc_wait(win));
}

static int pass_flush(int target, ompi_win_t *win)
{
    struct inside in = enter(win, RECORD_WIN_FLUSH, target);

    return leave(&in, in.window->below.osc_flush(target, win));
}

static int pass_flush_all(ompi_win_t *win)
{
    struct inside in = enter(win, RECORD_WIN_FLUSH_ALL, ALL);

    return leave(&in, in.window->below.osc_flush_all(win));
}

static int pass_flush_local(int target, ompi_win_t *win)
{
    struct inside in = enter(win, RECORD_WIN_FLUSH_LOCAL, target);

    return leave(&in, in.window->below.osc_flush_local(target, win));
}

static int pass_flush_local_all(ompi_win_t *win)
{
    struct inside in = enter(win, RECORD_WIN_FLUSH_LOCAL_ALL, ALL);

    return leave(&in, in.window->below.osc_flush_local_all(win));
}

/* ---- locks ------------------------------------------------------------------------------------
 */

static int pass_lock(int type, int target, int assertion, ompi_win_t *win)
{
    struct inside in = enter_typed(win, RECORD_WIN_LOCK, target, type);
    int rc = in.window->below.osc_lock(type, target, assertion, win);

    if (rc == OMPI_SUCCESS && in.call != NULL) {
        pml_hooks_window_hold(in.window, target_of(win, target), type, record_stamp());
    }
    return leave(&in, rc);
}

static int pass_unlock(int target, ompi_win_t *win)
{
    struct inside in = enter(win, RECORD_WIN_UNLOCK, target);
    int rc = in.window->below.osc_unlock(target, win);

    if (rc == OMPI_SUCCESS && in.window->locks != NULL) {
        pml_hooks_window_release(in.window, target_of(win, target));
    }
    return leave(&in, rc);
}

static int pass_lock_all(int assertion, ompi_win_t *win)
{
    struct inside in = enter(win, RECORD_WIN_LOCK_ALL, ALL);
    int rc = in.window->below.osc_lock_all(assertion, win);

    if (rc == OMPI_SUCCESS && in.call != NULL) {
        pml_hooks_window_hold(in.window, NULL, MPI_LOCK_SHARED, record_stamp());
    }
    return leave(&in, rc);
}

static int pass_unlock_all(ompi_win_t *win)
{
    struct inside in = enter(win, RECORD_WIN_UNLOCK_ALL, ALL);
    int rc = in.window->below.osc_unlock_all(win);

    if (rc == OMPI_SUCCESS && in.window->locks != NULL) {
        pml_hooks_window_release(in.window, NULL);
    }
    return leave(&in, rc);
}

/* ---- from the begin of a window to its end ----------------------------------------------------
 */

static int pass_free(ompi_win_t *win)
{
    struct inside in = enter(win, RECORD_WIN_FREE, ALL);
    int rc = in.window->below.osc_free(win);

    if (rc == OMPI_SUCCESS) {
        pml_hooks_window_forget(in.window);
    }
    return leave(&in, rc);
}

static void exchange(ompi_osc_base_module_t *module)
{
    module->osc_free = pass_free;
    module->osc_fence = pass_fence;
    module->osc_start = pass_start;
    module->osc_complete = pass_complete;
    module->osc_post = pass_post;
    module->osc_wait = pass_wait;
    module->osc_lock = pass_lock;
    module->osc_unlock = pass_unlock;
    module->osc_lock_all = pass_lock_all;
    module->osc_unlock_all = pass_unlock_all;
    module->osc_flush = pass_flush;
    module->osc_flush_all = pass_flush_all;
    module->osc_flush_local = pass_flush_local;
    module->osc_flush_local_all = pass_flush_local_all;
}

/* ---- components -------------------------------------------------------------------------------
 */

/* Those that make windows, each with a function of its own in the place of its own. */
static struct {
    ompi_osc_base_component_t *component;
    ompi_osc_base_component_select_fn_t select;
} below[8];
static size_t below_count;

/* Osc monitoring has another component make the window, and puts its functions before those: what
 * that one has made is followed already. */
static _Thread_local const ompi_win_t *last_made;

static int select_by(size_t which, ompi_win_t *win, void **base, size_t size, ompi_glue_disp unit,
                     struct ompi_communicator_t *comm, struct opal_info_t *info, int flavor,
                     int *model)
{
    struct inside in = {0};
    uint32_t context = ompi_glue_comm_id(comm), number = 0;
    int rc;

    last_made = NULL;
    if (pml_hooks_recording()) {
        begin(&in, RECORD_WIN_CREATE, NULL, RECORD_ANY, context, 0, ompi_comm_size(comm));
    }
    rc = below[which].select(win, base, size, unit, comm, info, flavor, model);
    if (rc == OMPI_SUCCESS && last_made != win && pml_hooks_installed()) {
        number = pml_hooks_window_number(context);
        if (pml_hooks_window_add(win, context, number) != NULL) {
            exchange(win->w_osc_module);
        }
        last_made = win;
    }
    return leave(&in, rc);
}

#define SELECT(which)                                                                         \
    static int select_##which(ompi_win_t *win, void **base, size_t size, ompi_glue_disp unit, \
                              struct ompi_communicator_t *comm, struct opal_info_t *info,     \
                              int flavor, int *model)                                         \
    {                                                                                         \
        return select_by(which, win, base, size, unit, comm, info, flavor, model);            \
    }
SELECT(0)
SELECT(1)
SELECT(2)
SELECT(3)
SELECT(4)
SELECT(5)
SELECT(6)
SELECT(7)

void pml_hooks_windows_begin(void)
{
    static const ompi_osc_base_component_select_fn_t ours[] = {
        select_0, select_1, select_2, select_3, select_4, select_5, select_6, select_7};
    mca_base_component_list_item_t *item;

    if (!mca_base_framework_is_open(&ompi_osc_base_framework)) {
        return;
    }
    OPAL_LIST_FOREACH(item, &ompi_osc_base_framework.framework_components,
                      mca_base_component_list_item_t)
    {
        ompi_osc_base_component_t *component =
            (ompi_osc_base_component_t *)(uintptr_t)item->cli_component;

        if (below_count == sizeof(ours) / sizeof(ours[0])) {
            break;
        }
        below[below_count].component = component;
        below[below_count].select = component->osc_select;
        component->osc_select = ours[below_count++];
    }
}

void pml_hooks_windows_end(void)
{
    while (below_count > 0) {
        below_count--;
        below[below_count].component->osc_select = below[below_count].select;
    }
}
