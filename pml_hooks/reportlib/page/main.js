// SPDX-License-Identifier: BSD-3-Clause
// The sections of the page.

const SHOWN_PAIRS = 15;
const runTime = data.ranks.reduce((sum, row) => sum + row.seconds, 0);

function headSection() {
    const hosts = new Set(data.ranks.map((row) => row.host));
    document.getElementById("title").textContent = data.program || "MPI program";
    document.getElementById("summary").textContent = [
        data.size + (data.size === 1 ? " rank" : " ranks") + " on " + (hosts.size === 1 ? [...hosts][0] : hosts.size + " hosts"),
        duration(data.seconds) + " between MPI_Init and MPI_Finalize", "pml " + data.pml, "job " + data.job, "begun " + data.begin,
    ].join(" · ");
}

function costsSection() {
    const item = (cost) => element("li", {}, element("span", { class: "text", text: cost.text }),
        element("span", { class: "meter", role: "img", "aria-label": percent(cost.seconds, runTime) + " of the time of all ranks" },
            element("span", { style: "width:" + Math.min(100, 100 * cost.seconds / runTime) + "%" })));
    const first = data.costs.slice(0, 3), more = data.costs.slice(3);
    section("costs", "What costs most", "Each bar is the part of the time of all ranks together.",
        first.length ? element("ol", { class: "costs" }, ...first.map(item)) : element("p", { text: "Nobody waits." }),
        ...data.remarks.map((text) => element("p", { class: "remark", text: "Also: " + text })),
        more.length ? element("details", {}, element("summary", { text: more.length + " more" }),
            element("ul", {}, ...more.map((cost) => element("li", { text: cost.text })))) : null);
}

function verdictSection() {
    if (data.verdict.length) {
        const made = section("verdict", "Why it did not end", "From the last calls of ranks that did not come to MPI_Finalize.",
            element("ul", {}, ...data.verdict.map((text) => element("li", { text: text }))));
        made.classList.add("alarm");
    }
}

function waitSection() {
    const all = Array.from(pairs.row, (_, i) => i).filter((i) => measures.wait.value(i) > 0);
    all.sort((a, b) => measures.wait.value(b) - measures.wait.value(a));
    section("waiting", "Waiting by pair", "The pairs that wait longest. Choose one to see it in the matrix.",
        all.length ? bars(all.slice(0, SHOWN_PAIRS).map((i) => ({
            name: "rank " + data.order[pairs.row[i]] + " for rank " + data.order[pairs.col[i]], value: measures.wait.value(i),
            text: duration(measures.wait.value(i)), click: () => showPair(pairs.row[i], pairs.col[i]) })))
            : element("p", { text: "No pair waits." }),
        pairTable("waiting-table", "waiting by pair", 4));
}

// ---- over time

const timeMeasures = {
    wait: { title: "part of the time in waiting", show: (value) => percent(value, 1),
        of: (at, ranks) => at("wait_ticks") / (slices.width * ranks) },
    sent: { title: "messages sent each second", show: (value) => short(value) + "/s", of: (at) => at("sent") / slices.width },
    bytes: { title: "bytes sent each second", show: (value) => byteSize(value) + "/s", of: (at) => at("sent_bytes") / slices.width },
};

// The values of a measure, of one rank or (-1) of all.
function timeValues(measure, place) {
    const ranks = place < 0 ? data.ranks.map((_, at) => at) : [place];
    return Array.from({ length: slices.count }, (_, at) => timeMeasures[measure].of(
        (key) => ranks.reduce((sum, rank) => sum + slices[key][rank * slices.count + at], 0), ranks.length));
}

function timeSection() {
    if (!slices.count) {
        section("time", "Over time", null, element("p", { text: "Not known: the record has no slices of time." }));
        return;
    }
    const state = { measure: "wait", place: -1 };
    const picture = element("div", { id: "time-picture" });
    const tell = element("p", { class: "readout", id: "time-readout", "aria-live": "polite" });
    const table = tableBehind("time-table", "over time", [
        field("from", (at) => at * slices.width, duration), field("to", (at) => (at + 1) * slices.width, duration),
        ...Object.entries(timeMeasures).map(([key, found]) =>
            field(found.title, (at) => timeValues(key, state.place)[at], found.show)),
    ], () => Array.from({ length: slices.count }, (_, at) => at));
    const draw = () => {
        const found = timeMeasures[state.measure];
        picture.replaceChildren(timeLine(picture.clientWidth, timeValues(state.measure, state.place), slices.width, {
            label: found.title + " over time", show: found.show, yTitle: "", tell: (text) => { tell.textContent = text; } }));
        table.redraw();
    };
    section("time", "Over time", "In slices of " + duration(slices.width) + ".",
        element("div", { class: "controls" },
            choice("time-measure", "Show", Object.entries(timeMeasures).map(([key, found]) => [key, found.title]),
                (value) => { state.measure = value; draw(); }),
            rankChoice("time-rank", (place) => { state.place = place; draw(); })),
        picture, tell, table);
    redraws.push(draw);
}

// ---- sizes

function sizeName(at) {
    return at === 0 ? "0 B" : at === 1 ? "1 B" : byteSize(2 ** (at - 1)).replace(/\.0+ /, " ");
}

function sizeRows(way, place) {
    const classes = sizes[way].length / rankCount;
    const sums = new Array(classes).fill(0);
    sizes[way].forEach((count, at) => {
        if (place < 0 || Math.floor(at / classes) === place) {
            sums[at % classes] += count;
        }
    });
    const used = sums.map((count, at) => (count ? at : -1)).filter((at) => at >= 0);
    const rows = sums.map((count, at) => ({ at: at, name: sizeName(at), value: count, text: grouped(count) + " messages" }));
    return used.length ? rows.slice(used[0], used[used.length - 1] + 1) : [];
}

function sizesSection() {
    const state = { way: "sent", log: false, place: -1 };
    const picture = element("div", { id: "sizes-picture" });
    const table = tableBehind("sizes-table", "messages by size", [
        field("from", (row) => row.at, sizeName), field("below", (row) => row.at, (at) => sizeName(at + 1)),
        field("messages", (row) => row.value, grouped)], () => sizeRows(state.way, state.place));
    const draw = () => {
        const rows = sizeRows(state.way, state.place);
        picture.replaceChildren(rows.length ? histogram(picture.clientWidth, rows, { log: state.log,
            label: "messages " + state.way + " by size", xTitle: "from this length to below twice it",
            yTitle: "messages" }) : element("p", { text: "No messages." }));
        table.redraw();
    };
    section("sizes", "Lengths of messages", null, element("div", { class: "controls" },
        choice("sizes-way", "Show", [["sent", "messages sent"], ["received", "messages received"]],
            (value) => { state.way = value; draw(); }),
        rankChoice("sizes-rank", (place) => { state.place = place; draw(); }),
        element("label", {}, element("input", { id: "sizes-log", type: "checkbox",
            change: (event) => { state.log = event.target.checked; draw(); } }), "logarithmic")),
    picture, table);
    redraws.push(draw);
}

// ---- collectives, ranks, queues, faults

function classesSection() {
    const rows = data.classes.filter((row) => !row.own && row.wait > 0).sort((a, b) => b.wait - a.wait);
    section("collectives", "Collectives by kind", "How long all ranks together wait in each; the rank that waits least is the " +
        "one that comes last.",
    rows.length ? bars(rows.map((row) => ({ name: row.name, value: row.wait, text: duration(row.wait) + ", " +
        percent(row.wait, runTime) + " of the time" }))) : element("p", { text: "No collective waits." }),
    tableBehind("collectives-table", "messages by what they are for", [
        field("kind", (row) => (row.own ? "the program's own" : row.name)), field("messages", (row) => row.sent, grouped),
        field("bytes", (row) => row.sent_bytes, byteSize), field("waiting", (row) => row.wait, duration),
        field("least", (row) => row.least[0], duration), field("by rank", (row) => row.least[1], grouped),
        field("most", (row) => row.most[0], duration), field("by rank", (row) => row.most[1], grouped),
    ], () => data.classes, 3));
}

function ranksSection() {
    const waits = data.ranks.map((row) => row.wait / Math.max(row.seconds, 1e-12)).sort((a, b) => a - b);
    const middle = waits[Math.floor(waits.length / 2)];
    section("ranks", "Ranks", "They wait " + percent(waits[0], 1) + " to " + percent(waits[waits.length - 1], 1) +
        " of their time, " + percent(middle, 1) + " is the middle.",
    bars(data.ranks.slice().sort((a, b) => b.wait - a.wait).slice(0, SHOWN_PAIRS).map((row) => ({
        name: "rank " + row.rank + " (" + row.host + ")", value: row.wait,
        text: duration(row.wait) + ", " + percent(row.wait, row.seconds) }))),
    tableBehind("ranks-table", "all ranks", [
        field("rank", (row) => row.rank, grouped), field("host", (row) => row.host), field("pid", (row) => row.pid, String),
        field("ran", (row) => row.seconds, duration), field("waited", (row) => row.wait, duration),
        field("messages sent", (row) => row.sent, grouped), field("bytes sent", (row) => row.sent_bytes, byteSize),
        field("received", (row) => row.received, grouped), field("bytes received", (row) => row.received_bytes, byteSize),
        field("came to MPI_Finalize", (row) => (row.finished ? "yes" : "no")),
    ], () => data.ranks, 4));
}

function queuesSection() {
    section("queues", "Queue depths", null, data.queues.length ? bars(data.queues.map((row) => ({
        name: row.name, value: row.greatest,
        text: short(row.least) + " to " + short(row.greatest) + ", " + short(row.mean) + " on average" })))
        : element("p", { text: "Unknown: what carries the messages does not tell, or the record has been made without them." }),
    data.queues.length ? tableBehind("queues-table", "queue depths", [
        field("queue", (row) => row.name), field("ranks that tell", (row) => row.ranks, grouped),
        field("least", (row) => row.least, short), field("mean", (row) => row.mean, short),
        field("greatest", (row) => row.greatest, short)], () => data.queues) : null);
}

function faultsSection() {
    const none = data.faults.length + data.injected.length === 0;
    section("faults", "Faults", null, none ? element("p", { text: "None is recorded." }) : null,
    data.faults.length ? element("ul", {}, ...data.faults.map((fault) => element("li", {
        text: fault.what + ": " + grouped(fault.count) + " (" + (fault.ranks.length === 1 ? "rank " : "ranks ") +
            ranksText(fault.ranks) + ")" }))) : null,
    data.injected.length ? element("ul", {}, ...data.injected.map((text) => element("li", { text: text }))) : null,
    data.unknown.length ? element("p", { class: "about", text: "This record was made by an earlier release, and lacks: " +
        data.unknown.join(", ") + "." }) : null);
}

headSection();
costsSection();
verdictSection();
matrixSection();
waitSection();
timeSection();
sizesSection();
classesSection();
ranksSection();
queuesSection();
faultsSection();
applyTheme();
let lastWidth = 0;
new ResizeObserver(() => {
    if (document.body.clientWidth !== lastWidth) {
        lastWidth = document.body.clientWidth;
        redrawAll();
    }
}).observe(document.body);
