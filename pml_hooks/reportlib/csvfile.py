# SPDX-License-Identifier: BSD-3-Clause
"""The pairs as comma separated values."""

import csv

from . import costs

COLUMNS = ("send_wait_ticks", "receive_wait_ticks", "late_sender_ticks", "late_receiver_ticks")


def write(job, out):
    """A line for each pair of ranks."""
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(("rank", "peer", "sent", "sent_internal", "sent_bytes", "sent_bytes_internal", "received",
                     "received_internal", "received_bytes", "received_bytes_internal",
                     *(name.replace("_ticks", "_seconds") for name in COLUMNS)))
    for rank, peer, entry in costs.pairs(job):
        writer.writerow((rank["rank"], peer, *entry["sent"], *entry["sent_bytes"], *entry["received"],
                         *entry["received_bytes"], *("%.9f" % entry[name] for name in COLUMNS)))
