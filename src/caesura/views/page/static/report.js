"use strict";

// Shows the texts of the page: one item at a time, with all boundaries of any two coders. Text from files is inserted
// with textContent and setAttribute, never with innerHTML, so that a unit that looks like markup is shown as text.
(() => {
  const byId = (id) => document.getElementById(id);
  const read = (id) => JSON.parse(byId(id).textContent);
  const common = read("common");

  const MATCH = 0, DELETION = 4, INSERTION = 5;
  // Each kind has its own shape, because some readers cannot distinguish colours. If the two sides have different
  // positions, the second side has a second shape.
  const KINDS = common.trees
    ? [["same span", "●", "●"], ["aligned", "◆", "◇"], null, null, ["only in the first", "▲", "▲"],
       ["only in the second", "▼", "▼"]]
    : [["match", "●", "●"], ["near miss", "◆", "◇"], ["type confusion", "■", "■"],
       ["near miss of a different type", "★", "☆"], ["only in the first", "▲", "▲"],
       ["only in the second", "▼", "▼"]];
  // Scripts without spaces between words.
  const CLOSE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303f\uff00-\uffef]/u;
  const COLOURS = 7;

  const state = {
    item: 0, first: 0, second: 1, edits: [], current: -1, hidden: new Set(), sort: { column: -1, up: true },
  };
  const marks = new Map(); // number of an edit -> its buttons in the text
  const opened = new Map(); // items that were read before

  const make = (name, attributes = {}, ...children) => {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
      if (value !== null) element.setAttribute(key, value);
    }
    element.append(...children);
    return element;
  };

  // -- data ------------------------------------------------------------------------------------------------------

  // An item is parsed when it is first shown, because a page may contain hundreds of items.
  const itemData = (number) => {
    if (!opened.has(number)) opened.set(number, read(`item-${number}`));
    return opened.get(number);
  };

  const typeName = (code) => (code < 0 ? null : common.types[code]);

  // Two numbers per edit: the index of its shape, and its distance from the preceding edit.
  const unpack = (numbers) => {
    const edits = [];
    let place = 0;
    for (let i = 0; i < numbers.length; i += 2) {
      const [kind, shift, aType, bType, cost, stream] = common.shapes[numbers[i]];
      place += numbers[i + 1];
      const a = kind === INSERTION ? null : place - Math.min(shift, 0);
      const b = kind === DELETION ? null : place + Math.max(shift, 0);
      edits.push({ kind, a, b, aType: typeName(aType), bType: typeName(bType), cost, stream });
    }
    return edits;
  };

  const turned = (edit) => ({
    ...edit,
    kind: edit.kind === DELETION ? INSERTION : edit.kind === INSERTION ? DELETION : edit.kind,
    a: edit.b, b: edit.a, aType: edit.bType, bType: edit.aType,
  });

  // Returns the nodes of both trees in one list, with aligned nodes together; both trees keep their order.
  const unpackTrees = (left, right, numbers) => {
    const edits = [];
    let i = 0, j = 0;
    const node = (tree, at) => (at === null ? null : tree[at][1]);
    const add = (kind, a, b, cost) => edits.push({
      kind, a: a === null ? null : a + 1, b: b === null ? null : b + 1, aType: node(left, a), bType: node(right, b),
      cost, stream: 0,
    });
    const until = (a, b) => {
      for (; i < a; i += 1) add(DELETION, i, null, 1);
      for (; j < b; j += 1) add(INSERTION, null, j, 1);
    };
    for (let k = 0; k < numbers.length; k += 3) {
      until(numbers[k], numbers[k + 1]);
      add(numbers[k + 2] === 1 ? MATCH : 1, i, j, Math.round((1 - numbers[k + 2]) * 1e4) / 1e4);
      i += 1;
      j += 1;
    }
    until(left.length, right.length);
    return edits;
  };

  const treeOf = (data, coder) => (data.trees.find(([who]) => who === coder) ?? [coder, []])[1];

  // The page contains the edits of a pair once; the first side is the coder who is first in the corpus. The result is
  // null if the two coders cannot be compared on this item.
  const editsOf = (number, first, second) => {
    const data = itemData(number);
    const [low, high] = first < second ? [first, second] : [second, first];
    const packed = (data.pairs ?? data.edits)[`${low}-${high}`];
    if (packed === undefined) return null;
    const edits = common.trees ? unpackTrees(treeOf(data, low), treeOf(data, high), packed) : unpack(packed);
    return first < second ? edits : edits.map(turned);
  };

  const differs = (edit) => edit.kind !== MATCH && !state.hidden.has(edit.kind);

  // -- text ------------------------------------------------------------------------------------------------------

  const spoken = (edit) => {
    const named = (type) => (common.plain || !type ? "" : ` ${type}`);
    const side = (coder, at, type) => (at === null ? null : `${common.coders[coder]} at ${at}${named(type)}`);
    const sides = [side(state.first, edit.a, edit.aType), side(state.second, edit.b, edit.bType)];
    return `${KINDS[edit.kind][0]}: ${sides.filter(Boolean).join(", ")}`;
  };

  const markOf = (edit, number, second) => {
    const mark = make("button", {
      type: "button", class: `mark k${edit.kind}`, tabindex: "-1", "data-edit": number, "aria-label": spoken(edit),
      title: spoken(edit),
    }, KINDS[edit.kind][second ? 2 : 1]);
    mark.hidden = state.hidden.has(edit.kind);
    marks.set(number, [...(marks.get(number) ?? []), mark]);
    return mark;
  };

  const tickOf = (coder, types) => make("span", {
    class: `tick c${coder % COLOURS}${coder === state.first || coder === state.second ? " chosen" : ""}`,
    title: common.coders[coder],
  }, make("b", {}, String(coder + 1)), common.plain ? "" : make("span", {}, types.map(typeName).join("+")));

  // Position -> coder -> types.
  const placesOf = (stream) => {
    const places = new Map();
    for (const [coder, positions, types] of stream.marks) {
      positions.forEach((position, i) => {
        if (!places.has(position)) places.set(position, new Map());
        const here = places.get(position);
        here.set(coder, [...(here.get(coder) ?? []), types[i]]);
      });
    }
    return places;
  };

  // Position -> edits of this stream: number of the edit, and whether the position is on the second side.
  const signsOf = (stream) => {
    const signs = new Map();
    const put = (position, number, second) => signs.set(position, [...(signs.get(position) ?? []), [number, second]]);
    state.edits.forEach((edit, number) => {
      if (edit.stream !== stream) return;
      if (edit.a !== null) put(edit.a, number, false);
      if (edit.b !== null && edit.b !== edit.a) put(edit.b, number, true);
    });
    return signs;
  };

  const gapOf = (position, coders, signs) => {
    const gap = make("span", { class: "gap", dir: "ltr", "data-position": position });
    for (const [number, second] of signs) gap.append(markOf(state.edits[number], number, second));
    for (const [coder, types] of coders) gap.append(tickOf(coder, types));
    return gap;
  };

  const long = (units) => units !== null && units.reduce((sum, unit) => sum + unit.length, 0) > 24 * units.length;

  const spaceBetween = (unit, next) => (CLOSE.test(unit.slice(-1)) && CLOSE.test(next.slice(0, 1)) ? "" : " ");

  const showStream = (stream) => {
    const inLines = long(stream.units);
    const places = placesOf(stream), signs = signsOf(stream.stream);
    const body = make("div", { class: inLines ? "units lines" : "units", dir: "auto", lang: "" });
    for (let i = 1; i <= stream.length; i += 1) {
      const unit = stream.units === null ? String(i) : stream.units[i - 1];
      const look = stream.units === null ? "unit bare" : unit.length > 24 ? "unit" : "unit short";
      body.append(make("span", { class: look, "data-unit": i }, unit));
      if (places.has(i) || signs.has(i)) body.append(gapOf(i, places.get(i) ?? [], signs.get(i) ?? []));
      // A space also allows a line break; units on separate lines need no space.
      if (i < stream.length && !inLines) body.append(stream.units === null ? " " : spaceBetween(unit, stream.units[i]));
    }
    const name = common.streams[stream.stream];
    if (!name) return body;
    return make("section", { class: "stream", "aria-label": name }, make("h4", { dir: "auto" }, name), body);
  };

  const nodeOf = (tree, number) => {
    if (number === null) return make("span");
    const [depth, label, word] = tree[number - 1];
    const shown = make("span", { class: "node", dir: "auto" }, label || "()");
    // In deep trees, a full indent would leave no space for labels.
    shown.style.marginInlineStart = `${Math.min(depth, 24)}em`;
    if (word !== undefined) shown.append(" ", make("b", {}, word));
    return shown;
  };

  const showTrees = (data) => {
    const left = treeOf(data, state.first), right = treeOf(data, state.second);
    const rows = state.edits.map((edit, number) => {
      const mark = markOf(edit, number, false);
      const share = edit.kind === 1 ? ` ${(1 - edit.cost).toFixed(2)}` : "";
      const row = make("div", { class: "pair" }, nodeOf(left, edit.a), make("span", { class: "between" }, mark, share),
        nodeOf(right, edit.b));
      row.hidden = state.hidden.has(edit.kind);
      return row;
    });
    return make("div", { class: "trees", lang: "" }, ...rows);
  };

  // -- the strip: number of coders at each position ------------------------------------------------------------------

  const SVG = "http://www.w3.org/2000/svg";

  const stripOf = (stream) => {
    const svg = document.createElementNS(SVG, "svg");
    svg.setAttribute("viewBox", `0 0 ${Math.max(stream.length, 1)} 1`);
    svg.setAttribute("preserveAspectRatio", "none");
    const humans = stream.marks.filter(([coder]) => !common.programs.includes(coder));
    const counts = new Map();
    for (const [, positions] of humans) {
      for (const position of new Set(positions)) counts.set(position, (counts.get(position) ?? 0) + 1);
    }
    for (const [position, count] of counts) {
      const cell = document.createElementNS(SVG, "rect");
      cell.setAttribute("x", position - 0.5);
      cell.setAttribute("width", 1);
      cell.setAttribute("height", 1);
      cell.setAttribute("fill-opacity", count / humans.length);
      svg.append(cell);
    }
    return svg;
  };

  // The strip of right-to-left text also runs from right to left.
  const turnStrips = () => {
    const texts = byId("text").querySelectorAll(".units");
    [...byId("strip").children].forEach((strip, i) => {
      strip.classList.toggle("turned", getComputedStyle(texts[i]).direction === "rtl");
    });
  };

  // -- the timeline: coders as rows, segments as blocks ------------------------------------------------------------

  const ROW = 22.4, AXIS = 18; // heights in pixels; a row is as high as the name beside it
  const timeline = { scale: null, svg: null, rows: [] };

  const draw = (name, attributes, ...children) => {
    const element = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    element.append(...children);
    return element;
  };

  // One row per coder, or per speaker and coder.
  const rowsOf = (data) => data.streams.flatMap((stream) => stream.marks.map(([coder, positions, types]) => ({
    stream: stream.stream, length: stream.length, coder, positions, types,
  })));

  // The place of a position on the axis: seconds if the units have times, else units.
  const placeOf = (data, position) => (data.edges ? data.edges[position] : position);

  const edgesOf = (row) => [...new Set([0, ...row.positions.filter((at) => at < row.length), row.length])]
    .sort((x, y) => x - y);

  const blocksOf = (data, row, scale, top, height) => {
    const edges = edgesOf(row);
    const blocks = edges.slice(1).map((end, i) => {
      const from = scale(placeOf(data, edges[i])), to = scale(placeOf(data, end));
      return draw("rect", {
        class: i % 2 ? "block odd" : "block", x: from, y: top, width: Math.max(to - from, 0.5), height,
      });
    });
    const lines = row.positions.flatMap((at, i) => {
      if (at >= row.length) return [];
      const x = scale(placeOf(data, at));
      const look = common.plain ? "edge" : `edge c${row.types[i] % COLOURS}`;
      return [draw("line", { class: look, x1: x, x2: x, y1: top, y2: top + height })];
    });
    return [...blocks, ...lines];
  };

  const axisOf = (data, length, scale, top, width) => {
    const end = placeOf(data, length), begin = placeOf(data, 0);
    const rough = (end - begin) / Math.max(2, Math.floor(width / 90));
    const power = 10 ** Math.floor(Math.log10(Math.max(rough, 1e-9)));
    const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough) ?? 10 * power;
    const ticks = [];
    for (let at = Math.ceil(begin / step) * step; at <= end + 1e-9; at += step) ticks.push(at);
    const unit = data.edges ? " s" : "";
    return draw("g", { class: "axis" }, ...ticks.flatMap((at) => {
      const text = draw("text", { x: scale(at) + 2, y: top + 13 });
      text.textContent = `${Number(at.toPrecision(6))}${unit}`;
      return [draw("line", { x1: scale(at), x2: scale(at), y1: top, y2: top + 5 }), text];
    }));
  };

  const scaleOf = (data, length, width) => {
    const begin = placeOf(data, 0), extent = Math.max(placeOf(data, length) - begin, 1e-9);
    return (place) => (width * (place - begin)) / extent;
  };

  const showTimeline = () => {
    const data = itemData(state.item), box = byId("timeline");
    if (common.trees) return;
    const rows = rowsOf(data), zoom = Number(byId("zoom").value);
    const names = make("div", { class: "names" }, ...rows.map((row) => {
      const speaker = common.streams[row.stream];
      const name = make("span", { dir: "auto", title: common.coders[row.coder] }, common.coders[row.coder]);
      if (speaker) name.prepend(`${speaker} · `);
      return name;
    }));
    const area = make("div", { class: "rows" });
    box.replaceChildren(names, area);
    const width = Math.max(area.clientWidth, 200) * zoom, length = Math.max(...rows.map((row) => row.length), 1);
    const svg = draw("svg", { width, height: rows.length * ROW + AXIS, role: "img" });
    svg.setAttribute("aria-label", `${rows.length} rows of segments`);
    const scale = scaleOf(data, length, width);
    rows.forEach((row, i) => {
      svg.append(...blocksOf(data, row, scale, i * ROW + 2, ROW - 4));
      if (row.coder === state.first || row.coder === state.second) {
        svg.append(draw("rect", { class: "chosen-row", x: 0.5, y: i * ROW + 1.5, width: width - 1, height: ROW - 3 }));
      }
    });
    svg.append(axisOf(data, length, scale, rows.length * ROW, width));
    area.append(svg);
    Object.assign(timeline, { scale, svg, rows, length, width });
  };

  const pointTo = (edit) => {
    timeline.svg?.querySelectorAll(".pointer").forEach((line) => line.remove());
    if (!edit || common.trees) return;
    const data = itemData(state.item), places = [edit.a, edit.b].filter((at) => at !== null);
    for (const at of new Set(places)) {
      const x = timeline.scale(placeOf(data, at));
      timeline.svg.append(draw("line", { class: "pointer", x1: x, x2: x, y1: 0, y2: timeline.rows.length * ROW }));
      const area = timeline.svg.parentElement;
      if (x < area.scrollLeft || x > area.scrollLeft + area.clientWidth) area.scrollLeft = x - area.clientWidth / 2;
    }
  };

  // The row and the unit under the pointer.
  const under = (event) => {
    const frame = timeline.svg.getBoundingClientRect(), data = itemData(state.item);
    const x = event.clientX - frame.left, row = timeline.rows[Math.floor((event.clientY - frame.top) / ROW)];
    let low = 0, high = timeline.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (timeline.scale(placeOf(data, middle)) <= x) low = middle;
      else high = middle;
    }
    return { row, unit: low + 1, x };
  };

  const showCursor = (event) => {
    const { row, unit } = under(event), data = itemData(state.item);
    const stream = data.streams.find((entry) => row === undefined || entry.stream === row.stream);
    const words = stream?.units?.[unit - 1] ?? "";
    const time = data.edges ? `${data.edges[unit - 1]} s, ` : "";
    byId("cursor").textContent = `${time}unit ${unit}${words ? `: ${words.slice(0, 60)}` : ""}`;
  };

  // A click selects the edit of the compared pair that is nearest to the place.
  const pick = (event) => {
    const { row, x } = under(event), data = itemData(state.item);
    let best = -1, least = Infinity;
    state.edits.forEach((edit, number) => {
      if (row !== undefined && edit.stream !== row.stream) return;
      for (const at of [edit.a, edit.b]) {
        if (at === null) continue;
        const distance = Math.abs(timeline.scale(placeOf(data, at)) - x);
        if (distance < least) [best, least] = [number, distance];
      }
    });
    if (best >= 0) focusOn(best);
  };

  // -- items, worst first ---------------------------------------------------------------------------------------------

  const miniOf = (data) => {
    const rows = rowsOf(data), length = Math.max(...rows.map((row) => row.length), 1);
    const width = 400, height = Math.max(2, Math.min(6, 48 / rows.length));
    const svg = draw("svg", {
      class: "mini", viewBox: `0 0 ${width} ${rows.length * height}`, preserveAspectRatio: "none", "aria-hidden": "true",
    });
    const scale = scaleOf(data, length, width);
    rows.forEach((row, i) => svg.append(...blocksOf(data, row, scale, i * height, height * 0.8)));
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

  const showOverview = () => {
    const body = byId("overview").tBodies[0];
    body.append(...common.overview.map(overviewRow));
    if (!common.trees && seen) for (const row of body.rows) seen.observe(row);
  };

  const search = () => {
    const wanted = byId("search").value.toLocaleLowerCase();
    let shown = 0;
    for (const row of byId("overview").tBodies[0].rows) {
      row.hidden = !common.items[Number(row.dataset.item)].toLocaleLowerCase().includes(wanted);
      shown += !row.hidden;
    }
    byId("found").textContent = wanted ? `${shown} of ${common.items.length} items` : "";
  };

  // -- all disagreements ----------------------------------------------------------------------------------------------

  const MAX_RANKED = 300;

  // Every disagreement of every pair once: item, coders, number of the edit, and the edit.
  const everyDisagreement = () => {
    const found = [];
    common.items.forEach((_, item) => {
      const data = itemData(item);
      for (const pair of Object.keys(data.pairs ?? data.edits)) {
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
    ["at (first)", (entry) => entry.edit.a],
    ["at (second)", (entry) => entry.edit.b],
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
    const pair = byId("both").value;
    const chosen = disagreements.filter(({ first, second }) => !pair || pair === `${first}-${second}`);
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

  const MAX_MATRIX = 40;

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
        const button = make("button", { type: "button", "data-pair": `${row}-${column}`, "aria-label": `compare ${name} and ${other}` },
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
    const named = !common.plain;
    return [
      ...(!common.trees && common.streams.some(Boolean) ? [["stream", (edit) => common.streams[edit.stream]]] : []),
      ["kind", (edit) => KINDS[edit.kind][0]],
      [first, (edit) => edit.a],
      [second, (edit) => edit.b],
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

  // -- selection ---------------------------------------------------------------------------------------------------

  const say = (text) => {
    byId("status").textContent = text;
  };

  const showKinds = () => {
    for (const box of byId("kinds").querySelectorAll("input")) {
      const kind = Number(box.value);
      box.parentElement.querySelector(".number").textContent = state.edits.filter((edit) => edit.kind === kind).length;
    }
  };

  const showLegend = (data) => {
    const here = new Set((data.trees ?? data.streams[0].marks).map(([coder]) => coder));
    byId("legend").replaceChildren(...common.coders.map((name, coder) => {
      const program = common.programs.includes(coder) ? " (system)" : "";
      const absent = here.has(coder) ? "" : ", not on this item";
      const tick = make("span", { class: `tick c${coder % COLOURS}` }, make("b", {}, String(coder + 1)));
      return make("li", {}, tick, " ", make("bdi", {}, name), program + absent);
    }));
  };

  const pairName = () => `${common.coders[state.first]} and ${common.coders[state.second]}`;

  const show = () => {
    const data = itemData(state.item);
    const edits = editsOf(state.item, state.first, state.second);
    state.edits = edits ?? [];
    state.current = -1;
    marks.clear();
    byId("item").value = state.item;
    byId("first").value = state.first;
    byId("second").value = state.second;
    byId("pair").textContent = `${common.items[state.item]}: ${pairName()}`;
    byId("strip").replaceChildren(...(data.streams ?? []).map(stripOf));
    byId("text").replaceChildren(...(common.trees ? [showTrees(data)] : data.streams.map(showStream)));
    turnStrips();
    showTimeline();
    showLegend(data);
    showKinds();
    showTable();
    for (const row of byId("overview").tBodies[0].rows) {
      row.classList.toggle("current", Number(row.dataset.item) === state.item);
    }
    for (const cell of byId("matrix").querySelectorAll("button")) {
      cell.classList.toggle("current", cell.dataset.pair === `${state.first}-${state.second}`);
    }
    document.dispatchEvent(new CustomEvent("caesura:shown"));
    return edits !== null;
  };

  const summed = () => {
    const different = state.edits.filter((edit) => edit.kind !== MATCH).length;
    return `${byId("pair").textContent}, ${different} of ${state.edits.length} edits are disagreements`;
  };

  const choose = (change) => {
    Object.assign(state, change);
    if (show()) say(summed());
    else if (state.first === state.second) say("choose two different coders");
    else say(`${pairName()} were not compared on this item`);
    remember();
  };

  const filter = (kind, shown) => {
    if (shown) state.hidden.delete(kind);
    else state.hidden.add(kind);
    for (const mark of [...marks.values()].flat()) {
      const hidden = state.hidden.has(state.edits[Number(mark.dataset.edit)].kind);
      mark.hidden = hidden;
      if (common.trees) mark.closest(".pair").hidden = hidden;
    }
    showTable();
    say(`${KINDS[kind][0]} ${shown ? "shown" : "hidden"}`);
  };

  // -- going from one disagreement to the next ------------------------------------------------------------------------

  const focusOn = (number) => {
    document.querySelectorAll(".current").forEach((element) => element.classList.remove("current"));
    const buttons = marks.get(number) ?? [];
    for (const mark of buttons) {
      mark.hidden = false;
      mark.classList.add("current");
    }
    byId("edits").querySelector(`tr[data-edit="${number}"]`)?.classList.add("current");
    state.current = number;
    pointTo(state.edits[number]);
    remember();
    if (buttons.length) {
      buttons[0].focus({ preventScroll: true });
      // Scroll immediately, because the focused element must be visible.
      buttons[0].scrollIntoView({ block: "center", behavior: "instant" });
    }
    const disagreements = state.edits.map((edit, i) => (differs(edit) ? i : -1)).filter((i) => i >= 0);
    const place = disagreements.indexOf(number) + 1;
    const counted = place ? `, ${place} of ${disagreements.length}` : "";
    say(`${spoken(state.edits[number])}${counted} in ${common.items[state.item]}`);
  };

  const nextHere = (from, step) => {
    for (let i = from + step; i >= 0 && i < state.edits.length; i += step) {
      if (differs(state.edits[i])) return i;
    }
    return -1;
  };

  // Search the other items in a circle; the current item is searched last, from its other end.
  const nextItem = (step) => {
    const items = common.items.length;
    for (let i = 1; i <= items; i += 1) {
      const number = (state.item + i * step + i * items) % items;
      const edits = editsOf(number, state.first, state.second) ?? [];
      if (edits.some(differs)) return number;
    }
    return -1;
  };

  const go = (step) => {
    const from = state.current < 0 && step < 0 ? state.edits.length : state.current;
    let found = nextHere(from, step);
    if (found < 0) {
      const item = nextItem(step);
      if (item < 0) return say("no disagreement of the kinds that are shown");
      if (item !== state.item) choose({ item });
      found = nextHere(step > 0 ? -1 : state.edits.length, step);
    }
    return focusOn(found);
  };

  const turnTo = (step) => {
    const items = common.items.length;
    choose({ item: (state.item + step + items) % items });
  };

  const swap = () => choose({ first: state.second, second: state.first });

  const KEYS = { n: () => go(1), p: () => go(-1), "]": () => turnTo(1), "[": () => turnTo(-1), x: swap };

  const pressed = (event) => {
    // The browser searches a list of names by typing.
    const typing = event.target.closest?.("select, textarea, input:not([type=checkbox])");
    if (typing || event.ctrlKey || event.metaKey || event.altKey || !(event.key in KEYS)) return;
    event.preventDefault();
    KEYS[event.key]();
  };

  // -- start -----------------------------------------------------------------------------------------------------

  const fill = (id, names, key) => {
    byId(id).append(...names.map((name, i) => make("option", { value: i }, name)));
    byId(id).addEventListener("change", (event) => choose({ [key]: Number(event.target.value) }));
  };

  const boxOf = (kind) => {
    const box = make("input", { type: "checkbox", value: kind, checked: "" });
    box.addEventListener("change", () => filter(kind, box.checked));
    const shape = make("span", { class: `shape k${kind}`, "aria-hidden": "true" }, KINDS[kind][1]);
    return make("label", {}, box, shape, ` ${KINDS[kind][0]} `, make("span", { class: "number" }));
  };

  const startingPair = () => {
    // The item with the least agreement; with systems, a person and a system.
    for (const [item] of common.overview) {
      const pairs = Object.keys(itemData(item).pairs ?? itemData(item).edits).map((pair) => pair.split("-").map(Number));
      const mixed = pairs.find(([low, high]) => common.programs.includes(low) !== common.programs.includes(high));
      if (pairs.length) return { item, pair: mixed ?? pairs[0] };
    }
    return { item: 0, pair: [0, Math.min(1, common.coders.length - 1)] };
  };

  const start = () => {
    if (!common.items.length) return say("no text to show");
    fill("item", common.items, "item");
    fill("first", common.coders, "first");
    fill("second", common.coders, "second");
    // If there is only one type, substitutions are impossible.
    const able = (kind) => KINDS[kind] && !(common.plain && [2, 3].includes(kind));
    const kinds = KINDS.map((_, kind) => kind).filter(able);
    byId("kinds").append(...kinds.map(boxOf));
    byId("swap").addEventListener("click", swap);
    byId("next").addEventListener("click", () => go(1));
    byId("previous").addEventListener("click", () => go(-1));
    byId("save").addEventListener("click", save);
    byId("controls").addEventListener("submit", (event) => event.preventDefault());
    byId("text").addEventListener("click", (event) => {
      const mark = event.target.closest(".mark");
      if (mark) focusOn(Number(mark.dataset.edit));
    });
    document.addEventListener("keydown", pressed);
    byId("zoom").addEventListener("input", () => { showTimeline(); pointTo(state.edits[state.current]); });
    byId("timeline").addEventListener("click", (event) => { if (timeline.svg?.contains(event.target)) pick(event); });
    byId("timeline").addEventListener("mousemove", (event) => { if (timeline.svg?.contains(event.target)) showCursor(event); });
    byId("search").addEventListener("input", search);
    byId("both").append(make("option", { value: "" }, "all pairs"), ...common.matrix.cells.map(([low, high]) => make("option",
      { value: `${low}-${high}` }, `${common.coders[low]} and ${common.coders[high]}`)));
    byId("both").addEventListener("change", showEverything);
    byId("save-all").addEventListener("click", saveAll);
    window.addEventListener("hashchange", linked);
    window.addEventListener("resize", () => { showTimeline(); pointTo(state.edits[state.current]); });
    showOverview();
    showMatrix();
    showEverything();
    if (linked()) return undefined;
    const { item, pair } = startingPair();
    return choose({ item, first: pair[0], second: pair[1] });
  };

  // What the scripts of the live page use.
  window.caesura = { common, state, byId, make, draw, say, itemData, opened, editsOf, choose, focusOn, show, timeline };

  start();
})();
