/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Covers: presto/mpi/tool.c presto/mpi/tool_category.c presto/mpi/tool_control.c
 * Covers: presto/mpi/tool_pvar.c presto/coll/params.c
 *
 * The tool interface: all variables, categories and enumerations are what their numbers and names
 * say, before MPI_Init and behind it; values can be read. The arguments: the name of a control
 * variable that can be set before MPI_Init, to twice its value and never afterwards (it is an
 * unsigned long long), and that of one with named values. Without them, what Open MPI does
 * otherwise than the standard says is not looked at.
 */
#include "mt.h"

enum { TEXT = 4096 };

static char name[TEXT], help[TEXT];
static bool begun;  /* MPI_Init has been called */
static bool strict; /* else some of what the standard says is not asked for */

/* The code with which something has to end. */
static void refused(int code, int want, const char *what)
{
    mt_check(strict ? code == want : code != MPI_SUCCESS, "%s: code %d instead of %d", what, code,
             want);
}

/* ---- control variables -----------------------------------------------------------------------
 */

static void look_at_values(MPI_T_enum values, const char *of)
{
    char text[TEXT];
    int count = 0, value, length = TEXT;

    mt_ok(MPI_T_enum_get_info(values, &count, text, &length));
    /* Numbers of components have an enumeration that reads them, in which no value has a name. */
    mt_check((count > 1 || (count == 0 && !strict)) && text[0] != '\0', "values of %s", of);
    for (int i = 0; i < count; i++) {
        length = TEXT;
        mt_ok(MPI_T_enum_get_item(values, i, &value, text, &length));
        mt_equal(length, strlen(text) + 1, "length of a value of %s", of);
    }
    mt_check(MPI_T_enum_get_item(values, count, &value, text, &length) != MPI_SUCCESS,
             "one value more of %s", of);
}

static void look_at_control(int i)
{
    int length = TEXT, help_length = TEXT, verbosity, bind, scope, back = -1, count = 0, need = 0,
        code;
    char *value;
    MPI_Datatype type;
    MPI_T_enum values;
    MPI_T_cvar_handle handle;

    code = MPI_T_cvar_get_info(i, NULL, &need, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
    if (code != MPI_SUCCESS && !strict) {
        return; /* of a component that is not used */
    }
    mt_ok(code);
    mt_ok(MPI_T_cvar_get_info(i, name, &length, &verbosity, &type, &values, help, &help_length,
                              &bind, &scope));
    mt_equal(need, strlen(name) + 1, "length of %s", name);
    mt_check(verbosity >= MPI_T_VERBOSITY_USER_BASIC && verbosity <= MPI_T_VERBOSITY_MPIDEV_ALL,
             "verbosity of %s", name);
    mt_ok(MPI_T_cvar_get_index(name, &back));
    mt_equal(back, i, "the number of %s", name);
    if (values != MPI_T_ENUM_NULL) {
        mt_check(type == MPI_INT || !strict, "type of %s, which has named values", name);
        look_at_values(values, name);
    }
    if (bind != MPI_T_BIND_NO_OBJECT) {
        return;
    }
    code = MPI_T_cvar_handle_alloc(i, NULL, &handle, &count);
    if (code != MPI_SUCCESS && !strict) {
        return;
    }
    mt_ok(code);
    mt_check(count >= 1, "count of %s", name);
    value = calloc((size_t)count + 1, sizeof(long double));
    mt_check(value != NULL, "memory");
    if (strict || !begun) { /* Open MPI reads those of components that it has unloaded */
        mt_ok(MPI_T_cvar_read(handle, value));
    }
    free(value);
    mt_ok(MPI_T_cvar_handle_free(&handle));
    mt_check(handle == MPI_T_CVAR_HANDLE_NULL, "the handle that was freed");
}

static void look_at_controls(void)
{
    int count, index;

    mt_ok(MPI_T_cvar_get_num(&count));
    mt_check(count > 0, "control variables");
    for (int i = 0; i < count; i++) {
        look_at_control(i);
    }
    refused(MPI_T_cvar_get_info(count, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
            MPI_T_ERR_INVALID_INDEX, "one control variable more");
    refused(MPI_T_cvar_get_index("no_such_variable", &index), MPI_T_ERR_INVALID_NAME, "no name");
}

static MPI_T_cvar_handle control(const char *wanted)
{
    MPI_T_cvar_handle handle;
    int index, count;

    mt_check(MPI_T_cvar_get_index(wanted, &index) == MPI_SUCCESS, "there is no %s", wanted);
    mt_ok(MPI_T_cvar_handle_alloc(index, NULL, &handle, &count));
    return handle;
}

static unsigned long long value_of(MPI_T_cvar_handle handle)
{
    unsigned long long value = 0;

    mt_ok(MPI_T_cvar_read(handle, &value));
    return value;
}

/* Before MPI_Init; whether it holds is seen behind it. */
static unsigned long long set_twice(MPI_T_cvar_handle handle)
{
    unsigned long long value = 2 * value_of(handle);

    mt_ok(MPI_T_cvar_write(handle, &value));
    mt_check(value_of(handle) == value, "what was set");
    return value;
}

static void set_named(const char *wanted)
{
    MPI_T_cvar_handle handle = control(wanted);
    int was = -1, value = 1, wrong = 1000;

    mt_ok(MPI_T_cvar_read(handle, &was));
    mt_ok(MPI_T_cvar_write(handle, &value));
    value = -1;
    mt_ok(MPI_T_cvar_read(handle, &value));
    mt_equal(value, 1, "a named value");
    mt_check(MPI_T_cvar_write(handle, &wrong) != MPI_SUCCESS, "a value without a name");
    mt_ok(MPI_T_cvar_write(handle, &was));
    mt_ok(MPI_T_cvar_handle_free(&handle));
}

/* ---- performance variables -------------------------------------------------------------------
 */

static void look_at_variable(MPI_T_pvar_session session, int i)
{
    int length = TEXT, help_length = TEXT, verbosity, class, bind, fixed, continuous, atomic;
    int back = -1, count = 0, code;
    unsigned long long *value;
    MPI_Datatype type;
    MPI_T_enum values;
    MPI_T_pvar_handle handle;

    code = MPI_T_pvar_get_info(i, name, &length, &verbosity, &class, &type, &values, help,
                               &help_length, &bind, &fixed, &continuous, &atomic);
    if (code != MPI_SUCCESS && !strict) {
        return;
    }
    mt_ok(code);
    mt_ok(MPI_T_pvar_get_index(name, class, &back));
    mt_equal(back, i, "the number of %s", name);
    if (bind != MPI_T_BIND_NO_OBJECT || !continuous || !fixed) {
        return;
    }
    if (!strict && strncmp(name, "mtl_psm2_", 9) == 0) {
        return; /* Open MPI asks the library that it has opened only where it is used */
    }
    mt_ok(MPI_T_pvar_handle_alloc(session, i, NULL, &handle, &count));
    refused(MPI_T_pvar_start(session, handle), MPI_T_ERR_PVAR_NO_STARTSTOP, "start");
    refused(MPI_T_pvar_stop(session, handle), MPI_T_ERR_PVAR_NO_STARTSTOP, "stop");
    value = calloc((size_t)count + 1, sizeof(*value));
    mt_check(value != NULL, "memory");
    mt_ok(MPI_T_pvar_read(session, handle, value));
    refused(MPI_T_pvar_write(session, handle, value), MPI_T_ERR_PVAR_NO_WRITE, "write");
    free(value);
    mt_ok(MPI_T_pvar_handle_free(session, &handle));
    mt_check(handle == MPI_T_PVAR_HANDLE_NULL, "the handle that was freed");
}

static void look_at_variables(void)
{
    MPI_T_pvar_session session, other;
    MPI_T_pvar_handle handle, left;
    unsigned long long value;
    int count, values;

    mt_ok(MPI_T_pvar_session_create(&session));
    mt_ok(MPI_T_pvar_session_create(&other));
    mt_ok(MPI_T_pvar_get_num(&count));
    for (int i = 0; i < count; i++) {
        look_at_variable(session, i);
    }
    if (count > 0 && MPI_T_pvar_handle_alloc(session, 0, NULL, &handle, &values) == MPI_SUCCESS) {
        mt_check(MPI_T_pvar_read(other, handle, &value) != MPI_SUCCESS, "a handle elsewhere");
        mt_ok(MPI_T_pvar_handle_alloc(session, 0, NULL, &left, &values)); /* goes with it */
        mt_ok(MPI_T_pvar_start(session, MPI_T_PVAR_ALL_HANDLES));
        mt_ok(MPI_T_pvar_stop(session, MPI_T_PVAR_ALL_HANDLES));
        mt_ok(MPI_T_pvar_handle_free(session, &handle));
    }
    mt_ok(MPI_T_pvar_session_free(&other));
    mt_ok(MPI_T_pvar_session_free(&session));
    mt_check(session == MPI_T_PVAR_SESSION_NULL, "the session that was freed");
}

/* ---- categories ------------------------------------------------------------------------------
 */

static void look_at_category(int i, int count)
{
    int length = TEXT, help_length = TEXT, cvars, pvars, categories, back = -1, all, code;
    int *indices;

    code =
        MPI_T_category_get_info(i, name, &length, help, &help_length, &cvars, &pvars, &categories);
    if (code != MPI_SUCCESS && !strict) {
        return;
    }
    mt_ok(code);
    mt_ok(MPI_T_category_get_index(name, &back));
    mt_equal(back, i, "the number of %s", name);
    indices = calloc((size_t)(cvars + pvars + categories) + 1, sizeof(int));
    mt_check(indices != NULL, "memory");
    mt_ok(MPI_T_category_get_cvars(i, cvars, indices));
    mt_ok(MPI_T_cvar_get_num(&all));
    for (int k = 0; k < cvars; k++) {
        mt_check(indices[k] >= 0 && indices[k] < all, "control variable %d of %s", k, name);
    }
    mt_ok(MPI_T_category_get_pvars(i, pvars, indices));
    mt_ok(MPI_T_pvar_get_num(&all));
    for (int k = 0; k < pvars; k++) {
        mt_check(indices[k] >= 0 && indices[k] < all, "variable %d of %s", k, name);
    }
    mt_ok(MPI_T_category_get_categories(i, categories, indices));
    for (int k = 0; k < categories; k++) {
        mt_check(indices[k] >= 0 && indices[k] < count, "category %d of %s", k, name);
    }
    free(indices);
}

static void look_at_categories(void)
{
    int count, stamp;

    mt_ok(MPI_T_category_get_num(&count));
    mt_check(count > 0, "categories");
    for (int i = 0; i < count; i++) {
        look_at_category(i, count);
    }
    mt_ok(MPI_T_category_changed(&stamp));
}

int main(int argc, char **argv)
{
    const char *number = argc > 2 ? argv[1] : NULL, *named = argc > 2 ? argv[2] : NULL;
    MPI_T_cvar_handle handle = MPI_T_CVAR_HANDLE_NULL;
    unsigned long long value = 0;
    int provided, first = MPI_T_finalize();

    strict = number != NULL;
    refused(first, MPI_T_ERR_NOT_INITIALIZED, "an end without a begin");
    mt_ok(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
    mt_ok(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
    mt_ok(MPI_T_finalize());
    look_at_controls();
    if (number != NULL) {
        handle = control(number);
        value = set_twice(handle);
        set_named(named);
    }
    mt_init(&argc, &argv);
    begun = true;
    if (number != NULL) {
        mt_check(value_of(handle) == value, "what was set before MPI_Init");
        refused(MPI_T_cvar_write(handle, &value), MPI_T_ERR_CVAR_SET_NOT_NOW, "set too late");
        mt_ok(MPI_T_cvar_handle_free(&handle));
    }
    look_at_controls();
    look_at_variables();
    look_at_categories();
    mt_ok(MPI_T_finalize());
    refused(MPI_T_cvar_get_num(&provided), MPI_T_ERR_NOT_INITIALIZED, "behind the end");
    return mt_finish();
}
