# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# Sourced by the tests of Presto's programs on several hosts: common.sh, and what they need beside. needs_presto_hosts sets build, the
# folder of the build; needs_presto is the same for those that mpirun starts; compile calls prestocc.
. "$(dirname "$0")/common.sh"

needs_presto_hosts() {
    needs_hosts
    build=$(cd "${APELINK_BUILDDIR:-.}" && pwd) || exit 1
    grep -q 'define NI_HAVE_UCX' "$build/apelink_config.h" || skip "configure found no UCX, so there is no link between hosts"
    [ -z "${APELINK_SANITIZER-}" ] || skip "apelink-hosts is not built with sanitizers"
    PRESTO_INCLUDEDIR=$work/presto-include
    mkdir -p "$PRESTO_INCLUDEDIR/mpi"
    cp "$here"/../../presto/include/*.h "$PRESTO_INCLUDEDIR"
    cp "$here"/../../presto/include/mpi/*.h "$PRESTO_INCLUDEDIR/mpi"
    cp "$build"/presto/include/mpi/*.h "$PRESTO_INCLUDEDIR/mpi"
    PRESTO_LIBDIR=$build/presto/.libs
    export PRESTO_INCLUDEDIR PRESTO_LIBDIR
}

needs_presto() {
    needs_presto_hosts
    grep -q 'define NI_HAVE_PMIX' "$build/apelink_config.h" ||
        skip "configure found no PMIx, with which mpirun starts Presto's programs"
    command -v "${MPIRUN:-mpirun}" >/dev/null 2>&1 || skip "there is no mpirun (Debian: openmpi-bin)"
    OMPI_ALLOW_RUN_AS_ROOT=1
    OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    export OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM
}

compile() {
    "$build/presto/tools/prestocc" -g -D_GNU_SOURCE -Wall -Wextra -Werror "$@" || fail "$* does not compile"
}
