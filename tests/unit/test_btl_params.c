/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: btl_apelink/btl_apelink_params.c. */
/*
 * The component's parameters, as a run sees them: from which source a value comes, what is said
 * about a wrong one, and whether the run asked for apelink at all. Each case has a process of its
 * own, because Open MPI reads its settings once.
 */
#include "unit.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <apeni/param.h>

#include "base/config.h"
#include "btl_apelink/btl_apelink.h"
#include "ompi_glue/check.h"

/* What a case found out about itself. */
struct outcome {
    bool applied;
    bool wanted;
    bool checked;
    struct ni_config config;
    char origin[64];  /* of shm_ring_size */
    char reason[160]; /* if not checked */
};

struct result {
    struct outcome outcome;
    char said[8192]; /* on standard error */
};

static void forget_settings(void)
{
    static const char *const prefixes[] = {"OMPI_MCA_", "APENI_"};
    char name[256];

    for (size_t p = 0; p < 2; p++) {
        for (char **entry = environ; *entry != NULL;) {
            snprintf(name, sizeof(name), "%.*s", (int)strcspn(*entry, "="), *entry);
            if (strncmp(name, prefixes[p], strlen(prefixes[p])) == 0) {
                unsetenv(name);
                entry = environ;
            } else {
                entry++;
            }
        }
    }
}

#define DIFFERS "APELINK_TEST_DIFFERS" /* a setting for make_different */

/* Make the running library another one than the component was compiled for. */
static void make_different(const char *in)
{
    if (in != NULL && strcmp(in, "class") == 0) {
        opal_convertor_t_class.cls_sizeof += 8;
    } else if (in != NULL) {
        opal_built_with_cuda_support = !opal_built_with_cuda_support;
    }
}

/* In the child: the life of the component up to the point where it would open its interface. */
static void child(const char *const *settings, int out, int err)
{
    struct outcome outcome;

    dup2(err, STDERR_FILENO);
    forget_settings();
    setenv("OMPI_MCA_mca_base_param_files", "none", 1);
    for (; *settings != NULL; settings += 2) {
        setenv(settings[0], settings[1], 1);
    }
    memset(&outcome, 0, sizeof(outcome));
    if (opal_init_util(NULL, NULL) != OPAL_SUCCESS) {
        _exit(2);
    }
    /* For the parameter btl. It fails where that names a component, because none is loaded. */
    (void)mca_base_framework_register(&opal_btl_base_framework, MCA_BASE_REGISTER_STATIC_ONLY);
    if (mca_btl_apelink_register_params() != OPAL_SUCCESS) {
        _exit(2);
    }
    outcome.wanted = mca_btl_apelink_wanted();
    outcome.applied = mca_btl_apelink_apply_params();
    make_different(getenv(DIFFERS));
    outcome.checked = ompi_glue_check(outcome.reason, sizeof(outcome.reason));
    outcome.config = *ni_config_get();
    snprintf(outcome.origin, sizeof(outcome.origin), "%s",
             ni_param_origin(ni_param_find("shm_ring_size")));
    fflush(stderr);
    _exit(write(out, &outcome, sizeof(outcome)) == (ssize_t)sizeof(outcome) ? 0 : 3);
}

static size_t read_all(int fd, void *buffer, size_t size)
{
    size_t got = 0;
    ssize_t n;

    while (got < size && (n = read(fd, (char *)buffer + got, size - got)) > 0) {
        got += (size_t)n;
    }
    return got;
}

/* settings: names and values, then NULL. */
static struct result run(const char *const *settings)
{
    struct result result;
    int out[2], err[2], status;
    pid_t pid;

    memset(&result, 0, sizeof(result));
    assert_int_equal(pipe(out), 0);
    assert_int_equal(pipe(err), 0);
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        close(out[0]);
        close(err[0]);
        child(settings, out[1], err[1]);
    }
    close(out[1]);
    close(err[1]);
    read_all(err[0], result.said, sizeof(result.said) - 1);
    assert_int_equal(read_all(out[0], &result.outcome, sizeof(result.outcome)),
                     sizeof(result.outcome));
    close(out[0]);
    close(err[0]);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    return result;
}

#define RUN(...) run((const char *const[]){__VA_ARGS__ __VA_OPT__(, ) NULL})

#define MCA "OMPI_MCA_btl_apelink_"

/* ---- values ---------------------------------------------------------------------------------- */

static void nothing_set(void **state)
{
    struct result r = RUN();

    (void)state;
    assert_true(r.outcome.applied);
    assert_true(r.outcome.checked);
    assert_int_equal(r.outcome.config.shm_ring_size, 32 * 1024);
    assert_string_equal(r.outcome.origin, "default");
    assert_string_equal(r.said, "");
}

static void mca_before_environment_before_default(void **state)
{
    struct result mca = RUN(MCA "shm_ring_size", "64K", "APENI_SHM_RING_SIZE", "16K");
    struct result environment = RUN("APENI_SHM_RING_SIZE", "16K");

    (void)state;
    assert_true(mca.outcome.applied);
    assert_int_equal(mca.outcome.config.shm_ring_size, 64 * 1024);
    assert_string_equal(mca.outcome.origin, "mca btl_apelink_shm_ring_size");
    assert_true(environment.outcome.applied);
    assert_int_equal(environment.outcome.config.shm_ring_size, 16 * 1024);
    assert_string_equal(environment.outcome.origin, "environment");
}

static void all_types(void **state)
{
    struct result r = RUN(MCA "shm_copy", "copy", MCA "bulk_both", "no", MCA "peer_check_ms", "33",
                          MCA "fault", "full:ppm=5,seed=1");

    (void)state;
    assert_true(r.outcome.applied);
    assert_int_equal(r.outcome.config.shm_copy, NI_SHM_COPY_COPY);
    assert_int_equal(r.outcome.config.bulk_both, 0);
    assert_int_equal(r.outcome.config.peer_check_ms, 33);
    assert_string_equal(r.said, "");
}

/* ---- mistakes -------------------------------------------------------------------------------- */

/* A value that is refused, with name, value and what is accepted in the message: our own, since
 * Open MPI's may be lost on its way through mpirun. */
static void refused(const char *variable, const char *value, const char *accepted)
{
    struct result r = RUN(variable, value);
    char text[256];

    assert_false(r.outcome.applied);
    snprintf(text, sizeof(text), "Parameter: %s\n", variable + strlen("OMPI_MCA_"));
    unit_assert_contains(r.said, text);
    snprintf(text, sizeof(text), "Value:     %s\n", value);
    unit_assert_contains(r.said, text);
    unit_assert_contains(r.said, accepted);
}

static void bad_values(void **state)
{
    (void)state;
    refused(MCA "shm_ring_size", "12abc", "4K to 1M bytes");
    refused(MCA "shm_ring_size", "1K", "4K to 1M bytes");
    refused(MCA "shm_ring_size", "-1", "4K to 1M bytes");
    refused(MCA "peer_check_ms", "1000000", "10 to 60000 ms");
    refused(MCA "shm_copy", "telepathy", "process_vm");
    refused(MCA "bulk_both", "perhaps", "yes");
    refused(MCA "fault", "meteor:nth=1", "btl_apelink_fault");
    refused(MCA "enable", "sometimes", "auto");
    refused(MCA "eager_limit", "12x", "a whole number");
    refused(MCA "eager_limit", "16", "256 to");
    refused(MCA "max_send_size", "1073741824", "256 to");
    refused(MCA "frag_max", "0", "4 to");
    refused(MCA "frag_max", "5000000000", "a whole number");
    refused(MCA "log_level", "loud", "info");
    refused(MCA "minmax", "perhaps", "yes");
    refused(MCA "flags", "swim", "send");
}

static void misspelt(void **state)
{
    struct result close = RUN(MCA "shm_rings_size", "64K");
    struct result far = RUN(MCA "zebra", "64K");

    (void)state;
    assert_false(close.outcome.applied);
    unit_assert_contains(close.said, "btl_apelink_shm_rings_size");
    unit_assert_contains(close.said, "Did you mean: btl_apelink_shm_ring_size");
    assert_false(far.outcome.applied);
    unit_assert_contains(far.said, "btl_apelink_zebra");
    assert_null(strstr(far.said, "Did you mean"));
}

/* What the BTL has no use for is no parameter of it, so that nobody sets it in vain. */
static void without_effect(void **state)
{
    struct result r = RUN(MCA "simd", "scalar");

    (void)state;
    assert_false(r.outcome.applied);
    unit_assert_contains(r.said, "btl_apelink_simd");
}

/* Values and mistakes in a parameter file count like those in the environment. */
static void parameter_file(void **state)
{
    const char *folder = getenv("TMPDIR");
    char name[4096];
    struct result r;
    FILE *file;

    (void)state;
    assert_in_range(snprintf(name, sizeof(name), "%s/btl_params_XXXXXX", folder ? folder : "/tmp"),
                    1, sizeof(name) - 1);
    file = fdopen(mkstemp(name), "w");
    assert_non_null(file);
    fprintf(file, "# btl_apelink_comment = 1\nbtl_apelink_shm_ring_size = 64K\n"
                  "  btl_apelink_segment_sizes=3\nbtl_other_thing = 4\n");
    fclose(file);
    r = RUN("OMPI_MCA_mca_base_param_files", name);
    unlink(name);
    assert_false(r.outcome.applied);
    unit_assert_contains(r.said, "btl_apelink_segment_sizes");
    unit_assert_contains(r.said, name);
    unit_assert_contains(r.said, "Did you mean: btl_apelink_segment_size");
    assert_null(strstr(r.said, "comment"));
    assert_null(strstr(r.said, "other_thing"));
}

/* ---- another Open MPI ------------------------------------------------------------------------ */

static void wrong_version(void **state)
{
    struct result class = RUN(DIFFERS, "class"), cuda = RUN(DIFFERS, "cuda");

    (void)state;
    assert_false(class.outcome.checked);
    unit_assert_contains(class.outcome.reason, "opal_convertor_t has ");
    unit_assert_contains(class.outcome.reason, "the component was compiled for");
    assert_false(cuda.outcome.checked);
    unit_assert_contains(cuda.outcome.reason, "CUDA support");
}

/* ---- was it asked for? ----------------------------------------------------------------------- */

static bool wanted_with(const char *btl, const char *enable)
{
    return RUN("OMPI_MCA_btl", btl, MCA "enable", enable).outcome.wanted;
}

static void asked_for(void **state)
{
    (void)state;
    assert_false(RUN().outcome.wanted);
    assert_false(wanted_with("^uct,openib,ofi", "auto"));
    assert_false(wanted_with("^apelink", "auto"));
    assert_false(wanted_with("vader,self", "auto"));
    assert_false(wanted_with("apelinks,self", "auto"));
    assert_false(wanted_with("xapelink", "auto"));
    assert_true(wanted_with("apelink,self", "auto"));
    assert_true(wanted_with("self,vader,apelink", "auto"));
    assert_true(wanted_with("^uct,openib,ofi", "yes"));
    assert_false(wanted_with("apelink,self", "no"));
    assert_true(RUN("OMPI_MCA_btl_base_include", "apelink,self").outcome.wanted);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_set),    cmocka_unit_test(mca_before_environment_before_default),
        cmocka_unit_test(all_types),      cmocka_unit_test(bad_values),
        cmocka_unit_test(misspelt),       cmocka_unit_test(parameter_file),
        cmocka_unit_test(wrong_version),  cmocka_unit_test(asked_for),
        cmocka_unit_test(without_effect),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
