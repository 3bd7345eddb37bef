/* SPDX-License-Identifier: BSD-3-Clause */
/* Infos, names, keys of attributes, what is left of objects that could not be copied, statuses,
 * grids. A plain MPI program for any number of ranks. */
#include <limits.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static int rank, checks;

#define EXPECT(condition)                                                                   \
    do {                                                                                    \
        checks++;                                                                           \
        if (!(condition)) {                                                                 \
            fprintf(stderr, "mpi_objects.c:%d: rank %d: %s\n", __LINE__, rank, #condition); \
            MPI_Abort(MPI_COMM_WORLD, 1);                                                   \
        }                                                                                   \
    } while (0)

/* ---- infos ----------------------------------------------------------------------------------- */

/* A value goes where it is wanted, with its end, and touches nothing behind that. */
static void infos(void)
{
    char room[64];
    int flag;
    MPI_Info info;
    MPI_Info_create(&info);
    MPI_Info_set(info, "file", "runfile");
    for (int length = 0; length < 40; length++) {
        int kept = length < 7 ? length : 7;
        memset(room, 'x', sizeof(room));
        MPI_Info_get(info, "file", length, room, &flag);
        EXPECT(flag == 1);
        EXPECT(strncmp(room, "runfile", (size_t)kept) == 0 && room[kept] == '\0');
        for (int i = kept + 1; i < (int)sizeof(room); i++) {
            EXPECT(room[i] == 'x');
        }
    }
    MPI_Info_free(&info);
}

/* ---- names of types -------------------------------------------------------------------------- */

static void names(void)
{
    char name[MPI_MAX_OBJECT_NAME];
    int length;
    MPI_Type_set_name(MPI_INT, "count");
    MPI_Type_set_name(MPI_DOUBLE, "weight");
    MPI_Type_set_name(MPI_INT, "number");
    MPI_Type_get_name(MPI_INT, name, &length);
    EXPECT(strcmp(name, "number") == 0 && length == 6);
    MPI_Type_get_name(MPI_DOUBLE, name, &length);
    EXPECT(strcmp(name, "weight") == 0 && length == 6);
    MPI_Type_get_name(MPI_FLOAT, name, &length);
    EXPECT(strcmp(name, "MPI_FLOAT") == 0);
    MPI_Type_set_name(MPI_INT, "");
    MPI_Type_get_name(MPI_INT, name, &length);
    EXPECT(name[0] == '\0' && length == 0);
    MPI_Type_set_name(MPI_INT, "MPI_INT");
}

/* A predefined type has its own name, and of two names for one type the one that MPI gives it. */
#define NAME(type)  \
    {               \
        type, #type \
    }
static void own_names(void)
{
    static const struct {
        MPI_Datatype type;
        const char *name;
    } own[] = {NAME(MPI_CHAR),
               NAME(MPI_UNSIGNED),
               NAME(MPI_LONG),
               NAME(MPI_LONG_LONG_INT),
               NAME(MPI_UNSIGNED_LONG_LONG),
               NAME(MPI_C_COMPLEX),
               NAME(MPI_C_FLOAT_COMPLEX),
               NAME(MPI_CXX_FLOAT_COMPLEX),
               NAME(MPI_INTEGER),
               NAME(MPI_INTEGER1),
               NAME(MPI_INTEGER2),
               NAME(MPI_INTEGER4),
               NAME(MPI_INTEGER8),
               NAME(MPI_INTEGER16),
               NAME(MPI_REAL),
               NAME(MPI_REAL2),
               NAME(MPI_REAL4),
               NAME(MPI_REAL8),
               NAME(MPI_REAL16),
               NAME(MPI_DOUBLE_PRECISION),
               NAME(MPI_COMPLEX),
               NAME(MPI_COMPLEX4),
               NAME(MPI_COMPLEX8),
               NAME(MPI_COMPLEX16),
               NAME(MPI_COMPLEX32),
               NAME(MPI_DOUBLE_COMPLEX),
               NAME(MPI_2REAL),
               NAME(MPI_2INTEGER)};
    char name[MPI_MAX_OBJECT_NAME];
    int length;
    EXPECT(MPI_LONG_LONG == MPI_LONG_LONG_INT && MPI_CXX_COMPLEX == MPI_CXX_FLOAT_COMPLEX);
    for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++) {
        MPI_Type_get_name(own[i].type, name, &length);
        EXPECT(strcmp(name, own[i].name) == 0 && length == (int)strlen(name));
    }
}

/* Fortran's numbers of sizes that C has no arithmetic for travel, in external32 with the highest
 * byte first, and no operation takes them. */
static void odd_numbers(void)
{
    static const struct {
        MPI_Datatype type;
        int size, number; /* bytes of a number, of which there are one or two */
    } odd[] = {{MPI_INTEGER16, 16, 16},
               {MPI_REAL2, 2, 2},
               {MPI_REAL16, 16, 16},
               {MPI_COMPLEX4, 4, 2},
               {MPI_COMPLEX32, 32, 16}};
    const bool little = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
    _Alignas(16) unsigned char in[32], out[32], external[32];
    for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
        int size;
        MPI_Aint bytes, at = 0;
        for (int k = 0; k < 32; k++) {
            in[k] = (unsigned char)(k + 1);
        }
        MPI_Type_size(odd[i].type, &size);
        EXPECT(size == odd[i].size);
        memset(out, 0, sizeof(out));
        MPI_Sendrecv(in, 1, odd[i].type, 0, 0, out, 1, odd[i].type, 0, 0, MPI_COMM_SELF,
                     MPI_STATUS_IGNORE);
        EXPECT(memcmp(in, out, (size_t)size) == 0 && (size == 32 || out[size] == 0));
        MPI_Pack_external_size("external32", 1, odd[i].type, &bytes);
        EXPECT(bytes == size);
        MPI_Pack_external("external32", in, 1, odd[i].type, external, sizeof(external), &at);
        for (int k = 0; k < size; k++) {
            EXPECT(external[k] == in[little ? k ^ (odd[i].number - 1) : k]);
        }
        memset(out, 0, sizeof(out));
        at = 0;
        MPI_Unpack_external("external32", external, bytes, &at, out, 1, odd[i].type);
        EXPECT(memcmp(in, out, (size_t)size) == 0);
        EXPECT(MPI_Allreduce(in, out, 1, odd[i].type, MPI_SUM, MPI_COMM_SELF) == MPI_ERR_OP);
    }
}

/* ---- keys ------------------------------------------------------------------------------------ */

static int deleted;

static int free_key(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm;
    (void)value;
    (void)extra;
    deleted++;
    return MPI_Comm_free_keyval(&key);
}

/* A key lives as long as an attribute has it, and so long its number may be freed. */
static void keys(void)
{
    int key, copy, value = 3, *got, flag;
    MPI_Comm first, second;
    MPI_Comm_dup(MPI_COMM_SELF, &first);
    MPI_Comm_dup(MPI_COMM_SELF, &second);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, free_key, &key, NULL);
    copy = key;
    MPI_Comm_set_attr(first, key, &value);
    MPI_Comm_set_attr(second, key, &value);
    EXPECT(MPI_Comm_free(&first) == MPI_SUCCESS);
    EXPECT(MPI_Comm_free_keyval(&key) == MPI_SUCCESS && key == MPI_KEYVAL_INVALID);
    MPI_Comm_get_attr(second, copy, &got, &flag);
    EXPECT(flag == 1 && got == &value);
    key = copy;
    EXPECT(MPI_Comm_free_keyval(&key) == MPI_SUCCESS && key == MPI_KEYVAL_INVALID);
    EXPECT(MPI_Comm_free(&second) == MPI_SUCCESS);
    EXPECT(deleted == 2);
    EXPECT(MPI_Comm_free_keyval(&copy) != MPI_SUCCESS);
    key = MPI_KEYVAL_INVALID;
    EXPECT(MPI_Comm_free_keyval(&key) != MPI_SUCCESS);
}

/* ---- copies that fail ------------------------------------------------------------------------ */

static int refuse_comm(MPI_Comm comm, int key, void *extra, void *in, void *out, int *flag)
{
    (void)comm;
    (void)key;
    (void)extra;
    (void)in;
    (void)out;
    *flag = 0;
    return MPI_ERR_OTHER;
}

static int refuse_type(MPI_Datatype type, int key, void *extra, void *in, void *out, int *flag)
{
    (void)type;
    return refuse_comm(MPI_COMM_NULL, key, extra, in, out, flag);
}

static void copies(void)
{
    int key;
    MPI_Comm comm, copy = MPI_COMM_SELF;
    MPI_Datatype type, other = MPI_INT;
    MPI_Request request;
    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    MPI_Comm_create_keyval(refuse_comm, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    MPI_Comm_set_attr(comm, key, NULL);
    EXPECT(MPI_Comm_dup(comm, &copy) == MPI_ERR_OTHER && copy == MPI_COMM_NULL);
    copy = MPI_COMM_SELF;
    EXPECT(MPI_Comm_idup(comm, &copy, &request) == MPI_ERR_OTHER && copy == MPI_COMM_NULL);
    MPI_Comm_free_keyval(&key);
    MPI_Comm_free(&comm);
    MPI_Type_contiguous(2, MPI_INT, &type);
    MPI_Type_create_keyval(refuse_type, MPI_TYPE_NULL_DELETE_FN, &key, NULL);
    MPI_Type_set_attr(type, key, NULL);
    EXPECT(MPI_Type_dup(type, &other) == MPI_ERR_OTHER && other == MPI_DATATYPE_NULL);
    MPI_Type_free_keyval(&key);
    MPI_Type_free(&type);
}

/* ---- statuses -------------------------------------------------------------------------------- */

enum { OWN = MPI_ERR_DIMS }; /* what nobody touches */

static MPI_Status fresh(void)
{
    MPI_Status status;
    memset(&status, 0x5a, sizeof(status));
    status.MPI_ERROR = OWN;
    return status;
}

/* Functions for one message leave the error of its status alone, those for several set each. */
static void statuses(void)
{
    int in = 0, out = 4, flag;
    MPI_Request requests[2];
    MPI_Message message;
    MPI_Status status = fresh(), both[2];
    MPI_Isend(&out, 1, MPI_INT, 0, 5, MPI_COMM_SELF, &requests[0]);
    MPI_Recv(&in, 1, MPI_INT, 0, 5, MPI_COMM_SELF, &status);
    EXPECT(in == 4 && status.MPI_TAG == 5 && status.MPI_ERROR == OWN);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Irecv(&in, 1, MPI_INT, 0, 6, MPI_COMM_SELF, &requests[0]);
    status = fresh();
    MPI_Sendrecv(&out, 1, MPI_INT, 0, 6, &in, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_SELF, &status);
    EXPECT(status.MPI_SOURCE == MPI_PROC_NULL && status.MPI_ERROR == OWN);
    status = fresh();
    MPI_Wait(&requests[0], &status);
    EXPECT(status.MPI_TAG == 6 && status.MPI_ERROR == OWN);
    status = fresh();
    MPI_Mprobe(MPI_PROC_NULL, 1, MPI_COMM_SELF, &message, &status);
    EXPECT(status.MPI_SOURCE == MPI_PROC_NULL && status.MPI_TAG == MPI_ANY_TAG);
    EXPECT(status.MPI_ERROR == OWN && message == MPI_MESSAGE_NO_PROC);
    MPI_Isend(&out, 1, MPI_INT, 0, 7, MPI_COMM_SELF, &requests[0]);
    status = fresh();
    MPI_Probe(0, 7, MPI_COMM_SELF, &status);
    EXPECT(status.MPI_TAG == 7 && status.MPI_ERROR == OWN);
    MPI_Irecv(&in, 1, MPI_INT, 0, 7, MPI_COMM_SELF, &requests[1]);
    both[0] = both[1] = fresh();
    MPI_Waitall(2, requests, both);
    EXPECT(both[0].MPI_ERROR == MPI_SUCCESS && both[1].MPI_ERROR == MPI_SUCCESS);
    EXPECT(both[1].MPI_TAG == 7);
    status = fresh();
    MPI_Test(&requests[0], &flag, &status);
    EXPECT(flag == 1 && status.MPI_SOURCE == MPI_ANY_SOURCE && status.MPI_ERROR == MPI_SUCCESS);
}

/* ---- messages from nobody -------------------------------------------------------------------- */

/* A message from MPI_PROC_NULL: of no tag, and empty. */
static void empty(const MPI_Status *status)
{
    int count = 7, elements = 7, cancelled = 1;
    EXPECT(status->MPI_SOURCE == MPI_PROC_NULL && status->MPI_TAG == MPI_ANY_TAG);
    MPI_Get_count(status, MPI_INT, &count);
    MPI_Get_elements(status, MPI_INT, &elements);
    MPI_Test_cancelled(status, &cancelled);
    EXPECT(count == 0 && elements == 0 && cancelled == 0);
}

static void nobody_now(int *in)
{
    const int out = 4;
    int flag = 0;
    MPI_Status status = fresh();
    MPI_Recv(in, 1, MPI_INT, MPI_PROC_NULL, 3, MPI_COMM_WORLD, &status);
    empty(&status);
    status = fresh();
    MPI_Sendrecv(&out, 1, MPI_INT, MPI_PROC_NULL, 3, in, 1, MPI_INT, MPI_PROC_NULL, 3,
                 MPI_COMM_WORLD, &status);
    empty(&status);
    status = fresh();
    MPI_Sendrecv_replace(in, 1, MPI_INT, MPI_PROC_NULL, 3, MPI_PROC_NULL, 3, MPI_COMM_WORLD,
                         &status);
    empty(&status);
    status = fresh();
    MPI_Probe(MPI_PROC_NULL, 3, MPI_COMM_WORLD, &status);
    empty(&status);
    status = fresh();
    MPI_Iprobe(MPI_PROC_NULL, 3, MPI_COMM_WORLD, &flag, &status);
    EXPECT(flag == 1);
    empty(&status);
}

static void nobody_later(int *in)
{
    MPI_Request requests[2];
    MPI_Status status = fresh();
    MPI_Irecv(in, 1, MPI_INT, MPI_PROC_NULL, 3, MPI_COMM_WORLD, &requests[0]);
    MPI_Wait(&requests[0], &status);
    EXPECT(requests[0] == MPI_REQUEST_NULL);
    empty(&status);
    MPI_Recv_init(in, 1, MPI_INT, MPI_PROC_NULL, 3, MPI_COMM_WORLD, &requests[0]);
    MPI_Send_init(in, 1, MPI_INT, MPI_PROC_NULL, 3, MPI_COMM_WORLD, &requests[1]);
    for (int i = 0; i < 2; i++) {
        MPI_Status both[2] = {fresh(), fresh()};
        MPI_Startall(2, requests);
        MPI_Waitall(2, requests, both);
        EXPECT(requests[0] != MPI_REQUEST_NULL && requests[1] != MPI_REQUEST_NULL);
        empty(&both[0]);
    }
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
}

static void nobody_claimed(int *in)
{
    int flag = 0;
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Request request;
    MPI_Status status = fresh();
    MPI_Mprobe(MPI_PROC_NULL, 3, MPI_COMM_WORLD, &message, &status);
    empty(&status);
    EXPECT(message == MPI_MESSAGE_NO_PROC);
    status = fresh();
    MPI_Mrecv(in, 1, MPI_INT, &message, &status);
    EXPECT(message == MPI_MESSAGE_NULL);
    empty(&status);
    status = fresh();
    MPI_Improbe(MPI_PROC_NULL, 3, MPI_COMM_WORLD, &flag, &message, &status);
    EXPECT(flag == 1 && message == MPI_MESSAGE_NO_PROC);
    empty(&status);
    status = fresh();
    MPI_Imrecv(in, 1, MPI_INT, &message, &request);
    EXPECT(message == MPI_MESSAGE_NULL);
    MPI_Wait(&request, &status);
    empty(&status);
}

static void nobody(void)
{
    int in = 9;
    nobody_now(&in);
    nobody_later(&in);
    nobody_claimed(&in);
    EXPECT(in == 9);
}

/* ---- grids ----------------------------------------------------------------------------------- */

/* The least difference between the largest and the smallest of k factors of n that are `from` or
 * more; `first` is the smallest one, or 0 while there is none. */
static int closest(int n, int k, int from, int first)
{
    int best = INT_MAX;
    if (k == 1) {
        return n >= from ? n - (first > 0 ? first : n) : INT_MAX;
    }
    for (int d = from; d <= n; d++) {
        int apart = n % d == 0 ? closest(n / d, k - 1, d, first > 0 ? first : d) : INT_MAX;
        best = apart < best ? apart : best;
    }
    return best;
}

/* The sides of the grid are as close to each other as can be; where that leaves a choice the
 * shortest one is as long as it can be, then the second shortest, and so on. */
static void grids(void)
{
    static const struct {
        int n, dims, want[5];
    } grid[] = {{72, 2, {9, 8}},         {1620, 3, {15, 12, 9}},
                {2400, 3, {16, 15, 10}}, {12, 3, {3, 2, 2}},
                {7, 3, {7, 1, 1}},       {1, 2, {1, 1}},
                {64, 4, {4, 4, 2, 2}},   {1000003, 2, {1000003, 1}},
                {5040, 3, {21, 16, 15}}, {98784, 5, {14, 14, 9, 8, 7}}};
    /* The numbers below 2^31 with the most divisors, with large primes, and powers. */
    static const int large[] = {2095133040, 2147483647, 2147395600, 1073741824, 2000006000};
    int dims[40] = {0, 4, 0};
    MPI_Dims_create(144, 3, dims);
    EXPECT(dims[0] == 6 && dims[1] == 4 && dims[2] == 6);
    for (size_t i = 0; i < sizeof(grid) / sizeof(grid[0]); i++) {
        memset(dims, 0, sizeof(dims));
        MPI_Dims_create(grid[i].n, grid[i].dims, dims);
        for (int k = 0; k < grid[i].dims; k++) {
            EXPECT(dims[k] == grid[i].want[k]);
        }
    }
    for (int n = 1; n <= 400; n++) {
        for (int k = 1; k <= 5; k++) {
            memset(dims, 0, sizeof(dims));
            MPI_Dims_create(n, k, dims);
            EXPECT(dims[0] - dims[k - 1] == closest(n, k, 1, 0));
        }
    }
    for (size_t i = 0; i < sizeof(large) / sizeof(large[0]); i++) {
        for (int n = 1; n <= 40; n++) {
            long long product = 1;
            memset(dims, 0, sizeof(dims));
            MPI_Dims_create(large[i], n, dims);
            for (int k = 0; k < n; k++) {
                EXPECT(k == 0 || dims[k] <= dims[k - 1]);
                product *= dims[k];
            }
            EXPECT(product == large[i]);
        }
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    infos();
    own_names();
    names();
    odd_numbers();
    keys();
    copies();
    statuses();
    nobody();
    grids();
    if (rank == 0) {
        printf("MT-OK mpi_objects checks=%d\n", checks);
    }
    MPI_Finalize();
    return 0;
}
