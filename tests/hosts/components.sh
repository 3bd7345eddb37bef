# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# Sourced by the tests that run the components of the build under mpirun on several hosts, with here set to this folder. Sets
# build and the environment for them, or ends with status 77.
build=$(cd "${APELINK_BUILDDIR:-.}" && pwd) || exit 1
for folder in btl_apelink mtl_match pml_match; do
    [ -e "$build/$folder/.libs/mca_${folder}.so" ] || {
        echo "skipped: configure found no Open MPI, so the components were not built"
        exit 77
    }
done
grep -q 'define NI_HAVE_UCX' "$build/apelink_config.h" || {
    echo "skipped: configure found no UCX, so there is no link between hosts"
    exit 77
}
[ -z "${APELINK_SANITIZER-}" ] || {
    echo "skipped: apelink-hosts is not built with sanitizers"
    exit 77
}
OMPI_MCA_mca_base_component_path=$build/btl_apelink/.libs:$build/mtl_match/.libs:$build/pml_match/.libs:SYSTEM_DEFAULT:USER_DEFAULT
OMPI_ALLOW_RUN_AS_ROOT=1
OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_mca_base_component_path OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM
