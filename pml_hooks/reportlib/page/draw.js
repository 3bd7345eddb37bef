// SPDX-License-Identifier: BSD-3-Clause
// How the matrix is put on its canvas.

const AXIS = 56; // pixels of the page left of and above the matrix

// The picture of what is visible of a matrix: view is {n, order, x, y, span}, value(row, col) gives NaN for nothing.
// Where there are more pairs than points, a point is the greatest of its pairs.
function cells(view, points) {
    const block = Math.max(1, Math.ceil(view.span / points));
    const side = Math.ceil(view.span / block);
    return { block: block, side: side, values: new Float64Array(side * side).fill(NaN) };
}

function fillCells(made, view, each) {
    each((row, col, value) => {
        const y = view.place[row] - view.y, x = view.place[col] - view.x;
        if (x < 0 || y < 0 || x >= view.span || y >= view.span || !(value > 0)) {
            return;
        }
        const at = Math.floor(y / made.block) * made.side + Math.floor(x / made.block);
        if (!(made.values[at] >= value)) {
            made.values[at] = value;
        }
    });
}

function range(values) {
    let least = Infinity, most = 0;
    for (const value of values) {
        if (value > 0) {
            least = Math.min(least, value);
            most = Math.max(most, value);
        }
    }
    return { least: least, most: most };
}

// The place of a value on the ramp, 0 to 255; the scale is logarithmic.
function shade(value, found) {
    if (found.most <= found.least) {
        return 255;
    }
    return Math.round(255 * Math.log(value / found.least) / Math.log(found.most / found.least));
}

function paint(made, found) {
    const colours = ramp(), empty = parts(style("--empty"));
    const image = new ImageData(made.side, made.side);
    made.values.forEach((value, at) => {
        const from = value > 0 ? 3 * shade(value, found) : -1;
        for (let k = 0; k < 3; k++) {
            image.data[4 * at + k] = from >= 0 ? colours[from + k] : empty[k];
        }
        image.data[4 * at + 3] = 255;
    });
    const canvas = element("canvas", { width: made.side, height: made.side });
    canvas.getContext("2d").putImageData(image, 0, 0);
    return canvas;
}

// Which places get a label: about one for each so many pixels.
function labelled(view, size) {
    const steps = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096];
    const step = steps.find((candidate) => size * candidate / view.span >= 34) || view.span;
    const found = [];
    for (let at = Math.ceil(view.x / step) * step; at < view.x + view.span; at += step) {
        found.push(at);
    }
    return step === 1 ? found : found.filter((at) => at % step === 0);
}

function drawAxes(context, view, size) {
    const point = size / view.span;
    context.fillStyle = style("--muted");
    context.font = "12px system-ui, sans-serif";
    context.textBaseline = "middle";
    context.textAlign = "center";
    context.fillText("peer", AXIS + size / 2, 9);
    for (const at of labelled(view, size)) {
        context.fillText(view.name(at), AXIS + (at + 0.5 - view.x) * point, AXIS - 14);
    }
    context.textAlign = "right";
    for (const at of labelled({ x: view.y, span: view.span }, size)) {
        context.fillText(view.name(at), AXIS - 8, AXIS + (at + 0.5 - view.y) * point);
    }
    context.save();
    context.translate(9, AXIS + size / 2);
    context.rotate(-Math.PI / 2);
    context.textAlign = "center";
    context.fillText("rank", 0, 0);
    context.restore();
}

// Lines between hosts, or between cells where these are large.
function drawLines(context, view, size) {
    const point = size / view.span;
    context.strokeStyle = style("--line");
    context.lineWidth = 1;
    context.beginPath();
    for (let k = 0; k <= view.span; k++) {
        const ends = k === 0 || k === view.span;
        if (ends || point >= 12 || view.border(view.x + k)) {
            context.moveTo(AXIS + k * point, AXIS);
            context.lineTo(AXIS + k * point, AXIS + size);
        }
        if (ends || point >= 12 || view.border(view.y + k)) {
            context.moveTo(AXIS, AXIS + k * point);
            context.lineTo(AXIS + size, AXIS + k * point);
        }
    }
    context.stroke();
}

function drawMark(context, view, size, row, col) {
    const point = size / view.span;
    const x = view.place[col] - view.x, y = view.place[row] - view.y;
    if (x < 0 || y < 0 || x >= view.span || y >= view.span) {
        return;
    }
    const width = Math.max(point, 6), inset = (width - point) / 2;
    context.strokeStyle = style("--mark");
    context.lineWidth = 2.5;
    context.strokeRect(AXIS + x * point - inset, AXIS + y * point - inset, width, width);
}
