#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The variables of MPI_T: for all that is in a record, there from before MPI_Init until MPI_T is finalised, whether anything is recorded or not."""
import os
import re
import sys
import tempfile

sys.dont_write_bytecode = True

import make_record  # pylint: disable=wrong-import-position # finds reportlib
import running as hooks  # pylint: disable=wrong-import-position
from reportlib import schema  # pylint: disable=wrong-import-position,import-error,wrong-import-order

PREFIXES = {"head": "", "class": "classes_", "slice": "slices_", "peer": "peers_"}
# Fields that say whose record it is and where its parts are, and those by which a peer finds a message: these are no variables.
NONE = re.compile(r"head_(magic|version|schema_.*|threads|enabled|state|job|rank|size|pid|start_.*|stamp_.*|ticks_.*|process_.*|ended_by|peer_room"
                  r"|clock_(start|last|reference)|(call|class|pending|peer|fault)_count)$|peer_(job|rank|(send|receive|received)_number)$")


def wanted():
    found = {"pml_hooks_peers_%s_internal" % name for name in ("sent", "sent_bytes", "received", "received_bytes")}
    for part, prefix in PREFIXES.items():
        for field in schema.FIELDS[part]:
            if field.kind in ("U64", "U32", "TICKS") and not NONE.match("%s_%s" % (part, field.name)):
                found.add("pml_hooks_" + prefix + field.name.replace("_ticks", "_time"))
    return found - {name for name in found if name.endswith("_contexts")}


def recorded(transport):
    with tempfile.TemporaryDirectory() as folder:
        code, output, errors = hooks.mpirun(folder, 2, transport, ["hooks_pvars"])
    if code != 0 or output.split().count("good") != 2:
        hooks.fail("%s: exit code %s: %s%s" % (transport, code, output, errors))
    found = set(re.findall(r"^variable (\S+)$", output, re.M))
    if found != wanted():
        hooks.fail("%s: there, or to be there, and not both: %s" % (transport, sorted(found ^ wanted())))


def not_enabled(transport):
    with tempfile.TemporaryDirectory() as folder:
        code, output, errors = hooks.mpirun(folder, 2, transport, ["hooks_pvars", "off"], enable=0)
        if code != 0 or output.split() != ["good", "good"] or os.listdir(folder):
            hooks.fail("%s, not enabled: exit code %s: %s%s%s" % (transport, code, output, errors, os.listdir(folder)))


if __name__ == "__main__":
    assert make_record
    for one in hooks.transports():
        recorded(one)
        not_enabled(one)
    sys.exit(1 if hooks.failures else 0)
