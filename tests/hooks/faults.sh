#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Faults with pml_hooks over each transport of this build, see faultscheck.py.
. "$(dirname "$0")/common.sh"

needs hooks_faults
checks faultscheck.py "errors truncated delayed reordered unreceived stops ends goes-on survives living seeds wrong" \
    "errors truncated reordered"
exit $status
