# SPDX-License-Identifier: BSD-3-Clause
"""Whether JSON is as a JSON schema says: as much of that as the schema of a record uses."""

TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None), "integer": int, "number": (int, float)}
KNOWN = {"$schema", "title", "description", "type", "required", "properties", "items", "minItems", "maxItems", "minimum", "maximum",
         "const"}


def is_type(value, name):
    if isinstance(value, bool):
        return name == "boolean"
    return isinstance(value, TYPES[name])


def wrong(value, schema, where="record"):
    """The first thing that is wrong, in words, or None."""
    if set(schema) - KNOWN:
        return "the schema of %s uses %s, which this check does not know" % (where, set(schema) - KNOWN)
    if "const" in schema and value != schema["const"]:
        return "%s is %r" % (where, value)
    types = schema.get("type", [])
    types = [types] if isinstance(types, str) else types
    if types and not any(is_type(value, name) for name in types):
        return "%s is %r" % (where, value)
    if isinstance(value, (int, float)) and not schema.get("minimum", value) <= value <= schema.get("maximum", value):
        return "%s is %r" % (where, value)
    if isinstance(value, dict):
        return wrong_object(value, schema, where)
    if isinstance(value, list):
        return wrong_array(value, schema, where)
    return None


def wrong_object(value, schema, where):
    for name in schema.get("required", []):
        if name not in value:
            return "%s has no %s" % (where, name)
    for name, inner in value.items():
        found = wrong(inner, schema.get("properties", {}).get(name, {}), where + "." + name)
        if found:
            return found
    return None


def wrong_array(value, schema, where):
    if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)):
        return "%s has %d items" % (where, len(value))
    for number, inner in enumerate(value):
        found = wrong(inner, schema.get("items", {}), "%s[%d]" % (where, number))
        if found:
            return found
    return None


def lacking(value, schema, where="record", optional=()):
    """A field of the schema that is not there, or None: what is written now has all of them."""
    if isinstance(value, dict):
        for name, inner in schema.get("properties", {}).items():
            if name not in value:
                if name not in optional:
                    return "%s has no %s" % (where, name)
                continue
            found = lacking(value[name], inner, where + "." + name, optional)
            if found:
                return found
    if isinstance(value, list) and value:
        return lacking(value[0], schema.get("items", {}), where + "[0]", optional)
    return None
