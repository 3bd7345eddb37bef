// SPDX-License-Identifier: BSD-3-Clause
// The data of the page, elements, numbers with units.

const KINDS = { u32: Uint32Array, f32: Float32Array, f64: Float64Array };

// A column of numbers of its base64.
function column(packed) {
    const text = atob(packed.base64);
    const bytes = new Uint8Array(text.length);
    for (let i = 0; i < text.length; i++) {
        bytes[i] = text.charCodeAt(i);
    }
    return new KINDS[packed.type](bytes.buffer);
}

function columns(packed) {
    const found = {};
    for (const [name, value] of Object.entries(packed)) {
        found[name] = value !== null && typeof value === "object" ? column(value) : value;
    }
    return found;
}

const data = JSON.parse(document.getElementById("data").textContent);
const pairs = columns(data.pairs);
const sizes = columns(data.sizes);
const slices = columns(data.slices);
const rankCount = data.ranks.length;

// An element with attributes; "text" is its text, a function is a listener.
function element(name, attributes, ...children) {
    return fill(document.createElement(name), attributes, children);
}

function drawn(name, attributes, ...children) {
    return fill(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
}

function fill(made, attributes, children) {
    for (const [key, value] of Object.entries(attributes || {})) {
        if (typeof value === "function") {
            made.addEventListener(key, value);
        } else if (key === "text") {
            made.textContent = value;
        } else if (value !== null && value !== undefined && value !== false) {
            made.setAttribute(key, value === true ? "" : value);
        }
    }
    made.append(...children.filter((child) => child !== null && child !== undefined));
    return made;
}

// ---- numbers

function digits(value, count) {
    return Number(value.toPrecision(count)).toString();
}

function duration(seconds) {
    if (!Number.isFinite(seconds)) {
        return "not known";
    }
    if (seconds === 0) {
        return "0 s";
    }
    const minutes = Number(digits(seconds / 60, 3)); // as they are printed
    if (minutes >= 60) {
        return digits(seconds / 3600, 3) + " h";
    }
    if (minutes >= 10) {
        return digits(seconds / 60, 3) + " min";
    }
    for (const [unit, factor] of [["s", 1], ["ms", 1e3], ["µs", 1e6]]) {
        if (Number(digits(seconds * factor, 3)) >= 1) {
            return digits(seconds * factor, 3) + " " + unit;
        }
    }
    return digits(seconds * 1e9, 3) + " ns";
}

function byteSize(count) {
    for (const [unit, factor] of [["TiB", 2 ** 40], ["GiB", 2 ** 30], ["MiB", 2 ** 20], ["KiB", 1024]]) {
        if (count >= factor) {
            return digits(count / factor, 4) + " " + unit;
        }
    }
    return digits(count, 4) + " B";
}

// A number with a thin space between each three digits.
function grouped(value) {
    return Number.isInteger(value) ? String(value).replace(/\B(?=(\d{3})+$)/g, "\u202f") : digits(value, 4);
}

function short(value) {
    for (const [unit, factor] of [["G", 1e9], ["M", 1e6], ["k", 1e3]]) {
        if (value >= factor) {
            return digits(value / factor, 3) + " " + unit;
        }
    }
    return digits(value, 3);
}

function percent(part, whole) {
    const value = whole > 0 ? 100 * part / whole : 0;
    return Number(value.toFixed(value >= 10 ? 0 : value >= 1 ? 1 : 2)) + " %";
}

function ranksText(ranks) {
    const shown = ranks.slice(0, 12).join(", ");
    return ranks.length > 12 ? shown + " and " + (ranks.length - 12) + " more" : shown;
}

// ---- sections and controls

const redraws = []; // what draws a picture again: colours or widths have changed

function redrawAll() {
    for (const redraw of redraws) {
        redraw();
    }
}

function section(id, title, about, ...children) {
    const head = element("h2", { id: id + "-title", text: title });
    const made = element("section", { id: id, "aria-labelledby": id + "-title" }, head,
        about ? element("p", { class: "about", text: about }) : null, ...children);
    document.getElementById("content").append(made);
    document.getElementById("contents").append(element("a", { href: "#" + id, text: title }));
    return made;
}

// A choice: options are [value, text].
function choice(id, label, options, change) {
    const select = element("select", { id: id, change: () => change(select.value) },
        ...options.map(([value, text]) => element("option", { value: value, text: text })));
    return element("label", {}, label, select);
}

// The number of a rank, or nothing for all of them; tells the place in data.ranks, or -1.
function rankChoice(id, change) {
    const hint = element("span", { role: "status", class: "hint" });
    const input = element("input", { id: id, type: "number", min: 0, max: data.size - 1, placeholder: "all",
        input: () => {
            const place = input.value === "" ? -1 : data.ranks.findIndex((row) => row.rank === Number(input.value));
            hint.textContent = input.value !== "" && place < 0 ? "no record of this rank" : "";
            input.setCustomValidity(hint.textContent);
            if (!hint.textContent) {
                change(place);
            }
        } });
    return element("label", {}, "Rank", input, hint);
}

function style(name) {
    return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

function parts(colour) {
    return [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
}

// 256 colours from low over mid to high, as bytes.
function ramp() {
    const stops = ["--ramp-low", "--ramp-mid", "--ramp-high"].map((name) => parts(style(name)));
    const made = new Uint8Array(256 * 3);
    for (let i = 0; i < 256; i++) {
        const at = i / 255 * 2;
        const from = stops[Math.min(1, Math.floor(at))], to = stops[Math.min(2, Math.floor(at) + 1)];
        for (let k = 0; k < 3; k++) {
            made[3 * i + k] = Math.round(from[k] + (to[k] - from[k]) * (at - Math.min(1, Math.floor(at))));
        }
    }
    return made;
}

// ---- light and dark

const systemDark = window.matchMedia("(prefers-color-scheme: dark)");

function applyTheme() {
    const wanted = document.getElementById("theme").value || (systemDark.matches ? "dark" : "light");
    document.documentElement.dataset.theme = wanted;
    redrawAll();
}

document.getElementById("theme").addEventListener("change", applyTheme);
systemDark.addEventListener("change", applyTheme);
