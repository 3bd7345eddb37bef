# SPDX-License-Identifier: BSD-3-Clause
"""What can be compared: benchmarks, transports and machine states, each one row of data."""

from dataclasses import dataclass

from .apps import HPCC_INPUT, LAMMPS_INPUT

K = 1024
M = 1024 * 1024


@dataclass(frozen=True)
class Bench:
    """One measurement: a program, its arguments, and the number of its output that counts."""

    key: str
    program: str
    args: tuple = ()
    sizes: tuple = ()  # default sizes in bytes; empty: the program has no option for them
    column: int = 1  # of a table row, counted from 0; the size is column 0
    style: str = "table"  # how the output is read: table, single, init, memory, match, lists, wall, told or named, see parse.py
    pick: tuple = ()  # style match: which lines, by their first fields; style named: what is before the number
    unit: str = "us"
    better: str = "lower"  # or "higher"
    ranks: int = 2
    any_ranks: bool = False  # --np may change the number of ranks
    onesided: bool = False  # needs the transport's one-sided options
    launcher: str = "mpi"  # or "perf": runs without MPI, under transports of that launcher only
    native: str = ""  # the program with Presto's native interface, if there is one
    size_option: str = "-m"  # the option that takes the list of sizes
    plain: bool = False  # the program has no options for sizes, digits and cores
    axis: str = "message, bytes"  # what a size is
    base: bool = False  # each run measures size 0 as well, and the other sizes are compared with it
    package: str = ""  # Debian's, of a program that is not ours: it is looked for in PATH and uses Open MPI
    inputs: tuple = ()  # (name, text) of files in a folder of its own, where it runs; {ranks} is their number
    output: str = ""  # the file there that it writes; empty: its standard output
    sound: str = ""  # style named: a line without which the program has failed
    group: str = ""  # a name for several rows together, for --bench
    what: str = ""

    @property
    def label(self):
        """For tables and plots."""
        extra = " ".join(self.args)
        return f"{self.key}: {self.program} {extra}".rstrip()


_ONE = {"onesided": True}
_COLLECTIVE = {"any_ranks": True}
# Ranks that share cores take turns of milliseconds where an MPI spins, so there are fewer iterations.
_EIGHT = {"any_ranks": True, "ranks": 8, "args": ("-i", "400", "-x", "40")}
_RATE = {"unit": "messages/s", "better": "higher"}
_BW = {"unit": "MB/s", "better": "higher"}

_DEEP = {"sizes": (0, 10, 100, 1000, 10000), "size_option": "-d", "axis": "depth", "base": True,
         "group": "deep"}


def _deep_queues():
    """A row for each kind of queue, each order and each share of wildcards; the size is the depth."""
    rows = []
    for queue, what in (("posted", "posted receives"), ("unexpected", "unexpected messages")):
        for order, entry in (("forward", "the oldest"), ("reverse", "the newest"), ("random", "any")):
            for wild, ending, remark in (("0", "", ""), ("10", "_wild", ", 10 % wildcards")):
                rows.append(Bench(f"deep_{queue}_{order}{ending}", "osu_deep_queue",
                                  ("-q", queue, "-o", order, "-a", wild, "-x", "1000"), **_DEEP,
                                  what=f"ping-pong with so many {what}, of which {entry} is matched{remark}"))
    return tuple(rows)


_PATTERNS = (
    ("exch", "MPI_Sendrecv with each other"),
    ("ring", "2 MPI_Irecv, 2 MPI_Isend, MPI_Waitall"),
    ("halo6", "6 MPI_Irecv, 6 MPI_Isend, MPI_Waitall"),
    ("pers", "the same with persistent requests"),
    ("any", "8 receives from any source, MPI_Testany"),
    ("late", "4 messages sent before 4 are received, last first"),
)


def _patterns():
    """A row for each pattern of messages, of which one step is timed."""
    return tuple(Bench(f"patterns_{key}", "osu_patterns", ("-P", key), sizes=(8, 64, 512, 4 * K), any_ranks=True,
                       group="patterns", what=what) for key, what in _PATTERNS)


_OVERHEAD = {"group": "overhead", "sizes": (8, 4 * K)}


def _overhead():
    """A row for each kind of call, for what stands between the program and its transport."""
    return (
        Bench("overhead_send", "osu_send", **_OVERHEAD, what="MPI_Send itself, at the sender"),
        Bench("overhead_pingpong", "osu_latency", **_OVERHEAD, what="blocking ping-pong, one way"),
        Bench("overhead_bcast", "osu_bcast", **_OVERHEAD, **_COLLECTIVE, what="broadcast"),
        Bench("overhead_alltoall", "osu_alltoall", **_OVERHEAD, **_COLLECTIVE, what="all-to-all"),
        Bench("overhead_put", "osu_put_latency", ("-w", "create"), **_OVERHEAD, **_ONE, what="put, created window"),
        Bench("overhead_get", "osu_get_latency", ("-w", "create"), **_OVERHEAD, **_ONE, what="get, created window"),
    )


_SYNC = {"style": "named", "sound": "# Window: .*", "plain": True, "any_ranks": True, "group": "sync"}


def _sync():
    """A row for each synchronisation of a window of each flavour."""
    return tuple(Bench(f"sync_{way}_{kind}", "osu_win_sync", ("-w", kind), pick=(f"{way} ",), **_SYNC,
                       what=f"{what}, {flavour} window")
                 for kind, flavour in (("allocate", "allocated"), ("create", "created"), ("shared", "shared"))
                 for way, what in (("fence", "fence"), ("pscw", "post, start, complete and wait with both neighbours"),
                                   ("lock", "exclusive lock that all want, with a put of 8 bytes")))


_PEERS = {"program": "osu_peers", "size_option": "-N", "axis": "sleeping ranks", "base": True,
          "group": "peers"}

_MATCH = {"program": "ni_match_list", "args": ("--csv", "--lists=1"), "launcher": "perf", "plain": True,
          "style": "match", "axis": "entries", "unit": "ns"}

# The size of the problem is the default: less than a second on two processes. --check 0 leaves the check out.
_EXAMPLE = {"args": ("--time", "1", "--check", "0"), "style": "told", "unit": "ms", "plain": True, "any_ranks": True,
            "group": "examples"}


def _examples():
    """A row for each program in examples/."""
    return tuple(Bench(name, name, **_EXAMPLE, what="run time of the example, without start and check")
                 for name in ("spin_glass", "bfs_rmat", "spiking", "cg_lattice", "jacobi_heat"))


_HPCC = {"program": "hpcc", "package": "hpcc", "inputs": (("hpccinf.txt", HPCC_INPUT),), "output": "hpccoutf.txt",
         "style": "named", "sound": "Success=1", "plain": True, "any_ranks": True, "group": "apps"}

_LATENCY_SIZES = (8, 256, K, 4 * K, 16 * K, 64 * K, 256 * K, M, 4 * M)
_BW_SIZES = (64 * K, 256 * K, M, 4 * M)
_RMA_SIZES = (8, 4 * K, 64 * K)
_COLL_SIZES = (8, K, 64 * K)

BENCHES = (
    Bench("latency", "osu_latency", sizes=_LATENCY_SIZES, native="pr_latency", what="blocking ping-pong"),
    Bench("bw", "osu_bw", sizes=_BW_SIZES, **_BW, native="pr_bw", what="one way, 64 in flight"),
    Bench("bibw", "osu_bibw", sizes=_BW_SIZES, **_BW, what="both ways, 64 in flight each"),
    Bench("mbw_mr", "osu_mbw_mr", sizes=(8,), column=2, any_ranks=True, **_RATE,
          native="pr_mbw_mr", what="message rate"),
    Bench("multi_lat", "osu_multi_lat", sizes=(8, K), any_ranks=True,
          what="ping-pong of several pairs"),
    Bench("latency_mt", "osu_latency_mt", ("-t", "1:1"), sizes=(8, K),
          what="ping-pong under MPI_THREAD_MULTIPLE"),
    Bench("put_latency", "osu_put_latency", ("-w", "create"), sizes=_RMA_SIZES, **_ONE,
          what="put, created window"),
    Bench("get_latency", "osu_get_latency", ("-w", "create"), sizes=_RMA_SIZES, **_ONE,
          what="get, created window"),
    Bench("acc_latency", "osu_acc_latency", ("-w", "create"), sizes=(8,), **_ONE,
          what="accumulate of ints, created window"),
    Bench("fop_latency", "osu_fop_latency", ("-w", "create"), **_ONE,
          what="fetch-and-add of 8 bytes, created window"),
    Bench("fop_char_latency", "osu_fop_latency", ("-w", "create", "-T", "mpi_char"), **_ONE,
          what="fetch-and-add of 1 byte (the element that OSU 7 takes by default), created window"),
    Bench("cas_latency", "osu_cas_latency", ("-w", "create"), **_ONE,
          what="compare-and-swap of 8 bytes, created window"),
    Bench("put_latency_alloc", "osu_put_latency", ("-w", "allocate"), sizes=_RMA_SIZES, **_ONE,
          what="put, allocated window"),
    Bench("get_latency_alloc", "osu_get_latency", ("-w", "allocate"), sizes=_RMA_SIZES, **_ONE,
          what="get, allocated window"),
    Bench("fop_latency_alloc", "osu_fop_latency", ("-w", "allocate"), **_ONE,
          what="fetch-and-add of 8 bytes, allocated window"),
    Bench("put_bw", "osu_put_bw", ("-w", "create"), sizes=(64 * K, M), **_ONE, **_BW,
          what="puts, 64 in flight, created window"),
    Bench("get_bw", "osu_get_bw", ("-w", "create"), sizes=(64 * K, M), **_ONE, **_BW,
          what="gets, 64 in flight, created window"),
    Bench("allreduce", "osu_allreduce", sizes=_COLL_SIZES, **_COLLECTIVE, what="sum of floats"),
    Bench("barrier", "osu_barrier", style="single", **_COLLECTIVE, what="barrier"),
    Bench("bcast", "osu_bcast", sizes=_COLL_SIZES, **_COLLECTIVE, what="broadcast"),
    Bench("alltoall", "osu_alltoall", sizes=_COLL_SIZES, **_COLLECTIVE, what="all-to-all"),
    Bench("allreduce_8", "osu_allreduce", sizes=_COLL_SIZES, **_EIGHT, what="the same, 8 ranks"),
    Bench("barrier_8", "osu_barrier", style="single", **_EIGHT, what="the same, 8 ranks"),
    Bench("bcast_8", "osu_bcast", sizes=_COLL_SIZES, **_EIGHT, what="the same, 8 ranks"),
    Bench("alltoall_8", "osu_alltoall", sizes=_COLL_SIZES, **_EIGHT, what="the same, 8 ranks"),
    Bench("init", "osu_init", style="init", unit="ms", any_ranks=True, what="MPI_Init"),
    Bench("start", "osu_init", style="wall", unit="ms", plain=True, any_ranks=True, native="pr_empty",
          what="a program that only starts and ends, from the launcher's start to its end"),
    Bench("memory", "osu_init", ("-M", "-k"), style="memory", unit="KiB", any_ranks=True,
          what="proportional memory of a rank that has talked to all others"),
    Bench("memory_8", "osu_init", ("-M", "-k"), style="memory", unit="KiB", any_ranks=True,
          ranks=8, what="the same, 8 ranks"),
    *_deep_queues(),
    *_patterns(),
    *_overhead(),
    Bench("peers_31", sizes=(2, 31), ranks=33, **_PEERS,
          what="ping-pong of 8 bytes beside ranks that have talked to both and sleep"),
    Bench("peers_128", sizes=(128,), ranks=130, **_PEERS, what="the same, with 128 of them"),
    *_sync(),
    *_examples(),
    Bench("hpcc_random_access", **_HPCC, pick=("MPIRandomAccess_GUPs=",), unit="GUP/s", better="higher",
          what="HPCC: updates of random places in a table of all ranks"),
    Bench("hpcc_ring", **_HPCC, pick=("RandomlyOrderedRingLatency_usec=",),
          what="HPCC: latency of rings in random order, 8 bytes"),
    Bench("hpcc_fft", **_HPCC, pick=("MPIFFT_Gflops=",), unit="Gflop/s", better="higher",
          what="HPCC: Fourier transform of a vector of all ranks"),
    Bench("lammps", "lmp", ("-in", "in.fluid", "-log", "none"), package="lammps", style="named",
          inputs=(("in.fluid", LAMMPS_INPUT),), pick=("Loop time of ",), unit="s", plain=True, any_ranks=True,
          sound="Total wall time: .*", group="apps", what="LAMMPS: 500 steps of a fluid of 2048 atoms"),
    Bench("ni_latency", "apeni-perf", ("latency", "--link", "shm"), sizes=(8, 256, K),
          launcher="perf", what="one way over the network interface, without MPI"),
    Bench("ni_rate", "apeni-perf", ("rate", "--link", "shm"), sizes=(8,), launcher="perf",
          **_RATE, what="message rate over the network interface, without MPI"),
    Bench("ni_bw", "apeni-perf", ("bw", "--link", "shm"), sizes=(64 * K, M), launcher="perf",
          **_BW, what="bandwidth over the network interface, without MPI"),
    Bench("ni_search", "apeni-perf", ("search",), sizes=(32,), launcher="perf", unit="ns",
          what="search of the buffer table; the size is the number of entries"),
    Bench("ni_match", **_MATCH, pick=("search", "posted 1 mask", "next"),
          what="search of the match list for any of so many entries, warm"),
    Bench("ni_match_masks", **_MATCH, pick=("search", "posted 4 masks", "next"),
          what="the same with four ignore masks"),
    Bench("ni_match_renew", **_MATCH, pick=("renew", "posted 1 mask", "oldest"),
          what="removing and appending one of so many entries"),
    Bench("ni_match_lists", "ni_match_list", ("--csv", "--most=0"), launcher="perf", plain=True, style="lists",
          axis="entries", unit="times", better="higher",
          what="list benchmark: speed of the match list against a linear list of so many entries"),
)


@dataclass(frozen=True)
class Transport:
    """One way to carry messages: what the launcher is told."""

    key: str
    launcher: str  # "openmpi", "mpich", "presto", "native" or "perf"
    args: tuple = ()  # of the launcher
    osc: tuple = ()  # further ones for one-sided benchmarks
    what: str = ""
    components: tuple = ()  # of Open MPI, without which it cannot be: ("btl", "vader")
    between: tuple = None  # of mpirun, instead of args, between hosts; None: it does not leave its host


def _mca(*pairs):
    return tuple(word for name, value in pairs for word in ("--mca", name, value))


# The configuration file of Debian's Open MPI excludes pml ucx, osc ucx and osc pt2pt, and UCX 1.13 does not offer its
# transports to Open MPI on a host without an RDMA device unless told that any will do.
_UCX = _mca(("pml", "ucx"), ("pml_ucx_tls", "any"), ("pml_ucx_devices", "any"))
_UCX_TLS = ("-x", "UCX_TLS=posix,sysv,cma,self")
_UCX_BETWEEN = ("-x", "UCX_TLS=tcp,self")

# osc rdma over a BTL of one host: the component takes a BTL that has put, get, fetching atomics and global atomicity
# for all ranks by itself; its list osc_rdma_btls skips that test and is not needed on one host.
_RDMA = _mca(("osc", "rdma"))
_PT2PT = _mca(("osc", "pt2pt"))

_APELINK = _mca(("pml", "ob1"), ("btl", "apelink,self"))
_MATCH_MTL = _mca(("pml", "cm"), ("mtl", "match"))
_MATCH_PML = _mca(("pml", "match"))
_TCP = _mca(("pml", "ob1"), ("btl", "tcp,self"))

# What stands between a program and its transport. pml monitoring has to be in the list of PMLs.
_VADER_HOOKS = _mca(("pml", "ob1"), ("btl", "vader,self"), ("pml_hooks_enable", "1"), ("pml_hooks_output", ""))
_VADER_MONITORING = _mca(("pml", "ob1,monitoring"), ("btl", "vader,self"), ("pml_monitoring_enable", "1"))
_MATCH_HOOKS = _MATCH_MTL + _mca(("pml_hooks_enable", "1"), ("pml_hooks_output", ""))
_UCX_HOOKS = _UCX + _UCX_TLS + _mca(("pml_hooks_enable", "1"), ("pml_hooks_output", ""))
_UCX_MONITORING = _mca(("pml", "ucx,monitoring"), ("pml_ucx_tls", "any"), ("pml_ucx_devices", "any"), ("pml_monitoring_enable", "1")) + _UCX_TLS
_MATCH_MONITORING = _mca(("pml", "cm,monitoring"), ("mtl", "match"), ("pml_monitoring_enable", "1"))

TRANSPORTS = (
    Transport("vader", "openmpi", _mca(("pml", "ob1"), ("btl", "vader,self")), _RDMA,
              "Open MPI's own shared memory under pml ob1; one-sided: osc rdma", (("btl", "vader"),)),
    Transport("apelink", "openmpi", _APELINK, _RDMA,
              "the apelink BTL under pml ob1; one-sided: osc rdma", (("btl", "apelink"),), _APELINK),
    Transport("match", "openmpi", _MATCH_MTL, _PT2PT,
              "the match MTL under pml cm; one-sided: osc pt2pt", (("mtl", "match"), ("pml", "cm")), _MATCH_MTL),
    Transport("pml-match", "openmpi", _MATCH_PML, _PT2PT,
              "the match PML, without pml cm; one-sided: osc pt2pt", (("pml", "match"),), _MATCH_PML),
    Transport("apelink-both", "openmpi", _APELINK + _mca(("btl_apelink_links", "both")), _RDMA,
              "the same on one host, with the link to other hosts open as well", (("btl", "apelink"),)),
    Transport("match-both", "openmpi", _MATCH_MTL + _mca(("mtl_match_links", "both")), _PT2PT,
              "likewise", (("mtl", "match"), ("pml", "cm"))),
    Transport("vader-hooks", "openmpi", _VADER_HOOKS, _RDMA,
              "vader with pml_hooks, which records", (("btl", "vader"), ("hook", "apelink"))),
    Transport("vader-monitoring", "openmpi", _VADER_MONITORING, _RDMA,
              "vader with Open MPI's pml monitoring", (("btl", "vader"), ("pml", "monitoring"))),
    Transport("match-hooks", "openmpi", _MATCH_HOOKS, _PT2PT,
              "match with pml_hooks", (("mtl", "match"), ("pml", "cm"), ("hook", "apelink"))),
    Transport("match-monitoring", "openmpi", _MATCH_MONITORING, _PT2PT,
              "match with pml monitoring", (("mtl", "match"), ("pml", "cm"), ("pml", "monitoring"))),
    Transport("ucx-hooks", "openmpi", _UCX_HOOKS, _mca(("osc", "ucx")),
              "ucx with pml_hooks", (("pml", "ucx"), ("hook", "apelink"))),
    Transport("ucx-monitoring", "openmpi", _UCX_MONITORING, _mca(("osc", "ucx")),
              "ucx with pml monitoring", (("pml", "ucx"), ("pml", "monitoring"))),
    Transport("tcp", "openmpi", _TCP, _PT2PT,
              "Open MPI's TCP over the loopback; one-sided: osc pt2pt", (("btl", "tcp"),), _TCP),
    Transport("ucx", "openmpi", _UCX + _UCX_TLS, _mca(("osc", "ucx")),
              "pml ucx over shared memory and CMA; one-sided: osc ucx", (("pml", "ucx"),), _UCX + _UCX_BETWEEN),
    Transport("mpich", "mpich", (), (), "MPICH, with programs that were compiled for it"),
    Transport("presto", "presto", (), (), "prestorun, with programs that prestocc compiled (build-presto)", between=()),
    Transport("native", "native", (), (), "prestorun, with programs that use Presto's native interface", between=()),
    Transport("ni", "perf", (), (), "apeni-perf: the network interface itself, without MPI"),
)

DEFAULT_TRANSPORTS = ("vader", "apelink", "match", "tcp", "ucx", "mpich", "presto", "native", "ni")
# Between hosts; the first one is what ratios refer to.
BETWEEN_TRANSPORTS = ("tcp", "ucx", "apelink", "match", "presto", "native")
DEFAULT_BENCHES = ("latency", "bw", "mbw_mr")


@dataclass(frozen=True)
class State:
    """A class of one-way times of a cache line between the two cores, low <= ns < high."""

    key: str
    low: float
    high: float
    what: str


STATES = (
    State("shared", 0, 30, "the two cores share a core: below 30 ns"),
    State("near", 30, 80, "30 to 80 ns"),
    State("between", 80, 120, "80 to 120 ns: neither near nor far"),
    State("far", 120, float("inf"), "120 ns and more"),
)
# States that a sample gets when it has no single class.
MIXED = "mixed"  # before and after differ
BUSY = "busy"  # something else ran on the cores while the line was measured
UNKNOWN = "unknown"  # the line was not measured
ALL_STATES = tuple(state.key for state in STATES) + (MIXED, BUSY, UNKNOWN)


def add_transport(key, args):
    """A transport of the user's own, of which Open MPI's mpirun is told args. Returns its row."""
    global TRANSPORTS  # pylint: disable=global-statement
    transport = Transport(key, "openmpi", tuple(args), (), "the user's own", between=tuple(args))
    TRANSPORTS += (transport,)
    return transport


def bench_by_key(key):
    """The row of a benchmark, by key or, for the first one, by the name of its program."""
    for bench in BENCHES:
        if key in (bench.key, bench.program):
            return bench
    raise KeyError(key)


def benches_by_key(key):
    """The row of a benchmark, or all rows of a group."""
    return [bench for bench in BENCHES if bench.group and bench.group == key] or [bench_by_key(key)]


def transport_by_key(key):
    """The row of a transport."""
    for transport in TRANSPORTS:
        if transport.key == key:
            return transport
    raise KeyError(key)
