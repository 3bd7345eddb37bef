# SPDX-License-Identifier: BSD-3-Clause
"""A part of the record as comma separated values: all of its fields, a line for each entry."""

import csv

from . import schema

# What can be asked for: the part of the record, and what stands before its fields.
TABLES = {"pairs": "peer", "ranks": "head", **{plural: part for part, plural in schema.PARTS.items() if part != "peer"}}
# Columns of pairs that would be called as those of the rank.
PEER_NAMES = {"rank": "peer", "job": "peer_job"}
NAMED = ("call", "class")  # parts whose entries have a name


def column_names(part, field):
    """The columns of a field: one, or one for each of its numbers if it is known how many these are."""
    name = PEER_NAMES.get(field.name, field.name) if part == "peer" else field.name
    if field.kind == "TICKS":
        name = name.replace("_ticks", "") + "_seconds"
    elif field.kind == "STAMP":
        name += "_seconds"
    if not field.length:
        return [name]
    if field.length == 2:
        return [name, name + "_internal"]
    return ["%s_%d" % (name, i) for i in range(field.length)]


def cell(field, value):
    if value is None:
        return ""
    return "%.9f" % value if field.kind in ("TICKS", "STAMP") else value


def cells(part, field, entry, missing):
    """The cells of a field, empty if the record does not have it."""
    width = len(column_names(part, field))
    if "%s.%s" % (part, field.name) in missing:
        return [""] * width
    values = entry[field.name]
    if field.length == 0:
        return [" ".join(str(cell(field, value)) for value in values)]
    values = values if field.length else [values]
    return [cell(field, value) for value in values[:width]] + [""] * (width - len(values))


def write(job, table, out):
    """A line for each entry of a table, see TABLES."""
    part = TABLES[table]
    fields = schema.FIELDS[part]
    writer = csv.writer(out, lineterminator="\n")
    before = ["rank"] if part != "head" else []
    names = [name for field in fields for name in column_names(part, field)]
    writer.writerow([*before, *(["name"] if part in NAMED else []), *names])
    for rank in job["ranks"]:
        for entry in [rank] if part == "head" else rank[schema.PARTS[part]]:
            row = [rank["rank"]] if before else []
            row += [entry["name"]] if part in NAMED else []
            for field in fields:
                row += cells(part, field, entry, rank["missing"])
            writer.writerow(row)
