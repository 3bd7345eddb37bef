// SPDX-License-Identifier: BSD-3-Clause
// Bars, histograms and lines.

// Horizontal bars: rows are {name, value, text, click}. A row that can be clicked is a button.
function bars(rows) {
    const most = Math.max(...rows.map((row) => row.value), 0);
    return element("ul", { class: "bars" }, ...rows.map((row) => element("li", {},
        row.click ? element("button", { type: "button", class: "name", text: row.name, click: row.click })
            : element("span", { class: "name", text: row.name }),
        element("span", { class: "track", "aria-hidden": "true" },
            element("span", { class: "fill", style: "width:" + (most > 0 ? 100 * row.value / most : 0) + "%" })),
        element("span", { class: "value", text: row.text }))));
}

// A round number at or above a value: 1, 2 or 5 times a power of ten.
function roundUp(value) {
    const power = 10 ** Math.floor(Math.log10(value));
    return [1, 2, 5, 10].map((step) => step * power).find((step) => step >= value * (1 - 1e-9)) || value;
}

// The scale of a vertical axis: from a value to a height between 0 and 1, and its ticks.
function linearScale(most) {
    const step = most > 0 ? roundUp(most / 5) : 1;
    const count = Math.max(1, Math.ceil(most / step - 1e-9));
    return { height: (value) => value / (step * count), ticks: Array.from({ length: count + 1 }, (_, at) => at * step) };
}

function logScale(most) {
    const decades = Math.max(1, Math.ceil(Math.log10(Math.max(most, 1))));
    const step = Math.ceil(decades / 6);
    const ticks = [];
    for (let k = 0; k <= decades; k += step) {
        ticks.push(10 ** k);
    }
    // One is a little above the axis, so that it can be told from none.
    return { height: (value) => (value >= 1 ? 0.03 + 0.97 * Math.log10(value) / decades : 0), ticks: ticks };
}

const MARGIN = { left: 64, right: 12, top: 10, bottom: 44 };

// An empty picture with both axes; returns it and what makes coordinates.
function frame(room, height, label, scale, showTick, xTitle, yTitle) {
    const width = Math.max(room, 200);
    const inner = { width: width - MARGIN.left - MARGIN.right, height: height - MARGIN.top - MARGIN.bottom };
    const y = (value) => MARGIN.top + inner.height * (1 - scale.height(value));
    const picture = drawn("svg", { role: "img", "aria-label": label, viewBox: "0 0 " + width + " " + height, height: height });
    for (const tick of scale.ticks) {
        picture.append(drawn("line", { class: "grid", x1: MARGIN.left, x2: width - MARGIN.right, y1: y(tick), y2: y(tick) }),
            drawn("text", { x: MARGIN.left - 6, y: y(tick) + 4, "text-anchor": "end", text: showTick(tick) }));
    }
    picture.append(
        drawn("line", { class: "axis", x1: MARGIN.left, x2: width - MARGIN.right, y1: height - MARGIN.bottom,
            y2: height - MARGIN.bottom }),
        drawn("text", { x: MARGIN.left + inner.width / 2, y: height - 6, "text-anchor": "middle", text: xTitle }),
        drawn("text", { x: 12, y: MARGIN.top + inner.height / 2, "text-anchor": "middle", text: yTitle,
            transform: "rotate(-90 12 " + (MARGIN.top + inner.height / 2) + ")" }));
    return { picture: picture, inner: inner, y: y, base: height - MARGIN.bottom };
}

// Bars that stand: rows are {name, value, text}.
function histogram(width, rows, options) {
    const most = Math.max(...rows.map((row) => row.value), 0);
    const scale = options.log ? logScale(most) : linearScale(most);
    const made = frame(width, 260, options.label, scale, short, options.xTitle, options.yTitle);
    const step = made.inner.width / Math.max(1, rows.length);
    const every = Math.ceil(58 / step);
    rows.forEach((row, at) => {
        const x = MARGIN.left + at * step, top = made.y(row.value);
        made.picture.append(drawn("rect", { class: "bar", x: x + step * 0.1, width: Math.min(step * 0.8, 60), y: top,
            height: Math.max(0, made.base - top) }, drawn("title", { text: row.name + ": " + row.text })));
        if (at % every === 0) {
            made.picture.append(drawn("text", { x: x + step * 0.1 + Math.min(step * 0.8, 60) / 2, y: made.base + 16,
                "text-anchor": "middle", text: row.name }));
        }
    });
    return made.picture;
}

// A line over time with steps: values of equal slices.
function timeLine(width, values, slice, options) {
    const scale = linearScale(Math.max(...values, 0));
    const made = frame(width, 240, options.label, scale, options.show, "time since the job began", options.yTitle);
    const x = (at) => MARGIN.left + made.inner.width * at / Math.max(1, values.length);
    const points = [];
    values.forEach((value, at) => {
        points.push(x(at) + "," + made.y(value), x(at + 1) + "," + made.y(value));
    });
    made.picture.append(
        drawn("polygon", { class: "area", points: x(0) + "," + made.base + " " + points.join(" ") + " " + x(values.length) + "," +
            made.base }),
        drawn("polyline", { class: "line", points: points.join(" ") }));
    for (let part = 0; part <= 4; part++) {
        made.picture.append(drawn("text", { x: MARGIN.left + made.inner.width * part / 4, y: made.base + 16,
            "text-anchor": part === 4 ? "end" : part ? "middle" : "start",
            text: duration(slice * values.length * part / 4) }));
    }
    followPointer(made, values, slice, x, options);
    return made.picture;
}

// What a pointer on the line shows.
function followPointer(made, values, slice, x, options) {
    const cursor = drawn("line", { class: "cursor", y1: MARGIN.top, y2: made.base, visibility: "hidden" });
    made.picture.append(cursor);
    made.picture.addEventListener("pointermove", (event) => {
        const box = made.picture.getBoundingClientRect();
        const at = Math.floor((event.clientX - box.left - MARGIN.left) / made.inner.width * values.length);
        if (at < 0 || at >= values.length) {
            return;
        }
        cursor.setAttribute("x1", x(at + 0.5));
        cursor.setAttribute("x2", x(at + 0.5));
        cursor.setAttribute("visibility", "visible");
        options.tell("From " + duration(at * slice) + " to " + duration((at + 1) * slice) + ": " + options.show(values[at]));
    });
    made.picture.addEventListener("pointerleave", () => cursor.setAttribute("visibility", "hidden"));
}
