# SPDX-License-Identifier: BSD-3-Clause
"""What is in a record: read from the list of fields that the component is compiled from, given out as a JSON schema,
and held against records that are read."""
import math
import os
import re

VERSION = 1
PLURALS = {"class": "classes", "pending": "pending"}
LENGTHS = {"RECORD_MODES": 5, "RECORD_SIZES": 48, "RECORD_LAST": 8}
MOST_RANKS = 1 << 22
FIELDS_FILE = os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "..", "record", "fields.def")

# Lists of names, which numbers of the record stand for.
NAMES = {
    "call_kinds": "names of the kinds of calls",
    "tag_classes": "names of the classes of tags, in the order of each rank's classes",
    "fault_kinds": "names of the kinds of faults",
}
# What is known of a process from outside its record, when that is read from memory.
OUTSIDE = {
    "alive": {"type": "boolean", "description": "whether the process was there"},
    "stopped": {"type": "boolean", "description": "whether it was stopped by a signal"},
    "age": {"type": "number", "minimum": 0, "description": "seconds since its record began"},
}
FIELD_ROW = re.compile(r"(FIELD|ARRAY)\((\w+), (\w+)(?:, (\w+))?\)\s*(?:/\*(.*?)\*/)?")
DOCUMENT = "https://json-schema.org/draft/2020-12/schema"
MEANINGS = {
    "U64": {"type": "integer", "minimum": 0},
    "U32": {"type": "integer", "minimum": 0},
    "I32": {"type": "integer"},
    "TICKS": {"type": "number", "minimum": 0},
    "STAMP": {"type": ["number", "null"]},
    "TEXT": {"type": "string"},
}
UNITS = {"TICKS": "seconds", "STAMP": "seconds since the record of the rank began; null: never"}
ZERO = {"U64": 0, "U32": 0, "I32": -1, "TICKS": 0.0, "STAMP": None, "TEXT": ""}


class Field:
    """A field of a part of the record."""

    def __init__(self, name, kind, count, words):
        self.name, self.kind, self.words = name, kind, words
        # None: one value. A length that is not known here is 0: any.
        self.length = None
        if count is not None and kind != "TEXT":
            self.length = int(count) if count.isdigit() else LENGTHS.get(count, 0)

    def nothing(self):
        """What stands for it where a record does not have it."""
        return ZERO[self.kind] if self.length is None else [ZERO[self.kind]] * max(1, self.length)

    def json(self):
        """Its JSON schema."""
        inner = dict(MEANINGS.get(self.kind, {}))
        text = "; ".join(word for word in (self.words, UNITS.get(self.kind)) if word)
        if self.length is not None:
            inner = {"type": "array", "items": inner}
            if self.length:
                inner.update(minItems=self.length, maxItems=self.length)
        if text:
            inner["description"] = text
        return inner


def read_fields(path=FIELDS_FILE):
    """The fields of each part, by its name."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    found = {}
    for part, body in re.findall(r"#ifdef (\w+)_FIELDS\n(.*?)#endif", text, re.DOTALL):
        found[part.lower()] = [
            Field(name, kind, count or None, " ".join((words or "").split()))
            for _, name, kind, count, words in FIELD_ROW.findall(body)
        ]
    return found


FIELDS = read_fields()
# The lists that a rank has beside the fields of its head, by the name of an entry.
PARTS = {part: PLURALS.get(part, part + "s") for part in FIELDS if part != "head"}


def entry_schema(fields, more=None):
    properties = {field.name: field.json() for field in fields}
    properties.update(more or {})
    return {"type": "object", "properties": properties}


def json_schema():
    """The schema of the file that MPI_Finalize writes."""
    lists = {PARTS[part]: {"type": "array", "items": entry_schema(FIELDS[part])} for part in PARTS}
    rank = entry_schema(FIELDS["head"], {**OUTSIDE, **lists})
    rank["required"] = ["rank", "size", "pid"]
    names = {"type": "array", "items": {"type": "string"}}
    return {
        "$schema": DOCUMENT,
        "title": "A record of pml_hooks",
        "description": "What a job did with MPI. Within a version fields are added, none changes its meaning; a reader "
                       "takes a field that is absent for unknown, and passes over one that it does not know.",
        "type": "object",
        "required": ["format", "version", "job", "size", "ranks"],
        "properties": {
            "format": {"const": "apelink-hooks"},
            "version": {"type": "integer", "minimum": 1, "maximum": VERSION},
            "job": {"type": "integer", "minimum": 0},
            "size": {"type": "integer", "minimum": 1, "maximum": MOST_RANKS,
                     "description": "ranks of MPI_COMM_WORLD, of which some may have left no record"},
            **{key: dict(names, description=words) for key, words in NAMES.items()},
            "ranks": {"type": "array", "minItems": 1, "items": rank},
        },
    }


def is_number(value, kind):
    """Whether a value of a record is what its type says."""
    if isinstance(value, bool):
        return False
    if kind == "STAMP" and value is None:
        return True
    if kind in ("TICKS", "STAMP"):
        return isinstance(value, (int, float)) and math.isfinite(value) and (kind == "STAMP" or value >= 0)
    if not isinstance(value, int):
        return False
    return kind == "I32" or 0 <= value < 1 << 64


def are_numbers(values, kind):
    """The same of all values of a list, which has some. Records have many of these: most are told at once."""
    if set(map(type, values)) == {int} and 0 <= min(values) and max(values) < 1 << 64:
        return True
    return all(is_number(value, kind) for value in values)


def fits(field, value):
    if field.kind == "TEXT":
        return isinstance(value, str)
    if field.length is None:
        return is_number(value, field.kind)
    return (isinstance(value, list) and len(value) > 0 and (not field.length or len(value) == field.length)
            and are_numbers(value, field.kind))


def complete(entry, part, where, missing):
    """Have an entry all fields of its part: those that it lacks become nothing, and their names go to `missing`. Returns
    what is wrong with it, or None."""
    if not isinstance(entry, dict):
        return "%s is not an object" % where
    for field in FIELDS[part]:
        if field.name not in entry:
            entry[field.name] = field.nothing()
            missing.add("%s.%s" % (part, field.name))
        elif not fits(field, entry[field.name]):
            return "%s: %s is %s" % (where, field.name, repr(entry[field.name])[:40])
    return None


def complete_outside(rank, where):
    """The same for what is known from outside, which may be absent."""
    for key, meaning in OUTSIDE.items():
        good = isinstance(rank.get(key, True), bool) if meaning["type"] == "boolean" else is_number(rank.get(key, 0), "TICKS")
        if not good:
            return "%s: %s is %s" % (where, key, repr(rank[key])[:40])
    return None


def complete_rank(rank, missing):
    """The same for all of a rank."""
    if not isinstance(rank, dict):
        return "a rank is not an object"
    where = "rank %s" % repr(rank.get("rank"))[:20]
    wrong = complete(rank, "head", where, missing) or complete_outside(rank, where)
    for part, plural in PARTS.items():
        entries = rank.setdefault(plural, [])
        if wrong or not isinstance(entries, list):
            return wrong or "%s: %s is not a list" % (where, plural)
        for number, entry in enumerate(entries):
            wrong = complete(entry, part, "%s, %s %d" % (where, part, number), missing)
            if wrong:
                return wrong
    if not 0 <= rank["rank"] < rank["size"] <= MOST_RANKS:
        return "%s of a job of %d ranks" % (where, rank["size"])
    return None
