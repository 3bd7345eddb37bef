#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes the pictures of docs/pml_hooks.md, of jobs that are made up: pictures.py docs/pictures"""
import os
import sys
import tempfile

import browser
import checking
import make_record
import pagecheck

# The file, the ranks of the job, the section, light or dark, and what is done before.
PICTURES = (
    ("report-costs.png", 4, "costs", "light", lambda page: None),
    ("report-pair.png", 4, "matrix", "light", lambda page: page.click("#waiting .bars button")),
    ("report-matrix.png", 1024, "matrix", "dark", lambda page: page.choose("#matrix-measure", "bytes")),
    ("report-time.png", 1024, "time", "light", lambda page: None),
)
SCALE = 0.75


def take(page, folder, name, section):
    """A picture of one section."""
    page.evaluate("document.activeElement.blur()")
    box = page.evaluate("(() => { const b = document.getElementById('%s').getBoundingClientRect(); "
                        "return [b.left + scrollX, b.top + scrollY, b.width, b.height]; })()" % section)
    clip = dict(zip(("x", "y", "width", "height"), box), scale=SCALE)
    page.picture(os.path.join(folder, name), clip)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    page = browser.Browser()
    try:
        with tempfile.TemporaryDirectory() as work:
            for name, size, section, scheme, act in PICTURES:
                path, _ = pagecheck.make_page(work, "job%d" % size, make_record.make_job(size))
                page.scheme(scheme)
                pagecheck.visit(page, path, 1000, 900)
                act(page)
                take(page, sys.argv[1], name, section)
    finally:
        page.close()
    checking.finish()


if __name__ == "__main__":
    main()
