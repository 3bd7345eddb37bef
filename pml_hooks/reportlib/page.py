# SPDX-License-Identifier: BSD-3-Clause
"""The report as one page of HTML, which needs nothing else."""
import html
import json
import os

from . import pagedata, progress

FOLDER = os.path.join(os.path.dirname(os.path.realpath(__file__)), "page")
SCRIPTS = ("base.js", "table.js", "charts.js", "matrix.js", "draw.js", "main.js")
STYLES = ("style.css",)


def part(name):
    with open(os.path.join(FOLDER, name), encoding="utf-8") as file:
        return file.read()


def data_text(data):
    """JSON that can stand within a script of HTML."""
    text = json.dumps(data, separators=(",", ":"), allow_nan=False)
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def build(job, version):
    """The page."""
    data = pagedata.page_data(job)
    progress.show("writing the page")
    values = {
        "TITLE": html.escape("%s, %d ranks" % (os.path.basename(data["program"]) or "MPI program", data["size"])),
        "STYLE": "\n".join(part(name) for name in STYLES),
        "SCRIPT": "(function () {\n\"use strict\";\n%s\n})();" % "\n".join(part(name) for name in SCRIPTS),
        "DATA": data_text(data),
        "VERSION": html.escape(" " + version if version else ""),
    }
    pieces = part("page.html").split("@@")
    return "".join(values[piece] if at % 2 else piece for at, piece in enumerate(pieces))
