# SPDX-License-Identifier: BSD-3-Clause
"""What Python programs do with MPI, each result checked: pickled objects, buffers, collectives, one-sided, threads.

Run by tests/mpi/real with two processes or more. Needs mpi4py and nothing else.
--one-thread starts MPI without support for threads; --without PART leaves a part out.
"""

import array
import sys
import threading
import zlib

import mpi4py

if "--one-thread" in sys.argv:
    mpi4py.rc.threads = False
from mpi4py import MPI  # noqa: E402

world = MPI.COMM_WORLD
rank, size = world.Get_rank(), world.Get_size()
right, left = (rank + 1) % size, (rank - 1) % size
checks = 0


def check(good, what):
    global checks
    checks += 1
    if not good:
        print(f"rank {rank}: {what}", flush=True)
        world.Abort(1)


def content(seed, length):
    """Bytes that depend on the seed at every place."""
    word = zlib.crc32(str(seed).encode()).to_bytes(4, "little")
    period = bytes((b + i) % 251 for i in range(997) for b in word)
    return (period * (length // len(period) + 1))[:length]


def pickles():
    for length in (0, 1, 100, 4000, 4096, 70000, 1 << 20, 5 << 20):
        mine = {"from": rank, "data": content(rank, length), "list": list(range(length % 100))}
        request = world.isend(mine, dest=right, tag=7)
        got = world.recv(source=left, tag=7)
        request.wait()
        check(got["from"] == left and got["data"] == content(left, length), f"object of {length} bytes")
    many = [world.isend((rank, i, "x" * (i * 37 % 500)), dest=right, tag=i) for i in range(300)]
    for i in reversed(range(300)):
        check(world.recv(source=left, tag=i) == (left, i, "x" * (i * 37 % 500)), f"object {i} of many")
    MPI.Request.waitall(many)


def buffers():
    for length in (1, 65, 4095, 4097, 65537, 3 << 20):
        out, into = bytearray(content(rank, length)), bytearray(length)
        status = MPI.Status()
        world.Sendrecv(out, right, 3, into, left, 3, status)
        check(status.Get_count(MPI.BYTE) == length and into == content(left, length), f"buffer of {length}")
    persistent_out, persistent_in = bytearray(5000), bytearray(5000)
    requests = [world.Send_init(persistent_out, right, 9), world.Recv_init(persistent_in, left, 9)]
    for i in range(20):
        persistent_out[:] = content((rank, i), 5000)
        MPI.Prequest.Startall(requests)
        MPI.Request.Waitall(requests)
        check(persistent_in == content((left, i), 5000), f"persistent message {i}")
    [r.Free() for r in requests]


def probes():
    sends = [world.isend(content((rank, r), 1000 + 10 * rank), dest=r, tag=100 + rank) for r in range(size)]
    seen = set()
    for _ in range(size):
        status = MPI.Status()
        message = world.mprobe(tag=MPI.ANY_TAG, source=MPI.ANY_SOURCE, status=status)
        source = status.Get_source()
        check(status.Get_tag() == 100 + source, "tag of a probed object")
        check(message.recv() == content((source, rank), 1000 + 10 * source), f"probed object from {source}")
        seen.add(source)
    check(len(seen) == size, "one object from each rank")
    MPI.Request.waitall(sends)


def objects_together():
    for root in range(size):
        check(world.bcast({"root": root} if rank == root else None, root=root) == {"root": root}, "bcast")
        got = world.gather((rank, "x" * 100 * rank), root=root)
        check(rank != root or got == [(r, "x" * 100 * r) for r in range(size)], "gather")
        got = world.scatter([(root, r) for r in range(size)] if rank == root else None, root=root)
        check(got == (root, rank), "scatter")
    check(world.allgather(str(rank)) == [str(r) for r in range(size)], "allgather")
    check(world.alltoall([(rank, r) for r in range(size)]) == [(r, rank) for r in range(size)], "alltoall")
    check(world.allreduce(rank + 1) == size * (size + 1) // 2, "allreduce")
    check(world.allreduce([rank], op=MPI.SUM) == list(range(size)), "allreduce of lists")
    check(world.scan(rank + 1) == (rank + 1) * (rank + 2) // 2, "scan")
    check(world.exscan(rank + 1) == (rank * (rank + 1) // 2 if rank else None), "exscan")


def buffers_together():
    for count in (1, 100, 5000, 100000):
        mine = array.array("q", (rank * 10 + i for i in range(count)))
        total = array.array("q", [0]) * count
        world.Allreduce(mine, total, op=MPI.SUM)
        want = array.array("q", (5 * size * (size - 1) + size * i for i in range(count)))
        check(total == want, f"Allreduce of {count}")
        request = world.Iallreduce(MPI.IN_PLACE, mine, op=MPI.MAX)
        request.Wait()
        check(mine == array.array("q", ((size - 1) * 10 + i for i in range(count))), f"Iallreduce of {count}")
        everything = array.array("q", [0]) * (count * size)
        world.Allgather(array.array("q", [rank]) * count, everything)
        check(all(everything[r * count + count - 1] == r for r in range(size)), f"Allgather of {count}")


def datatypes():
    """Every second double of one side into the first half of the other."""
    kind = MPI.DOUBLE.Create_vector(1000, 1, 2).Commit()
    out = array.array("d", (rank * 1e4 + i for i in range(2000)))
    into = array.array("d", [0.0]) * 1000
    world.Sendrecv([out, 1, kind], right, 5, [into, 1000, MPI.DOUBLE], left, 5)
    check(list(into) == [left * 1e4 + 2 * i for i in range(1000)], "strided doubles")
    kind.Free()


def windows():
    memory = MPI.Alloc_mem(8 * 1000)
    window = MPI.Win.Create(memory, 8, comm=world)
    # kept until the fence: the one-sided calls only remember where it is
    numbers = array.array("q", (rank * 1000 + i for i in range(1000)))
    window.Fence()
    window.Put(numbers, right)
    window.Fence()
    got = array.array("q", bytes(memory))
    check(list(got) == [left * 1000 + i for i in range(1000)], "Put")
    window.Fence()
    window.Get(got, right)
    window.Fence()
    check(list(got) == [rank * 1000 + i for i in range(1000)], "Get of what was put")
    if rank == 0:
        zero = array.array("q", [0])
        window.Lock(0, MPI.LOCK_EXCLUSIVE)
        window.Put(zero, 0)
        window.Unlock(0)
    world.Barrier()
    one, ticket, tickets = array.array("q", [1]), array.array("q", [0]), []
    window.Lock_all()
    for _ in range(50):
        window.Fetch_and_op(one, ticket, 0, 0, MPI.SUM)
        window.Flush(0)
        tickets.append(ticket[0])
    window.Unlock_all()
    everyone = sorted(t for part in world.allgather(tickets) for t in part)
    check(everyone == list(range(50 * size)), "tickets by Fetch_and_op")
    window.Free()
    MPI.Free_mem(memory)


def threads():
    """Several Python threads, each with a communicator of its own."""
    if MPI.Query_thread() < MPI.THREAD_MULTIPLE:
        return
    comms = [world.Dup() for _ in range(4)]
    wrong = []

    def talk(comm, number):
        for i in range(50):
            got = comm.sendrecv((rank, number, i, b"y" * (i * 400)), right, 1, None, left, 1)
            if got != (left, number, i, b"y" * (i * 400)):
                wrong.append((number, i))

    running = [threading.Thread(target=talk, args=(c, n)) for n, c in enumerate(comms)]
    [t.start() for t in running]
    [t.join() for t in running]
    check(not wrong, f"messages of threads: {wrong[:3]}")
    [c.Free() for c in comms]


def topology():
    grid = world.Create_cart(MPI.Compute_dims(size, 2), periods=[True, True])
    low, high = grid.Shift(0, 1)
    check(grid.sendrecv(grid.Get_rank(), high, 2, None, low, 2) == low, "grid neighbour")
    grid.Free()
    half = world.Split(rank % 2, -rank)
    check(half.allreduce(1) == len(range(rank % 2, size, 2)), "size of a half")
    half.Free()


for part in (pickles, buffers, probes, objects_together, buffers_together, datatypes, windows, threads, topology):
    if part.__name__ in sys.argv:
        continue
    part()
    world.Barrier()
total = world.reduce(checks)
if rank == 0:
    print(f"all {total} checks passed")
