# SPDX-License-Identifier: BSD-3-Clause
"""A job as the JSON that MPI_Finalize writes, whatever it was read from."""

import json

from . import schema


def names(by_number):
    return [by_number.get(number, "") for number in range(max(by_number, default=-1) + 1)]


def entry_of(part, entry):
    return {field.name: entry[field.name] for field in schema.FIELDS[part]}


def rank_of(rank):
    made = entry_of("head", rank)
    made.update({key: rank[key] for key in schema.OUTSIDE if key in rank})
    for part, plural in schema.PARTS.items():
        made[plural] = [entry_of(part, entry) for entry in rank[plural]]
    return made


def write(job, out):
    """Print it."""
    made = {"format": "apelink-hooks", "version": schema.VERSION, "job": job["job"], "size": job["size"]}
    for key in schema.NAMES:
        made[key] = names(job[key])
    made["ranks"] = [rank_of(rank) for rank in job["ranks"]]
    json.dump(made, out)
    out.write("\n")
