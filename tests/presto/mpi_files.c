/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Covers: presto/io/data.c open.c aggregate.c exchange.c
 *
 * Files where something goes wrong below: a full disk, a quota, an error of the device, a signal in
 * the middle, no rights. An error is told to whom it concerns, and nothing that was cut short is a
 * success. The calls of the system are this program's, which fail as each case wants it.
 *
 * With "kill FILE" rank 1 is killed in the middle of writing what others have sent it; "look FILE"
 * says whether each byte of the file is the right one or was not written; "full FILE" fills the
 * file system.
 */
#include "mt.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/fsuid.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

enum {
    EACH = 40000, /* bytes of a rank */
    BLOCK = 100,  /* of them at once, in files that go by others */
    ROOM = 4000   /* bytes that are written before it fails */
};

static char path[4096];
static struct stat target; /* of the file; others are left alone */

/* What the calls of the system do in this rank. */
static struct {
    bool interrupted; /* each second time, and moves little otherwise */
    int error;        /* when so many bytes have been written; 0: none */
    size_t room;
    int sync;  /* what fsync ends with */
    int kills; /* the rank, in the so many-th write; 0: never */
} fault;
static size_t written;
static unsigned calls;

static bool is_target(int fd)
{
    struct stat stat;
    return fstat(fd, &stat) == 0 && stat.st_ino == target.st_ino && stat.st_dev == target.st_dev;
}

/* How much of a call is done; < 0: nothing, but errno. */
static ssize_t allowed(bool write, size_t count)
{
    calls++;
    if (fault.interrupted) {
        if (calls % 2 == 0) {
            errno = EINTR;
            return -1;
        }
        count = count < 777 ? count : 777;
    }
    if (write && fault.error != 0) {
        if (written >= fault.room) {
            errno = fault.error;
            return -1;
        }
        count = count < fault.room - written ? count : fault.room - written;
    }
    return (ssize_t)count;
}

/* Instead of the C library's, for Presto's library, too. */
ssize_t pwrite(int fd, const void *bytes, size_t count, off_t at)
{
    ssize_t n = (ssize_t)count;
    if (is_target(fd)) {
        n = allowed(true, count);
    }
    if (n < 0) {
        return n;
    }
    bool last = fault.kills > 0 && --fault.kills == 0;
    n = syscall(SYS_pwrite64, fd, bytes, last ? (size_t)n / 2 : (size_t)n, at);
    if (last) {
        raise(SIGKILL);
    }
    written += n > 0 ? (size_t)n : 0;
    return n;
}

ssize_t pread(int fd, void *bytes, size_t count, off_t at)
{
    ssize_t n = (ssize_t)count;
    if (is_target(fd)) {
        n = allowed(false, count);
    }
    return n < 0 ? n : syscall(SYS_pread64, fd, bytes, (size_t)n, at);
}

int posix_fallocate(int fd, off_t at, off_t count)
{
    if (fault.interrupted && is_target(fd) && ++calls % 2 == 0) {
        return EINTR;
    }
    return syscall(SYS_fallocate, fd, 0, at, count) == 0 ? 0 : errno;
}

int fsync(int fd)
{
    if (fault.sync != 0 && is_target(fd)) {
        errno = fault.sync;
        return -1;
    }
    return (int)syscall(SYS_fsync, fd);
}

/* ---- files ---- */

static unsigned char byte_of(int rank, size_t i)
{
    return (unsigned char)(1 + (i * 7 + i / 251 + (size_t)rank * 31) % 255);
}

static unsigned char *data_of(int rank)
{
    unsigned char *data = malloc(EACH);
    for (size_t i = 0; i < EACH; i++) {
        data[i] = byte_of(rank, i);
    }
    return data;
}

static MPI_File open_new(const char *hint, const char *value)
{
    MPI_File file;
    MPI_Info info;
    MPI_Info_create(&info);
    MPI_Info_set(info, "romio_cb_write", "enable");
    MPI_Info_set(info, "romio_cb_read", "enable");
    MPI_Info_set(info, hint, value);
    mt_ok(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, info, &file));
    mt_equal(stat(path, &target), 0, "the file");
    MPI_Info_free(&info);
    MPI_Barrier(MPI_COMM_WORLD);
    return file;
}

static void close_all(MPI_File file)
{
    memset(&fault, 0, sizeof(fault));
    mt_close_and_delete(file, path);
}

/* Blocks of the ranks in turns. */
static void view_blocks(MPI_File file)
{
    MPI_Datatype type;
    MPI_Type_vector(EACH / BLOCK, BLOCK, BLOCK * mt_size, MPI_BYTE, &type);
    MPI_Type_commit(&type);
    mt_ok(MPI_File_set_view(file, (MPI_Offset)BLOCK * mt_rank, MPI_BYTE, type, "native",
                            MPI_INFO_NULL));
    MPI_Type_free(&type);
}

/* ---- what is interrupted goes on ---- */

static void write_and_read(MPI_File file, bool all)
{
    unsigned char *data = data_of(mt_rank), *read = calloc(EACH, 1);
    MPI_Status status;
    MPI_Offset at = all ? 0 : (MPI_Offset)EACH * mt_rank;
    mt_ok(all ? MPI_File_write_at_all(file, at, data, EACH, MPI_BYTE, &status)
              : MPI_File_write_at(file, at, data, EACH, MPI_BYTE, &status));
    mt_equal(mt_bytes(&status), EACH, "bytes written");
    MPI_Barrier(MPI_COMM_WORLD);
    mt_ok(all ? MPI_File_read_at_all(file, at, read, EACH, MPI_BYTE, &status)
              : MPI_File_read_at(file, at, read, EACH, MPI_BYTE, &status));
    mt_equal(mt_bytes(&status), EACH, "bytes read");
    mt_check(memcmp(data, read, EACH) == 0, "what was read");
    memset(read, 0, EACH);
    mt_ok(MPI_File_read_at(file, at, read, EACH, MPI_BYTE, &status));
    mt_equal(mt_bytes(&status), EACH, "bytes read by one");
    mt_check(memcmp(data, read, EACH) == 0, "what one has read");
    free(data);
    free(read);
}

static void interrupted(void)
{
    MPI_File file = open_new("romio_ds_read", "automatic");
    calls = 0;
    fault.interrupted = true;
    write_and_read(file, false);
    for (int i = 1; i < 3; i++) { /* one of the two is interrupted */
        mt_ok(MPI_File_preallocate(file, (MPI_Offset)EACH * (mt_size + i)));
    }
    view_blocks(file);
    write_and_read(file, true);
    mt_ok(MPI_File_set_atomicity(file, 1));
    write_and_read(file, true);
    mt_check(mt_rank != 0 || calls > 8 * EACH / 777, "the calls of the system are not these");
    close_all(file);
}

static volatile sig_atomic_t alarms;

static void on_alarm(int number)
{
    (void)number;
    alarms = alarms + 1;
}

/* By a clock that rings all the time, in whichever call. */
static void alarmed(void)
{
    struct sigaction action = {.sa_handler = on_alarm}, before; /* without SA_RESTART */
    struct itimerval often = {{0, 500}, {0, 500}}, never = {{0, 0}, {0, 0}};
    MPI_Offset size;
    int more = 1;
    sigaction(SIGALRM, &action, &before);
    setitimer(ITIMER_REAL, &often, NULL);
    for (int i = 0; more; i++) {
        MPI_File file = open_new("romio_cb_write", i % 2 == 0 ? "disable" : "enable");
        mt_ok(MPI_File_preallocate(file, 8 << 20));
        mt_ok(MPI_File_get_size(file, &size));
        mt_equal(size, 8 << 20, "the size");
        view_blocks(file);
        mt_ok(MPI_File_set_atomicity(file, i % 3 == 0));
        write_and_read(file, true);
        mt_ok(MPI_File_sync(file));
        close_all(file);
        more = i < 4 || alarms < 20;
        MPI_Bcast(&more, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
    setitimer(ITIMER_REAL, &never, NULL);
    sigaction(SIGALRM, &before, NULL);
}

/* ---- what cannot go on ---- */

static void fails_with(int error)
{
    memset(&fault, 0, sizeof(fault));
    fault.error = error;
    fault.room = ROOM;
    written = 0;
}

static void alone(int error, int class)
{
    unsigned char *data = data_of(mt_rank), *read = calloc(EACH, 1);
    MPI_File file = open_new("romio_ds_read", "automatic");
    MPI_Offset at = (MPI_Offset)EACH * mt_rank;
    MPI_Status status;
    MPI_Request request;
    fails_with(error);
    mt_class(MPI_File_write_at(file, at, data, EACH, MPI_BYTE, &status), class);
    mt_equal(mt_bytes(&status), ROOM, "bytes that are there");
    fails_with(error);
    mt_ok(MPI_File_iwrite_at(file, at, data, EACH, MPI_BYTE, &request));
    mt_class(MPI_Wait(&request, &status), class);
    mt_equal(mt_bytes(&status), ROOM, "bytes that are there, with a request");
    fails_with(error);
    mt_ok(MPI_File_seek(file, at, MPI_SEEK_SET));
    mt_class(MPI_File_write(file, data, EACH, MPI_BYTE, &status), class);
    fails_with(error);
    mt_class(MPI_File_write_shared(file, data, EACH, MPI_BYTE, &status), class);
    memset(&fault, 0, sizeof(fault));
    fault.sync = mt_rank == mt_size - 1 ? error : 0;
    mt_class(MPI_File_sync(file), class); /* in all ranks, though one has it */
    fault.sync = 0;
    mt_ok(MPI_File_write_at(file, at, data, EACH, MPI_BYTE, &status));
    mt_ok(MPI_File_read_at(file, at, read, EACH, MPI_BYTE, &status));
    mt_check(memcmp(data, read, EACH) == 0, "what is there when there is room again");
    close_all(file);
    free(data);
    free(read);
}

/* One rank lacks room for what it was sent, and all have the error. */
static void together(int error, int class)
{
    unsigned char *data = data_of(mt_rank);
    MPI_File file = open_new("cb_nodes", "1");
    MPI_Status status;
    view_blocks(file);
    for (int way = 0; way < 3; way++) {
        memset(&fault, 0, sizeof(fault));
        if (mt_rank == 0) {
            fails_with(error);
        }
        mt_ok(MPI_File_seek(file, 0, MPI_SEEK_SET));
        if (way == 0) {
            mt_class(MPI_File_write_at_all(file, 0, data, EACH, MPI_BYTE, &status), class);
        } else if (way == 1) {
            mt_class(MPI_File_write_all(file, data, EACH, MPI_BYTE, &status), class);
        } else {
            mt_ok(MPI_File_write_all_begin(file, data, EACH, MPI_BYTE));
            mt_class(MPI_File_write_all_end(file, data, &status), class);
        }
        mt_check(mt_bytes(&status) < EACH, "all bytes are there: %d", mt_bytes(&status));
    }
    close_all(file);
    free(data);
}

static void no_rights(void)
{
    MPI_File file;
    MPI_Status status;
    char byte = 'x';
    if (mt_rank == 0) {
        int made = open(path, O_CREAT | O_RDWR, 0600);
        mt_check(made >= 0 && fchmod(made, geteuid() == 0 ? 0600 : 0) == 0, "a file");
        close(made);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    /* One rank has no rights, and none has the file. */
    bool root = geteuid() == 0, poor = root && mt_rank == mt_size - 1;
    if (poor) {
        setfsuid(65534);
        mt_check(open(path, O_RDWR) < 0 && errno == EACCES, "this rank may still open the file");
    }
    mt_class(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDWR, MPI_INFO_NULL, &file),
             MPI_ERR_ACCESS);
    if (poor) {
        setfsuid(geteuid());
        prctl(PR_SET_DUMPABLE, 1); /* which that has taken away: for peers that read memory */
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (mt_rank == 0) {
        mt_equal(chmod(path, 0600), 0, "rights");
    }
    MPI_Barrier(MPI_COMM_WORLD);
    mt_ok(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDONLY, MPI_INFO_NULL, &file));
    mt_class(MPI_File_write_at(file, 0, &byte, 1, MPI_BYTE, &status), MPI_ERR_READ_ONLY);
    close_all(file);
}

/* ---- in several runs ---- */

static void kill_one(const char *name)
{
    unsigned char *data = data_of(mt_rank);
    snprintf(path, sizeof(path), "%s", name);
    MPI_File file = open_new("cb_buffer_size", "8192");
    view_blocks(file);
    fault.kills = mt_rank == 1 ? 3 : 0;
    (void)MPI_File_write_all(file, data, EACH, MPI_BYTE, MPI_STATUS_IGNORE);
    mt_check(false, "rank 1 has not been killed");
}

static void look(const char *name, int ranks)
{
    FILE *file = fopen(name, "r");
    size_t right = 0;
    int c;
    mt_check(file != NULL, "the file");
    for (size_t at = 0; (c = getc(file)) != EOF; at++) {
        size_t block = at / BLOCK;
        int rank = (int)(block % (size_t)ranks);
        size_t i = block / (size_t)ranks * BLOCK + at % BLOCK;
        mt_check(c == 0 || c == byte_of(rank, i), "byte %zu is %d", at, c);
        right += c != 0;
    }
    mt_check(right > 0 && right < (size_t)EACH * (size_t)ranks, "%zu bytes were written", right);
    fclose(file);
}

/* On a real file system with little room; some ranks may find enough. */
static void fill(const char *name)
{
    unsigned char *data = data_of(mt_rank);
    MPI_Status status;
    MPI_File file;
    int code, class = MPI_SUCCESS;
    snprintf(path, sizeof(path), "%s", name);
    file = open_new("cb_buffer_size", "65536");
    view_blocks(file);
    for (int i = 0; i < 100000 && class == MPI_SUCCESS; i++) {
        code = MPI_File_write_all(file, data, EACH, MPI_BYTE, &status);
        MPI_Error_class(code, &class);
        mt_check(code != MPI_SUCCESS || mt_bytes(&status) == EACH, "a success that was cut short");
    }
    mt_equal(class, MPI_ERR_NO_SPACE, "the class");
    mt_class(MPI_File_preallocate(file, (MPI_Offset)1 << 40), MPI_ERR_NO_SPACE);
    close_all(file);
    free(data);
}

int main(int argc, char **argv)
{
    static const int errors[][2] = {
        {ENOSPC, MPI_ERR_NO_SPACE}, {EDQUOT, MPI_ERR_QUOTA}, {EIO, MPI_ERR_IO}};
    mt_init(&argc, &argv);
    if (argc > 2) {
        if (strcmp(argv[1], "kill") == 0) {
            kill_one(argv[2]);
        } else if (strcmp(argv[1], "look") == 0 && argc > 3) {
            look(argv[2], atoi(argv[3]));
        } else {
            fill(argv[2]);
        }
        return mt_finish();
    }
    mt_path(path, sizeof(path), NULL, "mpi_files");
    interrupted();
    alarmed();
    for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
        alone(errors[i][0], errors[i][1]);
        together(errors[i][0], errors[i][1]);
    }
    no_rights();
    return mt_finish();
}
