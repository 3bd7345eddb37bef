# SPDX-License-Identifier: BSD-3-Clause
"""Started by tests/presto/pmi2_launcher in place of a rank that is on a virtual machine: what comes by the machine's serial
line, a Unix socket with this name and the rank's number, goes to the launcher, and back, until the machine ends."""
import os
import select
import socket
import sys

launcher = socket.socket(fileno=int(os.environ["PMI_FD"]))
listener = socket.socket(socket.AF_UNIX)
name = sys.argv[1] + os.environ["PMI_RANK"]
listener.bind(name + ".new")
listener.listen(1)
os.rename(name + ".new", name)  # it is there when it can be connected to
line = listener.accept()[0]
to = {launcher: line, line: launcher}
while True:
    for one in select.select(list(to), [], [])[0]:
        try:
            data = one.recv(65536)
        except ConnectionError:
            data = b""
        if not data:
            sys.exit()
        to[one].sendall(data)
