# SPDX-License-Identifier: BSD-3-Clause
"""Command lines: where programs are, and how each transport starts them."""

import os
import shutil
import subprocess
from dataclasses import dataclass, field

from . import tables
from .parse import format_size


class NotHere(Exception):
    """Something is not installed; the text says what, and what to do."""


@dataclass
class Setup:
    """What the user chose, apart from what is compared."""

    programs: list  # directories in which benchmark programs are looked for
    bin_folder: str = ""  # where apeni-perf was installed, "" if not known
    component_path: str = ""  # a directory with Open MPI components
    cores: tuple = (0, 1)
    core_count: int = 2
    mpirun_args: list = field(default_factory=list)
    bench_args: list = field(default_factory=list)
    digits: int = 4
    default_cores: bool = True  # cores were not given by the user
    hosts: int = 0  # on which ranks take turns; 0: one, without those of apelink-hosts


def find_program(name, setup, subfolder=""):
    """The path of a benchmark program; subfolder is "mpich" or "presto" for those compiled for these."""
    for folder in setup.programs:
        path = os.path.join(folder, subfolder, name)
        if os.path.isfile(path) and os.access(path, os.X_OK):
            return path
    where = ", ".join(os.path.join(folder, subfolder) for folder in setup.programs)
    raise NotHere(f"{name} not found in {where}; build it, or name its directory with --programs")


def find_perf(name, setup):
    """The path of a program that runs without MPI: beside the others, where it was installed, or in PATH."""
    try:
        return find_program(name, setup)
    except NotHere as error:
        path = shutil.which(name, path=setup.bin_folder) if setup.bin_folder else None
        path = path or shutil.which(name)
        if path is None:
            raise NotHere(f"{error}, or put it into PATH") from None
        return path


def installed_bin(here):
    """
    The folder with the installation's commands, for a runner that lies in the folder here. Its launcher names it in the
    environment; who starts the runner itself gets the bin beside the folder of libraries. "" in a source tree.
    """
    named = os.environ.get("APELINK_BIN_DIR", "")
    if named:
        return named
    parent, last = os.path.split(here)
    if (os.path.basename(parent), last) != ("apelink", "osu"):
        return ""
    while parent != os.path.dirname(parent):
        parent = os.path.dirname(parent)
        folder = os.path.join(parent, "bin")
        if os.path.exists(os.path.join(folder, "apelink-compare")):
            return folder
    return ""


def built_components(build):
    """Folders with the components of a build folder, an empty list if it is none."""
    folders = [os.path.join(build, part, ".libs") for part in ("btl_apelink", "mtl_match", "pml_match", "pml_hooks")]
    return [folder for folder in folders if any(name.endswith(".so") for name in _names_in(folder))]


def _names_in(folder):
    try:
        return os.listdir(folder)
    except OSError:
        return []


def _find_launcher(names, package):
    for name in names:
        path = shutil.which(name)
        if path is not None:
            return path
    raise NotHere(f"no {' or '.join(names)} in PATH; Debian: {package}")


def _openmpi(setup, transport, bench, ranks):
    # Plain mpirun first: it is the one that the user put into PATH.
    words = [_find_launcher(("mpirun", "mpirun.openmpi"), "openmpi-bin"), "-n", str(ranks)]
    if ranks > setup.core_count:
        words += ["--oversubscribe", "--bind-to", "none"]
    elif setup.default_cores:
        words += ["--map-by", "core", "--bind-to", "core"]
    else:
        cores = ",".join(str(core) for core in setup.cores)
        words += ["--cpu-list", cores, "--bind-to", "cpu-list:ordered"]
    words += transport.args
    if bench.onesided:
        words += transport.osc
    if setup.component_path:
        words += ["--mca", "mca_base_component_path", setup.component_path + ":SYSTEM_DEFAULT:USER_DEFAULT"]
    return words + setup.mpirun_args


# For sh, before a program: a rank of few runs on the core of its number in the list that is $0.
_ON_ITS_CORE = 'exec taskset -c "$(echo "$0" | cut -d , -f $((OMPI_COMM_WORLD_RANK + 1)))" "$@"'


def _between_hosts(setup, transport, bench, ranks):
    """
    The words before the program, on hosts of apelink-hosts. These share the cores, and mpirun would bind the first rank of
    each to the first one.
    """
    if transport.between is None:
        raise NotHere(f"{transport.key} does not go between hosts; these do: {', '.join(tables.BETWEEN_TRANSPORTS)}")
    words = [_find_launcher(("mpirun", "mpirun.openmpi"), "openmpi-bin"), "-n", str(ranks), "--map-by", "node",
             "--bind-to", "none", *transport.between]
    pinned = ranks <= min(len(setup.cores), setup.core_count) and shutil.which("taskset")
    if ranks > setup.core_count:
        words.append("--oversubscribe")
    if bench.onesided:
        words += transport.osc
    if setup.component_path and transport.launcher == "openmpi":
        words += ["--mca", "mca_base_component_path", setup.component_path + ":SYSTEM_DEFAULT:USER_DEFAULT"]
    words += setup.mpirun_args
    return words + (["sh", "-c", _ON_ITS_CORE, ",".join(map(str, setup.cores))] if pinned else [])


def _mpich(setup, ranks):
    words = [_find_launcher(("mpirun.mpich", "mpiexec.mpich"), "mpich"), "-n", str(ranks)]
    if ranks <= setup.core_count:
        words += ["-bind-to", "user:" + ",".join(str(core) for core in setup.cores)]
    return words


def _size_list(bench, sizes):
    words = [format_size(size) for size in sizes]
    # To -m, a size alone is the last one of a range.
    return f"{words[0]}:{words[0]}" if bench.size_option == "-m" and len(words) == 1 else ",".join(words)


def _program_words(setup, bench, sizes, path):
    words = [path, *bench.args]
    if bench.plain:
        return words + setup.bench_args
    if bench.sizes:
        words += [bench.size_option, _size_list(bench, sizes)]
    return words + ["--digits", str(setup.digits)] + setup.bench_args


def _pinned(setup):
    taskset = shutil.which("taskset")
    return [taskset, "-c", str(setup.cores[0])] if taskset else []


def _prestorun(setup, ranks):
    words = [find_perf("prestorun", setup), "-n", str(ranks)]
    if ranks > setup.core_count:
        return words
    words += ["--bind-to", "core"]
    taskset = None if setup.default_cores else shutil.which("taskset")
    return [taskset, "-c", ",".join(str(core) for core in setup.cores), *words] if taskset else words


def _program(setup, transport, bench):
    """The path of the benchmark's program for a transport with ranks."""
    if transport.launcher != "native":
        return find_program(bench.program, setup, "" if transport.launcher == "openmpi" else transport.launcher)
    if not bench.native:
        raise NotHere(f"there is no {bench.program} with the native interface")
    return find_program(bench.native, setup)


def _installed(setup, transport, bench, ranks):
    """The words for a program that is not ours."""
    if transport.launcher != "openmpi" or setup.hosts:
        raise NotHere(f"{bench.program} runs over Open MPI on one host only")
    path = shutil.which(bench.program)
    if path is None:
        raise NotHere(f"no {bench.program} in PATH; Debian: {bench.package}")
    return _openmpi(setup, transport, bench, ranks) + [path, *bench.args]


def build(setup, transport, bench, sizes, ranks):
    """The words of the command. Raises NotHere if a part of it is not installed."""
    if bench.package:
        return _installed(setup, transport, bench, ranks)
    if setup.hosts:
        words = _between_hosts(setup, transport, bench, ranks)
        return words + _program_words(setup, bench, sizes, _program(setup, transport, bench))
    if transport.launcher == "perf":
        path = find_perf(bench.program, setup)
        words = _program_words(setup, bench, sizes, path)
        if bench.plain:
            return _pinned(setup) + words
        return words if setup.default_cores else words + ["--cores", ",".join(str(core) for core in setup.cores)]
    program = _program_words(setup, bench, sizes, _program(setup, transport, bench))
    if transport.launcher in ("presto", "native"):
        return _prestorun(setup, ranks) + program
    if transport.launcher == "mpich":
        return _mpich(setup, ranks) + program
    return _openmpi(setup, transport, bench, ranks) + program


def _listed_components(setup, env):
    """{(framework, component)} of the Open MPI whose mpirun runs, None if that cannot be found out."""
    launcher = shutil.which("mpirun") or shutil.which("mpirun.openmpi") or ""
    words = [shutil.which("ompi_info", path=os.path.dirname(launcher)) or shutil.which("ompi_info"), "--parsable"]
    if words[0] is None:
        return None
    if setup.component_path:
        env = dict(env, OMPI_MCA_mca_base_component_path=setup.component_path + ":SYSTEM_DEFAULT:USER_DEFAULT")
    try:
        text = subprocess.run(words, capture_output=True, text=True, errors="replace", check=True, timeout=30,
                              env=env).stdout
    except (OSError, subprocess.SubprocessError):
        return None
    rows = (line.split(":") for line in text.splitlines() if line.startswith("mca:"))
    return {(row[1], row[2]) for row in rows if len(row) > 2}


_OURS = (("btl", "apelink"), ("mtl", "match"), ("pml", "match"), ("hook", "apelink"))
_REMEDY_OURS = ("build and install apelink, then name the folder of the component with --component-path, or run: "
                'eval "$(PREFIX/bin/apelink-env)"')
_REMEDY_OTHERS = "use an Open MPI that was built with it (Debian: openmpi-bin and libopenmpi3)"


def missing_component(setup, transport, env):
    """A sentence about a component of Open MPI that the transport needs and that is not there; "" if all are."""
    if not transport.components:
        return ""
    listed = _listed_components(setup, env)
    for component in transport.components if listed else ():
        if component not in listed:
            remedy = _REMEDY_OURS if component in _OURS else _REMEDY_OTHERS
            return f"Open MPI finds no component {component[1]} of the framework {component[0]}; {remedy}"
    return ""


def environment():
    """The environment of the runs: Open MPI refuses to start for root unless told twice that this is meant."""
    env = dict(os.environ)
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        env.setdefault("OMPI_ALLOW_RUN_AS_ROOT", "1")
        env.setdefault("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
    return env
