# SPDX-License-Identifier: BSD-3-Clause
"""What Python programs do with MPI: objects of all sizes, buffers, collectives, windows. Each result is checked."""

import array
import hashlib

from mpi4py import MPI
from mpi4py.util import pkl5

world = MPI.COMM_WORLD
rank, size = world.Get_rank(), world.Get_size()


def payload(seed, length):
    """Bytes that depend on seed, the same in every process."""
    block = hashlib.sha256(str(seed).encode()).digest()
    return (block * (length // len(block) + 1))[:length]


def objects(comm):
    """Objects from a few bytes to some megabytes, to the right and from the left."""
    right, left = (rank + 1) % size, (rank - 1) % size
    for length in (0, 1, 100, 4000, 5000, 70000, 1 << 20, 3 << 20):
        mine = {"from": rank, "data": payload(rank, length)}
        request = comm.isend(mine, right, tag=length % 1000)
        got = comm.recv(source=left, tag=length % 1000)
        request.wait()
        assert got == {"from": left, "data": payload(left, length)}, length


def any_source():
    """Everyone sends to rank 0, which probes for what comes and learns from whom it came."""
    if rank:
        world.send(payload(rank, 1000 * rank), dest=0, tag=rank)
        return
    seen = set()
    status = MPI.Status()
    for _ in range(1, size):
        message = world.mprobe(source=MPI.ANY_SOURCE, tag=MPI.ANY_TAG, status=status)
        data = message.recv()
        assert data == payload(status.Get_source(), 1000 * status.Get_tag())
        seen.add(status.Get_source())
    assert seen == set(range(1, size))


def collectives():
    """The collective operations on buffers, with sizes on both sides of the usual thresholds."""
    for count in (1, 7, 1000, 200000):
        values = array.array("q", [rank + i for i in range(count)])
        total = array.array("q", bytes(8 * count))
        world.Allreduce([values, MPI.INT64_T], [total, MPI.INT64_T], op=MPI.SUM)
        base = size * (size - 1) // 2
        assert total == array.array("q", [base + size * i for i in range(count)])

        everyone = array.array("q", bytes(8 * count * size))
        world.Allgather([values, MPI.INT64_T], [everyone, MPI.INT64_T])
        assert all(everyone[r * count] == r for r in range(size))

    row = [(rank, column) for column in range(size)]
    assert world.alltoall(row) == [(other, rank) for other in range(size)]
    assert world.bcast(payload(9, 300000) if rank == 0 else None) == payload(9, 300000)
    assert world.reduce(rank, op=MPI.MAX, root=0) == (size - 1 if rank == 0 else None)
    assert world.scan(1) == rank + 1


def windows():
    """Put, get and fetch-and-add on a window that MPI allocates."""
    window = MPI.Win.Allocate(8 * (size + 1), 8, comm=world)
    local = memoryview(window.tomemory()).cast("q")
    for i in range(size + 1):
        local[i] = -1 if i < size else 0
    world.Barrier()
    window.Lock_all()
    mine = array.array("q", [100 + rank])
    for target in range(size):
        window.Put([mine, MPI.INT64_T], target, target=[rank, 1, MPI.INT64_T])
    one, before = array.array("q", [1]), array.array("q", [0])
    for _ in range(50):
        window.Fetch_and_op([one, MPI.INT64_T], [before, MPI.INT64_T], 0, size, MPI.SUM)
    window.Flush_all()
    world.Barrier()
    fetched = array.array("q", bytes(8 * (size + 1)))
    window.Get([fetched, MPI.INT64_T], 0, target=[0, size + 1, MPI.INT64_T])
    window.Flush(0)
    window.Unlock_all()
    assert list(fetched[:size]) == [100 + r for r in range(size)], list(fetched)
    assert fetched[size] == 50 * size, fetched[size]
    world.Barrier()
    window.Free()


objects(world)
objects(pkl5.Intracomm(world))
any_source()
collectives()
windows()
world.Barrier()
if rank == 0:
    print(f"{size} processes: all as expected")
