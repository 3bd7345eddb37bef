# SPDX-License-Identifier: BSD-3-Clause
# The layers of the tree, and which may know which. For includes.awk and calls.awk.

# layer(PATH): the layer to which a file belongs.
function layer(path)
{
    if (path ~ /^ni\/include\//)
        return "ni/include"
    if (path ~ /^ni\/engine\/.*\//) {
        sub(/\/[^\/]*$/, "", path)
        return path
    }
    if (path ~ /^ni\/(base|command|engine|link|match|portals|qp|sync|table|tasks|topology)\//)
        return substr(path, 1, index(substr(path, 4), "/") + 2)
    return path ~ /\// ? substr(path, 1, index(path, "/") - 1) : "."
}

# allow(LAYER, "LAYER LAYER..."): from LAYER one may include the others, and itself.
function allow(from, others, parts, n, i)
{
    may[from, from] = 1
    known[from] = 1
    n = split(others, parts, " ")
    for (i = 1; i <= n; i++)
        may[from, parts[i]] = 1
}

function layers(n, i, parts, below, engine)
{
    allow("ni/include", "")
    allow("ni/base", "ni/include")
    allow("ni/link", "driver ni/base ni/include")
    allow("ni/match", "ni/base ni/include")
    allow("ni/topology", "ni/base ni/include")
    allow("ni/table", "ni/base ni/include")
    # The engine's folders: each may use those before it.
    n = split("core send bulk object/notify object/store object/queue object/counter arrive drive life", parts, " ")
    below = "ni/table ni/link ni/base ni/include"
    for (i = 1; i <= n; i++) {
        allow("ni/engine/" parts[i], below)
        below = "ni/engine/" parts[i] " " below
    }
    allow("ni/engine", below)
    engine = "ni/engine " below
    # Those who may call the NI's public functions, wherever they are.
    user["ni/command"] = user["ni/qp"] = user["ni/sync"] = user["ni/portals"] = user["ni/tasks"] = user["dnp"] = 1
    n = split("hfm presto ompi_glue btl_apelink ompi_match mtl_match pml_match tools osu_bench examples", parts, " ")
    for (i = 1; i <= n; i++)
        user[parts[i]] = 1
    allow("ni/command", engine)
    allow("ni/qp", engine)
    allow("ni/sync", engine)
    allow("ni/portals", "ni/match " engine)
    allow("ni/tasks", "ni/base ni/include")
    allow("hfm", "dnp driver ni/base ni/include")
    allow("driver", "")
    allow("dnp", "driver ni/table ni/base ni/include")
    allow("record", "")
    allow("presto", "record " engine)
    allow("ompi_glue", "ni/base ni/include")
    allow("btl_apelink", "ompi_glue " engine)
    allow("ompi_match", "ompi_glue " engine)
    allow("mtl_match", "ompi_match ompi_glue " engine)
    allow("pml_match", "ompi_match ompi_glue " engine)
    allow("pml_hooks", "record ompi_glue")
    allow("tools", "dnp driver " engine)
    allow("osu_bench", "presto ni/match " engine)
    allow("examples", "presto ni/include")
}
