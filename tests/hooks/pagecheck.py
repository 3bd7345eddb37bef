#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Opens pages of the report in Chromium, clicks what a person clicks, and looks at what is shown then.

With an argument, the name of a folder, pictures of the pages are left there.
"""
import json
import os
import re
import sys
import tempfile

import browser
import checking
import make_record
from checking import expect, report

SECTIONS = ("costs", "matrix", "waiting", "time", "sizes", "collectives", "ranks", "queues", "faults")
# The least contrast of each text with what is behind it.
CONTRAST = """
(() => {
    const parts = (colour) => colour.match(/[0-9.]+/g).map(Number);
    const light = (c) => c.slice(0, 3).map((v) => v / 255).map((v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
        .reduce((sum, v, at) => sum + v * [0.2126, 0.7152, 0.0722][at], 0);
    let least = [99, ""];
    for (const e of document.querySelectorAll("body *")) {
        const own = [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
        if (!own || !e.getClientRects().length || ["SCRIPT", "STYLE", "OPTION"].includes(e.tagName)) { continue; }
        let behind = e, back = [0, 0, 0, 0];
        while (behind && !(back[3] === undefined || back[3] > 0)) {
            back = parts(getComputedStyle(behind).backgroundColor);
            behind = behind.parentElement;
        }
        const style = getComputedStyle(e);
        const a = light(parts(e instanceof SVGElement ? style.fill : style.color)), b = light(back);
        const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
        if (ratio < least[0]) { least = [ratio, e.tagName + " " + e.textContent.slice(0, 40)]; }
    }
    return least;
})()
"""
# Controls without a name, pictures without a label, and identifiers that are there twice.
UNNAMED = """
(() => {
    const named = (e) => e.getAttribute("aria-label") || e.textContent.trim() || (e.labels && e.labels.length);
    const bad = [...document.querySelectorAll("button, select, input, a, canvas, svg, [role=img], [tabindex='0']")]
        .filter((e) => !named(e)).map((e) => e.outerHTML.slice(0, 80));
    const ids = [...document.querySelectorAll("[id]")].map((e) => e.id);
    return bad.concat(ids.filter((id, at) => ids.indexOf(id) !== at));
})()
"""
# A hash of what is in the canvas.
PAINTED = """
(() => {
    const c = document.querySelector("#matrix-canvas");
    let sum = 7;
    for (const v of c.getContext("2d").getImageData(0, 0, c.width, c.height).data) { sum = (sum * 31 + v) | 0; }
    return sum;
})()
"""


def make_page(folder, name, job):
    """The page of a job; (its path, the sentences of the text)."""
    record, page = os.path.join(folder, name + ".json"), os.path.join(folder, name + ".html")
    with open(record, "w", encoding="utf-8") as file:
        json.dump(job, file)
    done = report(record, "--html", page)
    expect(done.returncode == 0 and not done.stdout and not done.stderr, "%s: %s%s" % (name, done.stdout, done.stderr))
    text = report(record)
    return page, re.findall(r"^  \d\. (.*)$", text.stdout, re.MULTILINE)


def visit(page, path, width=1200, height=900):
    page.size(width, height)
    page.open(path)
    page.until("document.querySelector('#matrix-canvas').height > 100")


def check_whole(page, name, sentences):
    """What has to be there in each page, and how it looks."""
    for section in SECTIONS:
        expect(page.evaluate("document.querySelector('#%s h2').textContent.length > 0" % section), "no section " + section)
    shown = page.evaluate("[...document.querySelectorAll('#costs ol .text')].map((e) => e.textContent)")
    expect(shown == sentences, "%s: the page says %s, the text %s" % (name, shown, sentences))
    expect(page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth"),
           name + ": it is wider than its window")
    unnamed = page.evaluate(UNNAMED)
    expect(not unnamed, "%s: without a name, or twice: %s" % (name, unnamed))
    expect("NaN" not in page.text("main") and "undefined" not in page.text("main"), name + ": NaN or undefined is shown")


def check_colours(page, name):
    for wanted in ("light", "dark", ""):
        page.choose("#theme", wanted)
        ratio, where = page.evaluate(CONTRAST)
        expect(ratio >= 4.5, "%s, %s: contrast %.2f of %s" % (name, wanted or "system", ratio, where))
        expect(wanted in ("", page.evaluate("document.documentElement.dataset.theme")), "no theme " + wanted)


def changes(page, what, act):
    """That the matrix is drawn anew by an action."""
    before = page.evaluate(PAINTED)
    act()
    expect(page.evaluate(PAINTED) != before, what + " leaves the matrix as it was")


def check_matrix(page, job):
    """Its controls, by mouse."""
    size = job["size"]
    for measure in ("count", "bytes", "late", "wait"):
        changes(page, "showing " + measure, lambda measure=measure: page.choose("#matrix-measure", measure))
    if size > 64:
        for order in ("volume", "wait", "host", "rank"):
            changes(page, "the order by " + order, lambda order=order: page.choose("#matrix-order", order))
        for button in ("#zoom-in", "#zoom-out", "#zoom-in", "#zoom-in", "#zoom-all"):
            changes(page, button, lambda button=button: page.click(button))
        changes(page, "a double click", lambda: page.click("#matrix-canvas", clicks=2))
        x, y, _, _ = page.place("#matrix-canvas")
        changes(page, "to drag", lambda: page.drag((x, y), (x - 100, y - 60)))
        page.click("#zoom-all")


def check_pair(page, job):
    """A click on a cell of a small job, and the keys, tell what the record has of a pair."""
    x, y, width, height = page.place("#matrix-canvas")
    axis, size = 56, job["size"]
    cell = (width - axis - 2) / size
    page.press_at(x - width / 2 + axis + 2.5 * cell, y - height / 2 + axis + 1.5 * cell)
    entry = next(peer for peer in job["ranks"][1]["peers"] if peer["rank"] == 2)
    detail = page.text("#matrix-detail")
    expect("Rank 1 (node00), peer rank 2" in detail and "\u202f".join(("4", "000")) in detail, "a click on a pair: " + detail)
    expect(entry["sent"][0] == 4000, "the record is another one")
    page.evaluate("document.querySelector('#matrix-canvas').focus()")
    page.key("ArrowRight")
    expect("Rank 1, peer 3" in page.text("#matrix-readout"), "ArrowRight: " + page.text("#matrix-readout"))
    page.key("ArrowDown")
    page.key("ArrowLeft")
    page.key("ArrowLeft")
    page.key("Enter")
    expect("Rank 2 (node00), peer rank 1" in page.text("#matrix-detail"), "Enter: " + page.text("#matrix-detail"))


def check_waiting(page, job):
    """A pair that is chosen among those that wait longest comes to the matrix."""
    name = page.text("#waiting .bars button")
    row, col = re.match(r"rank (\d+) for rank (\d+)", name).groups()
    page.click("#waiting .bars button")
    expect("Rank %s, peer %s:" % (row, col) in page.text("#matrix-readout"), "the longest wait: " + page.text("#matrix-readout"))
    expect(page.evaluate("document.activeElement.id") == "matrix-canvas", "the matrix has not the keyboard")
    waits = {(rank["rank"], peer["rank"]): peer["send_wait_ticks"] + peer["receive_wait_ticks"]
             for rank in job["ranks"] for peer in rank["peers"]}
    expect(waits[int(row), int(col)] == max(waits.values()), "%s does not wait longest" % name)


def check_time(page):
    drawn = page.evaluate("document.querySelector('#time-picture').innerHTML")
    page.choose("#time-measure", "bytes")
    other = page.evaluate("document.querySelector('#time-picture').innerHTML")
    page.type_into("#time-rank", "2")
    third = page.evaluate("document.querySelector('#time-picture').innerHTML")
    expect(len({drawn, other, third}) == 3, "the picture over time stays as it is")
    x, y, _, _ = page.place("#time-picture svg")
    page.ask("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
    expect(re.match(r"From .* to .*: .*B/s", page.text("#time-readout")), "over time: " + page.text("#time-readout"))
    page.type_into("#time-rank", "99999")
    expect(not page.evaluate("document.querySelector('#time-rank').checkValidity()"), "a rank that is not there is taken")


def check_sizes(page, job):
    page.click("#sizes-table summary")
    page.until("document.querySelector('#sizes-table td')")
    cells = page.evaluate("[...document.querySelectorAll('#sizes-table tbody tr')].map((r) => r.children[2].textContent)")
    shown = sum(int(re.sub(r"\D", "", cell)) for cell in cells)
    sent = sum(sum(peer["sent"]) for rank in job["ranks"] for peer in rank["peers"])
    expect(shown == sent, "the table of sizes has %d messages, the record %d" % (shown, sent))
    before = page.evaluate("document.querySelector('#sizes-picture').innerHTML")
    page.click("#sizes-log")
    expect(page.evaluate("document.querySelector('#sizes-picture').innerHTML") != before, "no logarithmic scale")
    page.choose("#sizes-way", "received")
    page.type_into("#sizes-rank", "1")
    own = sum(sum(peer["received"]) for peer in job["ranks"][1]["peers"])
    cells = page.evaluate("[...document.querySelectorAll('#sizes-table tbody tr')].map((r) => r.children[2].textContent)")
    expect(sum(int(re.sub(r"\D", "", cell)) for cell in cells) == own, "the sizes of one rank are not its own")


def check_tables(page, job):
    """Each picture has a table; one is sorted by a click on a column."""
    pairs = sum(len(rank["peers"]) for rank in job["ranks"])
    page.click("#matrix-table summary")
    page.until("document.querySelector('#matrix-table td')")
    expect(page.evaluate("document.querySelectorAll('#matrix-table tbody tr').length") == min(200, pairs), "rows of pairs")
    page.click("#matrix-table th:nth-child(1) button")
    expect(page.evaluate("document.querySelector('#matrix-table th').ariaSort") == "descending", "it is not sorted")
    expect(page.evaluate("document.querySelector('#matrix-table td').textContent.replace(/\\D/g, '')") == str(job["size"] - 1),
           "the first row is not that of the last rank")
    if pairs > 200:
        page.click("#matrix-table .more")
        expect(page.evaluate("document.querySelectorAll('#matrix-table tbody tr').length") == min(400, pairs), "no more rows")
    for table in ("waiting", "time", "collectives", "ranks"):
        page.click("#%s-table summary" % table)
        page.until("document.querySelector('#%s-table td')" % table)
    page.evaluate("document.querySelectorAll('details').forEach((d) => { d.open = false; })")


def check_links(page):
    for section in SECTIONS:
        page.click("#contents a[href='#%s']" % section)
        expect(page.evaluate("location.hash") == "#" + section, "the link to " + section)


def whole_page(page, folder, size, pictures):
    """All checks of the page of a job that is made up."""
    job = make_record.make_job(size)
    path, sentences = make_page(folder, "job%d" % size, job)
    for scheme in ("dark", "light"):
        page.scheme(scheme)
        visit(page, path)
        expect(page.evaluate("document.documentElement.dataset.theme") == scheme, "it is not " + scheme)
        check_whole(page, "%d ranks, %s" % (size, scheme), sentences)
        if pictures:
            page.picture(os.path.join(pictures, "report-%d-%s.png" % (size, scheme)))
    check_matrix(page, job)
    if size < 64:
        check_pair(page, job)
        check_colours(page, "%d ranks" % size)
    check_waiting(page, job)
    check_time(page)
    check_sizes(page, job)
    check_tables(page, job)
    check_links(page)
    visit(page, path, 380, 800)
    check_whole(page, "%d ranks, narrow" % size, sentences)
    if pictures:
        page.picture(os.path.join(pictures, "report-%d-narrow.png" % size))
    complaints = page.complaints()
    expect(not complaints, "%d ranks: the page complains: %s" % (size, complaints))
    print("%d ranks: done" % size)


def odd_pages(page, folder):
    """Jobs of which little is known, and texts that are no HTML."""
    job = make_record.make_job(3)
    for rank in job["ranks"]:
        rank.update(program="<script>alert(1)</script>&amp;", host="</script><b>x", end_stamp=None, state=1, failed=3, dead_peers=1,
                    posted_queue_greatest=17 + rank["rank"], slices=[])
        rank["pending"] = []
        rank["calls"][0].update(kind=2, peer=(rank["rank"] + 1) % 3, depth=1, tag=5)
    job["ranks"].pop()
    path, sentences = make_page(folder, "odd", job)
    visit(page, path)
    check_whole(page, "odd", sentences)
    expect(page.text("h1") == "<script>alert(1)</script>&amp;", "the name of the program: " + page.text("h1"))
    expect("Rank 0" in page.text("#verdict"), "no verdict")
    for words in ("did not come to MPI_Finalize: 2", "left no record: 1", "ended with an error: 6", "dead peers: 2"):
        expect(words in page.text("#faults"), "%s is not in: %s" % (words, page.text("#faults")))
    expect("posted queue greatest" in page.text("#queues") and "17 to 18" in page.text("#queues"), page.text("#queues"))
    expect("Not known" in page.text("#time"), page.text("#time"))
    check_colours(page, "odd")
    alone = make_record.make_job(1)
    path, sentences = make_page(folder, "alone", alone)
    visit(page, path)
    check_whole(page, "one rank", sentences)
    complaints = page.complaints()
    expect(not complaints, "odd ones: the page complains: %s" % complaints)
    print("odd ones: done")


def main():
    if browser.find() is None:
        print("skipped: there is no chromium (Debian: chromium)")
        sys.exit(77)
    pictures = sys.argv[1] if len(sys.argv) > 1 else None
    page = browser.Browser()
    try:
        with tempfile.TemporaryDirectory() as folder:
            for size in (4, 1024):
                whole_page(page, folder, size, pictures)
            odd_pages(page, folder)
    finally:
        page.close()
    checking.finish()


if __name__ == "__main__":
    main()
