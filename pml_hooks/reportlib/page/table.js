// SPDX-License-Identifier: BSD-3-Clause
// The table behind a picture.

const TABLE_STEP = 200; // rows that are shown at once

// A column of a table: its title, a function that gives a row's value, and one that makes text of it.
function field(title, value, show) {
    return { title: title, value: value, show: show || String, text: show === undefined };
}

// A table of rows that can be sorted by each column, made when it is opened. `rows` is a function.
function tableBehind(id, caption, fields, rows, sortBy) {
    const state = { sort: sortBy === undefined ? -1 : sortBy, down: true, shown: TABLE_STEP };
    const place = element("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": caption });
    const details = element("details", { id: id, toggle: () => { if (details.open) { draw(); } } },
        element("summary", { text: "Table: " + caption }), place);

    function sorted() {
        const all = rows().slice();
        if (state.sort >= 0) {
            const value = fields[state.sort].value, sign = state.down ? -1 : 1;
            // What is not known (NaN) is behind all else.
            all.sort((a, b) => {
                const x = value(a), y = value(b);
                if (Number.isNaN(x) || Number.isNaN(y)) {
                    return Number.isNaN(x) - Number.isNaN(y);
                }
                return x < y ? -sign : x > y ? sign : 0;
            });
        }
        return all;
    }

    function headCell(found, at) {
        const order = state.sort !== at ? "none" : state.down ? "descending" : "ascending";
        const mark = { none: "", descending: " ↓", ascending: " ↑" }[order];
        return element("th", { scope: "col", class: found.text ? "text" : null, "aria-sort": order },
            element("button", { type: "button", text: found.title + mark, click: () => {
                state.down = state.sort === at ? !state.down : !found.text;
                state.sort = at;
                draw();
                place.querySelectorAll("th button")[at].focus();
            } }));
    }

    function draw() {
        const all = sorted();
        const body = all.slice(0, state.shown).map((row) => element("tr", {},
            ...fields.map((found) => element("td", { class: found.text ? "text" : null, text: found.show(found.value(row)) }))));
        const left = all.length - body.length;
        place.replaceChildren(
            element("table", {}, element("caption", { text: caption + (left > 0 ? ", the first " + body.length + " of " +
                grouped(all.length) : "") }),
            element("thead", {}, element("tr", {}, ...fields.map(headCell))), element("tbody", {}, ...body)));
        if (left > 0) {
            place.append(element("button", { type: "button", class: "more", text: "Show " + TABLE_STEP + " more",
                click: () => { state.shown += TABLE_STEP; draw(); } }));
        }
    }

    details.redraw = () => { if (details.open) { draw(); } };
    return details;
}
