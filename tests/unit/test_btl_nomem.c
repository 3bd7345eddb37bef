/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: btl_apelink/btl_apelink_nomem.c. */
/* Want of memory that lasts: what Open MPI would try again for ever, or never, ends the job after
 * memory_wait_ms. Each case has a process of its own. */
#include "said.h"

#include "base/fault_inl.h"
#include "btl_apelink/btl_apelink_op.h"
#include "engine_pair.h"

enum { MOST = 100000000, ROOM = 4096 };

static mca_btl_apelink_module_t *const module = &mca_btl_apelink;
static struct pair pair;
static mca_btl_apelink_endpoint_t endpoint;
static mca_btl_base_registration_handle_t target;
static uint64_t here[ROOM / sizeof(uint64_t)], there[ROOM / sizeof(uint64_t)];
static unsigned ended;

/* In place of the layer above, which ends the job. */
static void end_job(mca_btl_base_module_t *btl, int32_t flags, struct opal_proc_t *proc, char *text)
{
    (void)btl;
    (void)proc;
    ended += flags == MCA_BTL_ERROR_FLAGS_FATAL;
    fprintf(stderr, "%s\n", text);
}

static void make_list(opal_free_list_t *list, size_t size, opal_class_t *class, int most)
{
    OBJ_CONSTRUCT(list, opal_free_list_t);
    (void)opal_free_list_init(list, size, NI_CACHE_LINE, class, 0, 0, 1, most, 1, NULL, 0, NULL,
                              NULL, NULL);
}

/* A module with one endpoint, whose process never polls, and at most so many operations. */
static void begin(int most_ops)
{
    (void)mca_base_framework_register(&opal_btl_base_framework, MCA_BASE_REGISTER_STATIC_ONLY);
    (void)mca_btl_apelink_register_params();
    opal_progress_set_event_flag(0);
    pair_set("memory_wait_ms", "20");
    pair_open(&pair, &(struct pair_attr){.copy = NI_FABRIC_BY_PACKETS, .ring = 1 << 20});
    assert_int_equal(ni_region_memory(pair.b, there, ROOM, NI_ACCESS_ALL, &target.rkey), NI_OK);
    module->ni = pair.a;
    module->error_cb = end_job;
    ni_list_init(&module->busy);
    OBJ_CONSTRUCT(&module->held, opal_list_t);
    make_list(&module->ops, sizeof(mca_btl_apelink_op_t), OBJ_CLASS(mca_btl_apelink_op_t),
              most_ops);
    make_list(&module->regs, sizeof(mca_btl_apelink_reg_t), OBJ_CLASS(mca_btl_apelink_reg_t), -1);
    endpoint = (mca_btl_apelink_endpoint_t){.peer = pair.ab, .proc = opal_proc_local_get()};
}

static void done(struct mca_btl_base_module_t *btl, struct mca_btl_base_endpoint_t *at,
                 void *address, struct mca_btl_base_registration_handle_t *handle, void *context,
                 void *data, int status)
{
    (void)btl;
    (void)at;
    (void)address;
    (void)handle;
    (void)context;
    (void)data;
    (void)status;
}

static mca_btl_base_rdma_completion_fn_t callback = done;

/* As osc/rdma does, which tries again. */
static int put(void)
{
    return mca_btl_apelink_put(&module->super, &endpoint, here, (uintptr_t)there, NULL, &target,
                               sizeof(here[0]), 0, MCA_BTL_NO_ORDER, callback, NULL, NULL);
}

static bool put_until_the_end(void)
{
    for (unsigned i = 0; i < MOST && ended == 0; i++) {
        (void)put();
    }
    return ended == 1;
}

static bool operations_find_no_memory(void)
{
    begin(-1);
    ni_fault_arm(NI_FAULT_ALLOC, 1, 1);
    return put_until_the_end();
}

/* It waits for those by a flush. */
static bool puts_without_callback(void)
{
    callback = NULL;
    return operations_find_no_memory();
}

static bool list_is_full(void)
{
    begin(1);
    return put() == OPAL_SUCCESS && put() == OPAL_ERR_OUT_OF_RESOURCE && put_until_the_end();
}

/* With operations under way. */
static void use_up_memory(void)
{
    begin(-1);
    (void)put();
    ni_fault_arm(NI_FAULT_ALLOC, 1, 1);
    while (put() == OPAL_SUCCESS) {
    }
}

static bool flush_finds_no_memory(void)
{
    use_up_memory();
    return ended == 0 &&
           mca_btl_apelink_flush(&module->super, &endpoint) == OPAL_ERR_OUT_OF_RESOURCE &&
           ended == 1;
}

/* One that ends gives memory back. */
static bool memory_comes_back(void)
{
    use_up_memory();
    ni_fault_reset();
    module->starve.since = 1; /* long ago */
    return put() == OPAL_SUCCESS && !atomic_load(&module->starved) &&
           !mca_btl_apelink_starves(module, NULL, "nothing yet at") && ended == 0;
}

static mca_btl_base_registration_handle_t *enroll(uint32_t flags)
{
    return mca_btl_apelink_register_mem(&module->super, NULL, here, sizeof(here), flags);
}

/* Windows take what memory there is; then ob1 wants to register some. */
static void begin_registrations(void)
{
    begin(-1);
    ni_fault_arm(NI_FAULT_ALLOC, 1, 1);
    while (enroll(MCA_BTL_REG_FLAG_ACCESS_ANY) != NULL) {
    }
}

static void poll_a_while(void)
{
    for (unsigned i = 0; i < MOST && ended == 0 && atomic_load(&module->unregistered); i++) {
        (void)mca_btl_apelink_component.super.btl_progress();
    }
}

static bool nobody_registers_again(void)
{
    begin_registrations();
    if (atomic_load(&module->unregistered) || enroll(MCA_BTL_REG_FLAG_REMOTE_WRITE) != NULL) {
        return false;
    }
    poll_a_while();
    return ended == 1;
}

static bool it_is_registered_later(void)
{
    mca_btl_base_registration_handle_t *handle;

    begin_registrations();
    (void)enroll(MCA_BTL_REG_FLAG_REMOTE_WRITE);
    ni_fault_reset();
    handle = enroll(MCA_BTL_REG_FLAG_REMOTE_WRITE);
    poll_a_while();
    return handle != NULL && ended == 0 && !atomic_load(&module->unregistered) &&
           mca_btl_apelink_deregister_mem(&module->super, handle) == OPAL_SUCCESS &&
           atomic_load(&module->registered) == 0;
}

/* ob1 is called when its transfer ends, however long that takes. */
static bool another_is_under_way(void)
{
    begin(-1);
    (void)enroll(MCA_BTL_REG_FLAG_REMOTE_WRITE);
    ni_fault_arm(NI_FAULT_ALLOC, 1, 1);
    while (enroll(MCA_BTL_REG_FLAG_REMOTE_WRITE) != NULL) {
    }
    return !atomic_load(&module->unregistered);
}

/* ob1 takes the other one. */
static bool there_is_another_btl(void)
{
    begin_registrations();
    return enroll(MCA_BTL_REG_FLAG_REMOTE_WRITE) == NULL && !atomic_load(&module->unregistered);
}

static void says(struct said said, const char *what)
{
    unit_assert_contains(said.text, what);
    unit_assert_contains(said.text, "has found no memory for memory_wait_ms");
    unit_assert_contains(said.text, "raise its limits (ulimit -v,");
    unit_assert_contains(said.text, "out of memory");
}

static void operations(void **state)
{
    (void)state;
    says(SAID_BY(operations_find_no_memory), "a put, get or atomic found no memory at process");
    says(SAID_BY(puts_without_callback), "a put, get or atomic found no memory at process");
    says(SAID_BY(list_is_full), "a put, get or atomic found no memory at process");
    (void)SAID_BY(memory_comes_back);
}

static void flush(void **state)
{
    (void)state;
    says(SAID_BY(flush_finds_no_memory), "a flush found no memory at process");
}

static void registrations(void **state)
{
    (void)state;
    says(SAID_BY(nobody_registers_again, "OMPI_MCA_btl", "apelink,self"),
         "memory could not be registered for a message to process");
    (void)SAID_BY(it_is_registered_later, "OMPI_MCA_btl", "apelink,self");
    (void)SAID_BY(another_is_under_way, "OMPI_MCA_btl", "apelink,self");
    (void)SAID_BY(there_is_another_btl, "OMPI_MCA_btl", "apelink,tcp,self");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operations),
        cmocka_unit_test(flush),
        cmocka_unit_test(registrations),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
