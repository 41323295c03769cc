// Lists: items, disagreements, the matrix of coders, and the table of edits.

// -- items, worst first ---------------------------------------------------------------------------------------------

const miniOf = (data) => {
  const rows = rowsOf(data), width = 400, height = Math.max(2, Math.min(6, 48 / rows.length));
  const svg = draw("svg", {
    class: "mini", viewBox: `0 0 ${width} ${rows.length * height}`, preserveAspectRatio: "none", "aria-hidden": "true",
  });
  const scale = scaleOf(data, width);
  rows.forEach((row, i) => svg.append(...barsOf(row, scale, i * height, height * 0.8, false)));
  return svg;
};

const overviewRow = ([number, value, count]) => {
  const open = make("button", { type: "button", class: "open", dir: "auto" }, common.items[number]);
  open.addEventListener("click", () => {
    choose({ item: number });
    byId("texts").scrollIntoView();
  });
  const strip = make("td", {});
  const row = make("tr", { "data-item": number }, make("td", {}, open),
    make("td", { class: "number" }, value === null ? "" : value.toFixed(3)), make("td", { class: "number" }, String(count)),
    strip);
  row.strip = strip;
  return row;
};

// Strips are drawn when their row comes into view, because a corpus may have hundreds of items.
const seen = "IntersectionObserver" in window ? new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries) {
    if (!isIntersecting) continue;
    seen.unobserve(target);
    target.strip.append(miniOf(itemData(Number(target.dataset.item))));
  }
}) : null;

const overviewRows = new Map(); // by item; a row keeps its strip when the numbers change

const overviewRowOf = ([number, value, count]) => {
  let row = overviewRows.get(number);
  if (row === undefined) {
    row = overviewRow([number, value, count]);
    overviewRows.set(number, row);
    if (!common.trees && seen) seen.observe(row);
  }
  row.cells[1].textContent = value === null ? "" : value.toFixed(3);
  row.cells[2].textContent = count === null ? "…" : String(count);
  return row;
};

// An item of which the page has no text and no edits.
const otherRow = ([name, value]) => make("tr", {}, make("td", { dir: "auto" }, name),
  make("td", { class: "number" }, value === null ? "" : value.toFixed(3)), make("td"), make("td"));

const showOverview = () => {
  byId("overview").tBodies[0].replaceChildren(...common.overview.map(overviewRowOf), ...common.others.map(otherRow));
  shorten(byId("overview"));
};

const search = () => {
  const wanted = byId("search").value.toLocaleLowerCase();
  let shown = 0;
  for (const row of byId("overview").tBodies[0].rows) {
    row.hidden = !row.cells[0].textContent.toLocaleLowerCase().includes(wanted);
    shown += !row.hidden;
  }
  byId("overview").classList.toggle("searched", wanted !== "");
  byId("found").textContent = wanted ? `${shown} of ${common.items.length + common.others.length} items` : "";
};

// -- all disagreements ----------------------------------------------------------------------------------------------

const MAX_RANKED = 300;

// Every disagreement of every pair once: item, coders, number of the edit, and the edit.
const everyDisagreement = () => {
  const found = [];
  common.items.forEach((_, item) => {
    for (const pair of Object.keys(pairsOf(item))) {
      const [first, second] = pair.split("-").map(Number);
      (editsOf(item, first, second) ?? []).forEach((edit, number) => {
        if (edit.kind !== MATCH) found.push({ item, first, second, number, edit });
      });
    }
  });
  return found.sort((x, y) => y.edit.cost - x.edit.cost || x.item - y.item || x.first - y.first || x.second - y.second
    || x.number - y.number);
};

let disagreements = null;

const RANKED = [
  ["item", (entry) => common.items[entry.item]],
  ["first", (entry) => common.coders[entry.first]],
  ["second", (entry) => common.coders[entry.second]],
  ["kind", (entry) => KINDS[entry.edit.kind][0]],
  ["at (first)", ({ item, first, edit }) => placeShown(itemData(item), edit.a, edit.stream, first)],
  ["at (second)", ({ item, second, edit }) => placeShown(itemData(item), edit.b, edit.stream, second)],
  ["type (first)", (entry) => entry.edit.aType],
  ["type (second)", (entry) => entry.edit.bType],
  ["cost", (entry) => entry.edit.cost],
];

const rankedColumns = () => RANKED.filter(([name]) => !(common.plain && name.startsWith("type")));

const goTo = ({ item, first, second, number }) => {
  choose({ item, first, second });
  focusOn(number);
  byId("timeline").scrollIntoView({ block: "center", behavior: "instant" });
};

const showEverything = () => {
  disagreements ??= everyDisagreement();
  const [pair, kind, type] = ["both", "kind", "type"].map((id) => byId(id).value);
  const chosen = disagreements.filter(({ first, second, edit }) => (!pair || pair === `${first}-${second}`)
    && (!kind || edit.kind === Number(kind)) && (!type || edit.aType === type || edit.bType === type));
  const shown = rankedColumns();
  const rows = chosen.slice(0, MAX_RANKED).map((entry) => {
    const go = make("button", { type: "button", class: `go k${entry.edit.kind}`, "aria-label": "go to this place" },
      KINDS[entry.edit.kind][1]);
    go.addEventListener("click", () => goTo(entry));
    return make("tr", {}, make("td", {}, go), ...shown.map(([, value]) => make("td", { dir: "auto" }, String(value(entry) ?? ""))));
  });
  byId("ranked").tHead.rows[0].replaceChildren(make("th", { scope: "col" }, "go"),
    ...shown.map(([name]) => make("th", { scope: "col" }, name)));
  byId("ranked").tBodies[0].replaceChildren(...rows);
  shorten(byId("ranked"));
  const first = chosen.length > MAX_RANKED ? `, the first ${MAX_RANKED} are shown` : "";
  byId("total").textContent = `${chosen.length} disagreements${first}`;
};

const saveAll = () => {
  disagreements ??= everyDisagreement();
  const shown = rankedColumns();
  const rows = disagreements.map((entry) => shown.map(([, value]) => value(entry)));
  download([shown.map(([name]) => name), ...rows], "disagreements.csv");
  say(`${rows.length} disagreements saved`);
};

// -- the matrix of coders --------------------------------------------------------------------------------------------

const MAX_MATRIX = 30;

const showMatrix = () => {
  const { cells } = common.matrix;
  byId("matrix-section").hidden = !cells.length || common.coders.length > MAX_MATRIX;
  if (byId("matrix-section").hidden) return;
  const values = new Map(cells.map(([low, high, value]) => [`${low}-${high}`, value]));
  const header = make("tr", {}, make("td"), ...common.coders.map((name) => make("th", { scope: "col", dir: "auto" }, name)));
  const lines = common.coders.map((name, row) => make("tr", {}, make("th", { scope: "row", dir: "auto" }, name),
    ...common.coders.map((other, column) => {
      const value = values.get(row < column ? `${row}-${column}` : `${column}-${row}`);
      if (row === column || value === undefined) return make("td");
      const button = make("button", { type: "button", "data-pair": `${row}-${column}`, "aria-label": `${value.toFixed(2)}, compare ${name} and ${other}` },
        value.toFixed(2));
      button.addEventListener("click", () => {
        choose({ first: row, second: column });
        byId("texts").scrollIntoView();
      });
      return make("td", {}, button);
    })));
  byId("matrix").replaceChildren(make("thead", {}, header), make("tbody", {}, ...lines));
};

// -- links to a place ------------------------------------------------------------------------------------------------

const remember = () => {
  const parts = new URLSearchParams({
    item: common.items[state.item], first: common.coders[state.first], second: common.coders[state.second],
  });
  if (state.current >= 0) parts.set("edit", state.current);
  history.replaceState(null, "", `#${parts}`);
};

const linked = () => {
  const parts = new URLSearchParams(location.hash.slice(1));
  const item = common.items.indexOf(parts.get("item"));
  const [first, second] = [parts.get("first"), parts.get("second")].map((name) => common.coders.indexOf(name));
  if (item < 0 || first < 0 || second < 0) return false;
  choose({ item, first, second });
  const edit = Number(parts.get("edit") ?? -1);
  if (edit >= 0 && edit < state.edits.length) focusOn(edit);
  return true;
};

// -- table -----------------------------------------------------------------------------------------------------

const hasText = () => (itemData(state.item).streams ?? []).some((stream) => stream.units !== null);

const textAround = (edit) => {
  const stream = itemData(state.item).streams.find((one) => one.stream === edit.stream);
  if (stream === undefined || stream.units === null) return "";
  const at = Math.min(...[edit.a, edit.b].filter((position) => position !== null));
  const near = (unit) => (unit === undefined ? "" : unit.length > 30 ? `${unit.slice(0, 29)}…` : unit);
  return `${near(stream.units[at - 1])} | ${near(stream.units[at])}`;
};

// Columns of the table and of the CSV file: a name, and a function that returns the value for an edit.
const columns = () => {
  const [first, second] = [common.coders[state.first], common.coders[state.second]];
  const named = !common.plain, data = itemData(state.item), unit = inSeconds(data) ? " (s)" : "";
  return [
    ...(!common.trees && common.streams.some(Boolean) ? [["stream", (edit) => common.streams[edit.stream]]] : []),
    ["kind", (edit) => KINDS[edit.kind][0]],
    [`${first}${unit}`, (edit) => placeShown(data, edit.a, edit.stream, state.first)],
    [`${second}${unit}`, (edit) => placeShown(data, edit.b, edit.stream, state.second)],
    ...(named ? [[`${first} type`, (edit) => edit.aType], [`${second} type`, (edit) => edit.bType]] : []),
    ["cost", (edit) => edit.cost],
    ...(hasText() ? [["text", textAround]] : []),
  ];
};

const compare = (x, y) => {
  if (x === null || y === null) return (x === null) - (y === null);
  return typeof x === "number" && typeof y === "number" ? x - y : String(x).localeCompare(String(y));
};

// Numbers of the edits that are shown, in the order of the table.
const listed = () => {
  const shown = (number) => !state.hidden.has(state.edits[number].kind);
  const numbers = state.edits.map((_, number) => number).filter(shown);
  const chosen = columns()[state.sort.column];
  if (chosen === undefined) return numbers;
  const sign = state.sort.up ? 1 : -1;
  const values = new Map(numbers.map((number) => [number, chosen[1](state.edits[number])]));
  return numbers.sort((x, y) => sign * compare(values.get(x), values.get(y)) || x - y);
};

const sortBy = (column) => {
  state.sort = { column, up: state.sort.column === column ? !state.sort.up : true };
  showTable();
  byId("edits").tHead.rows[0].cells[column + 1].firstChild.focus();
  say(`sorted by ${columns()[column][0]}, ${state.sort.up ? "ascending" : "descending"}`);
};

const headerOf = (name, column) => {
  const sorted = state.sort.column === column;
  const [direction, arrow] = !sorted ? ["none", ""] : state.sort.up ? ["ascending", " ▴"] : ["descending", " ▾"];
  const button = make("button", { type: "button" }, name, arrow);
  button.addEventListener("click", () => sortBy(column));
  return make("th", { scope: "col", "aria-sort": direction }, button);
};

const rowOf = (number, shown) => {
  const edit = state.edits[number];
  const go = make("button", { type: "button", class: `go k${edit.kind}`, "aria-label": `go to ${spoken(edit)}` },
    KINDS[edit.kind][1]);
  go.addEventListener("click", () => focusOn(number));
  const cells = shown.map(([, value]) => {
    const held = value(edit);
    const number = typeof held === "number";
    return make("td", number ? { class: "number" } : { dir: "auto" }, held === null ? "" : String(held));
  });
  return make("tr", { "data-edit": number }, make("td", {}, go), ...cells);
};

const showTable = () => {
  const table = byId("edits"), shown = columns(), numbers = listed();
  const headers = shown.map(([name], i) => headerOf(name, i));
  table.tHead.rows[0].replaceChildren(make("th", { scope: "col" }, "go"), ...headers);
  table.tBodies[0].replaceChildren(...numbers.map((number) => rowOf(number, shown)));
  shorten(table);
  byId("count").textContent = `${numbers.length} of ${state.edits.length} edits`;
};

const quoted = (value) => {
  // An apostrophe, so that no spreadsheet runs a name as a formula; numbers and "-" stay as they are.
  const mark = typeof value === "string" && value !== "-" && /^[=+\-@\0-\x1f]/.test(value) ? "'" : "";
  const text = value === null ? "" : mark + String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

const download = (rows, name) => {
  const lines = rows.map((row) => row.map(quoted).join(","));
  const address = URL.createObjectURL(new Blob([`${lines.join("\n")}\n`], { type: "text/csv" }));
  const link = make("a", { href: address, download: name });
  link.click();
  URL.revokeObjectURL(address);
};

const save = () => {
  const shown = columns(), item = common.items[state.item];
  const rows = listed().map((number) => [item, ...shown.map(([, value]) => value(state.edits[number]))]);
  download([["item", ...shown.map(([name]) => name)], ...rows], "edits.csv");
  say(`${rows.length} edits saved`);
};

// -- long tables -------------------------------------------------------------------------------------------------

const MAX_ROWS = 25;

// Shows the first rows of a table; a button shows the rest. Printed pages have all rows.
const shorten = (table) => {
  const rows = [...table.tBodies[0].rows], box = table.parentElement;
  box.querySelector(".more")?.remove();
  rows.forEach((row, i) => row.classList.toggle("beyond", i >= MAX_ROWS));
  if (rows.length <= MAX_ROWS) return;
  const more = make("button", { type: "button", class: "more" }, `Show all ${rows.length} rows`);
  more.addEventListener("click", () => {
    rows.forEach((row) => row.classList.remove("beyond"));
    more.remove();
    rows[MAX_ROWS].querySelector("button")?.focus();
  });
  box.append(more);
};
