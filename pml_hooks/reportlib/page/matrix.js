// SPDX-License-Identifier: BSD-3-Clause
// The matrix of all pairs.

const pairCount = pairs.row.length;
const sideCount = data.order.length;

// What can be shown of a pair, by its number.
const measures = {
    wait: { title: "waiting for the peer", show: duration, value: (i) => pairs.send_wait_ticks[i] + pairs.receive_wait_ticks[i] },
    late: { title: "the peer's lateness", show: duration,
        value: (i) => (pairs.late_sender_ticks[i] || 0) + (pairs.late_receiver_ticks[i] || 0) },
    bytes: { title: "bytes sent", show: byteSize, value: (i) => pairs.sent_bytes[i] + pairs.sent_bytes_internal[i] },
    count: { title: "messages sent", show: grouped, value: (i) => pairs.sent[i] + pairs.sent_internal[i] },
};

const pairAt = new Map();
for (let i = 0; i < pairCount; i++) {
    pairAt.set(pairs.row[i] * sideCount + pairs.col[i], i);
}

function hostOf(place) {
    return place < rankCount ? data.ranks[place].host : "no record";
}

// Sums of a measure over each rank's row and column.
function volumes(value) {
    const sums = new Float64Array(sideCount);
    for (let i = 0; i < pairCount; i++) {
        sums[pairs.row[i]] += value(i);
        sums[pairs.col[i]] += value(i);
    }
    return sums;
}

// Orders of the ranks: a list of places in data.order.
const orders = {
    rank: () => (a, b) => data.order[a] - data.order[b],
    host: () => (a, b) => {
        const x = hostOf(a), y = hostOf(b);
        return x < y ? -1 : x > y ? 1 : data.order[a] - data.order[b];
    },
    volume: () => {
        const sums = volumes(measures.bytes.value);
        return (a, b) => sums[b] - sums[a] || data.order[a] - data.order[b];
    },
    wait: () => {
        const sums = volumes(measures.wait.value);
        return (a, b) => sums[b] - sums[a] || data.order[a] - data.order[b];
    },
};

const view = {
    measure: pairCount > 0 && range(Array.from(pairs.row, (_, i) => measures.wait.value(i))).most > 0 ? "wait" : "bytes",
    by: "rank", x: 0, y: 0, span: sideCount, order: [], place: [], row: 0, col: Math.min(1, sideCount - 1), pinned: false,
    name: (at) => String(data.order[view.order[at]]),
    border: (at) => view.by === "host" && at > 0 && at < sideCount && hostOf(view.order[at - 1]) !== hostOf(view.order[at]),
};

function sortRanks(by) {
    view.by = by;
    view.order = Array.from({ length: sideCount }, (_, at) => at).sort(orders[by]());
    view.place = [];
    view.order.forEach((rank, at) => { view.place[rank] = at; });
}

const canvas = element("canvas", { id: "matrix-canvas", tabindex: 0, role: "application",
    "aria-roledescription": "matrix of pairs", "aria-describedby": "matrix-readout",
    "aria-label": "Matrix of pairs: arrow keys move, plus and minus zoom, 0 shows all, Enter pins a pair" });
const readout = element("p", { id: "matrix-readout", class: "readout", "aria-live": "polite" });
const legend = element("div", { class: "legend" });
const detail = element("div", { class: "detail", id: "matrix-detail" });
let matrixSize = 0, drawnCells = null, drawnRange = null;

function drawMatrix() {
    const width = canvas.clientWidth, scale = window.devicePixelRatio || 1;
    if (!width) {
        return;
    }
    matrixSize = width - AXIS - 2;
    canvas.width = width * scale;
    canvas.height = width * scale;
    canvas.style.height = width + "px";
    drawnCells = cells(view, matrixSize * scale);
    const value = measures[view.measure].value;
    fillCells(drawnCells, view, (tell) => {
        for (let i = 0; i < pairCount; i++) {
            tell(pairs.row[i], pairs.col[i], value(i));
        }
    });
    drawnRange = range(drawnCells.values);
    const context = canvas.getContext("2d");
    context.scale(scale, scale);
    context.imageSmoothingEnabled = false;
    const shown = drawnCells.side * drawnCells.block * matrixSize / view.span;
    context.save();
    context.beginPath();
    context.rect(AXIS, AXIS, matrixSize, matrixSize);
    context.clip();
    context.drawImage(paint(drawnCells, drawnRange), AXIS, AXIS, shown, shown);
    context.restore();
    drawLines(context, view, matrixSize);
    drawAxes(context, view, matrixSize);
    drawMark(context, view, matrixSize, view.row, view.col);
    drawLegend();
}

function drawLegend() {
    const show = measures[view.measure].show;
    const any = drawnRange.most > 0;
    legend.replaceChildren(
        element("span", { class: "none", "aria-hidden": "true" }), element("span", { text: "none" }),
        ...(any ? [element("span", { text: show(drawnRange.least) }), element("span", { class: "ramp", "aria-hidden": "true" }),
            element("span", { text: show(drawnRange.most) + ", logarithmic" })] : []),
        ...(drawnCells.block > 1 ? [element("span", { text: "each point: the greatest of " + drawnCells.block + " × " +
            drawnCells.block + " pairs" })] : []));
}

function nameOf(place) {
    return "rank " + data.order[place] + " (" + hostOf(place) + ")";
}

function tellPair() {
    const i = pairAt.get(view.row * sideCount + view.col);
    const names = "Rank " + data.order[view.row] + ", peer " + data.order[view.col] + ": ";
    readout.textContent = names + (i === undefined ? "nothing exchanged" :
        Object.values(measures).map((found) => found.title + " " + found.show(found.value(i))).join("; "));
}

// How late a peer is, and how wrong that may be by the clocks of two hosts.
function lateness(kind, i) {
    const error = pairs[kind + "_error_ticks"][i], inferred = pairs[kind + "_inferred"][i];
    return duration(pairs[kind + "_ticks"][i]) + (error > 0 ? " ± " + duration(error) : "") +
        (inferred > 0 ? ", " + grouped(inferred) + " waits inferred" : "");
}

// A list of what is recorded of one direction of a pair.
function directionList(i) {
    const rows = [
        ["messages sent", grouped(pairs.sent[i]) + ", in collectives " + grouped(pairs.sent_internal[i])],
        ["bytes sent", byteSize(pairs.sent_bytes[i]) + ", in collectives " + byteSize(pairs.sent_bytes_internal[i])],
        ["lengths sent", byteSize(pairs.sent_smallest[i]) + " to " + byteSize(pairs.sent_largest[i])],
        ["messages received", grouped(pairs.received[i]) + ", in collectives " + grouped(pairs.received_internal[i])],
        ["from any source", grouped(pairs.received_any_source[i])],
        ["waits for its messages", duration(pairs.receive_wait_ticks[i])],
        ["because it sends late", lateness("late_sender", i)],
        ["waits until it receives", duration(pairs.send_wait_ticks[i])],
        ["because it receives late", lateness("late_receiver", i)],
    ];
    return element("dl", {}, ...rows.flatMap(([name, text]) => [element("dt", { text: name }), element("dd", { text: text })]));
}

function drawDetail() {
    const shown = [[view.row, view.col]].concat(view.row === view.col ? [] : [[view.col, view.row]]);
    detail.replaceChildren(...shown.flatMap(([row, col]) => {
        const i = pairAt.get(row * sideCount + col);
        return [element("h3", { text: nameOf(row).replace("rank", "Rank") + ", peer " + nameOf(col) }),
            i === undefined ? element("p", { text: "Nothing is recorded." }) : directionList(i)];
    }));
}

function selectPair(row, col, pin) {
    view.row = row;
    view.col = col;
    tellPair();
    if (pin) {
        view.pinned = true;
        drawDetail();
    }
    drawMatrix();
}

// Show `span` ranks each way, with a place of the order in the same part of the picture as now, or in the middle.
function zoom(span, x, y, fixed) {
    const wanted = Math.min(sideCount, Math.max(Math.min(4, sideCount), Math.round(span)));
    const part = fixed ? [(x - view.x) / view.span, (y - view.y) / view.span] : [0.5, 0.5];
    const within = (at) => Math.max(0, Math.min(sideCount - wanted, Math.round(at)));
    view.x = within(x - part[0] * wanted);
    view.y = within(y - part[1] * wanted);
    view.span = wanted;
    drawMatrix();
}

function zoomBy(factor) {
    zoom(view.span * factor, view.place[view.col], view.place[view.row], false);
}

// The places in the order under a pointer, or null.
function under(event) {
    const box = canvas.getBoundingClientRect();
    const x = (event.clientX - box.left - AXIS) / matrixSize, y = (event.clientY - box.top - AXIS) / matrixSize;
    if (x < 0 || y < 0 || x >= 1 || y >= 1) {
        return null;
    }
    return { x: view.x + Math.floor(x * view.span), y: view.y + Math.floor(y * view.span) };
}

function moveBy(x, y) {
    const within = (at) => Math.max(0, Math.min(sideCount - 1, at));
    const col = within(view.place[view.col] + x), row = within(view.place[view.row] + y);
    const shift = (from, at) => Math.min(Math.max(from, at - view.span + 1), at);
    view.x = shift(view.x, col);
    view.y = shift(view.y, row);
    selectPair(view.order[row], view.order[col], false);
}

const keys = {
    ArrowLeft: () => moveBy(-1, 0), ArrowRight: () => moveBy(1, 0), ArrowUp: () => moveBy(0, -1), ArrowDown: () => moveBy(0, 1),
    "+": () => zoomBy(0.5), "=": () => zoomBy(0.5), "-": () => zoomBy(2), 0: () => zoom(sideCount, 0, 0, false),
    Enter: () => selectPair(view.row, view.col, true),
};

function listen() {
    let from = null;
    canvas.addEventListener("keydown", (event) => {
        if (keys[event.key] && !event.ctrlKey && !event.altKey && !event.metaKey) {
            event.preventDefault();
            keys[event.key]();
        }
    });
    canvas.addEventListener("pointerdown", (event) => {
        const at = under(event);
        from = at && { x: view.x, y: view.y, clientX: event.clientX, clientY: event.clientY, moved: false };
        canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointermove", (event) => {
        const at = under(event);
        if (from && event.buttons) {
            drag(from, event);
        } else if (at && !view.pinned) {
            selectPair(view.order[at.y], view.order[at.x], false);
        }
    });
    canvas.addEventListener("pointerup", (event) => {
        const at = under(event);
        if (at && from && !from.moved) {
            selectPair(view.order[at.y], view.order[at.x], true);
        }
        from = null;
    });
    canvas.addEventListener("dblclick", (event) => {
        const at = under(event);
        if (at) {
            zoom(view.span / 2, at.x, at.y, true);
        }
    });
    canvas.addEventListener("wheel", (event) => {
        const at = under(event);
        if (at && (event.ctrlKey || document.activeElement === canvas)) {
            event.preventDefault();
            zoom(view.span * (event.deltaY > 0 ? 1.25 : 0.8), at.x, at.y, true);
        }
    }, { passive: false });
}

// Move the picture under the pointer.
function drag(from, event) {
    const point = matrixSize / view.span;
    const x = Math.round((from.clientX - event.clientX) / point), y = Math.round((from.clientY - event.clientY) / point);
    if (x === 0 && y === 0 && !from.moved) {
        return;
    }
    from.moved = from.moved || Math.hypot(from.clientX - event.clientX, from.clientY - event.clientY) > 4;
    view.x = Math.max(0, Math.min(sideCount - view.span, from.x + x));
    view.y = Math.max(0, Math.min(sideCount - view.span, from.y + y));
    drawMatrix();
}

// A place in the page to which other pictures can lead: the pair, zoomed so that it can be seen.
function showPair(row, col) {
    if (view.span > 64) {
        view.span = 32;
    }
    zoom(view.span, view.place[col], view.place[row], false);
    selectPair(row, col, true);
    document.getElementById("matrix").scrollIntoView();
    canvas.focus({ preventScroll: true });
}

function matrixControls() {
    const measure = choice("matrix-measure", "Show", Object.entries(measures).map(([key, found]) => [key, found.title]),
        (value) => { view.measure = value; drawMatrix(); });
    measure.querySelector("select").value = view.measure;
    return element("div", { class: "controls" }, measure,
        choice("matrix-order", "Order by", [["rank", "rank"], ["host", "host"], ["volume", "volume"], ["wait", "waiting"]],
            (value) => { sortRanks(value); drawMatrix(); }),
        element("button", { type: "button", id: "zoom-in", text: "+", "aria-label": "Zoom in", click: () => zoomBy(0.5) }),
        element("button", { type: "button", id: "zoom-out", text: "−", "aria-label": "Zoom out", click: () => zoomBy(2) }),
        element("button", { type: "button", id: "zoom-all", text: "All ranks", click: () => zoom(sideCount, 0, 0, false) }));
}

function pairTable(id, caption, sortBy) {
    const every = Array.from(pairs.row, (_, i) => i);
    return tableBehind(id, caption, [
        field("rank", (i) => data.order[pairs.row[i]], grouped), field("peer", (i) => data.order[pairs.col[i]], grouped),
        field("messages sent", measures.count.value, grouped), field("bytes sent", measures.bytes.value, byteSize),
        field("waits for the peer", measures.wait.value, duration),
        field("sends late", (i) => pairs.late_sender_ticks[i], duration),
        field("receives late", (i) => pairs.late_receiver_ticks[i], duration),
    ], () => every, sortBy);
}

function matrixSection() {
    sortRanks("rank");
    section("matrix", "Who talks to whom", "A row is a rank, a column the peer that it sends to or waits for. Click a pair to " +
        "keep it beside the picture; drag to move; zoom by the buttons, a double click, or the wheel after a click.",
    matrixControls(), element("div", { class: "matrix" },
        element("div", { class: "picture" }, canvas, legend, readout), detail),
    pairTable("matrix-table", "all pairs of ranks", 4));
    listen();
    tellPair();
    drawDetail();
    redraws.push(drawMatrix);
}
