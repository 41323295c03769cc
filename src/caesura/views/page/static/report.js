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
    item: 0, first: 0, second: 1, edits: [], current: -1, hidden: new Set(), off: new Set(), sort: { column: -1, up: true },
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

  const inSeconds = (data) => Boolean(data.edges || data.times);

  const typeName = (code) => (code < 0 ? null : common.types[code]);

  // Two numbers per edit: the index of its shape, and its distance from the preceding edit.
  const unpack = (numbers, shapes) => {
    const edits = [];
    let place = 0;
    for (let i = 0; i < numbers.length; i += 2) {
      const [kind, shift, aType, bType, cost, stream] = shapes[numbers[i]];
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

  let replaced = null; // shapes and edits of the live page, which take the place of those in the items

  // Pair of coders -> edits of an item.
  const pairsOf = (number) => {
    if (replaced) return replaced.items[number] ?? {};
    const data = itemData(number);
    return data.pairs ?? data.edits;
  };

  // The page contains the edits of a pair once; the first side is the coder who is first in the corpus. The result is
  // null if the two coders cannot be compared on this item.
  const editsOf = (number, first, second) => {
    const data = itemData(number);
    const [low, high] = first < second ? [first, second] : [second, first];
    const packed = pairsOf(number)[`${low}-${high}`];
    if (packed === undefined) return null;
    const edits = common.trees ? unpackTrees(treeOf(data, low), treeOf(data, high), packed) : unpack(packed, replaced?.shapes ?? common.shapes);
    return first < second ? edits : edits.map(turned);
  };

  const differs = (edit) => edit.kind !== MATCH && !state.hidden.has(edit.kind);

  // -- text ------------------------------------------------------------------------------------------------------

  const spoken = (edit) => {
    const named = (type) => (common.plain || !type ? "" : ` ${type}`);
    const data = itemData(state.item), unit = inSeconds(data) ? " s" : "";
    const side = (coder, position, type) => {
      if (position === null) return null;
      return `${common.coders[coder]} at ${placeShown(data, position, edit.stream, coder)}${unit}${named(type)}`;
    };
    const sides = [side(state.first, edit.a, edit.aType), side(state.second, edit.b, edit.bType)];
    return `${KINDS[edit.kind][0]}: ${sides.filter(Boolean).join(", ")}`;
  };

  const markOf = (edit, number, second) => {
    const mark = make("button", {
      type: "button", class: `mark k${edit.kind}`, tabindex: "-1", "data-edit": number, "aria-label": spoken(edit),
      title: spoken(edit),
    }, KINDS[edit.kind][second ? 2 : 1]);
    setHidden(mark, state.hidden.has(edit.kind));
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

  const setHidden = (element, hidden) => element.toggleAttribute("hidden", hidden);

  const long = (units) => units.reduce((sum, unit) => sum + unit.length, 0) > 24 * units.length;

  const spaceBetween = (unit, next) => (CLOSE.test(unit.slice(-1)) && CLOSE.test(next.slice(0, 1)) ? "" : " ");

  // The text of a stream. If the units have no text, the timeline shows everything.
  const showStream = (stream) => {
    if (stream.units === null) return "";
    const inLines = long(stream.units);
    const places = placesOf(stream), signs = signsOf(stream.stream);
    const body = make("div", { class: inLines ? "units lines" : "units", dir: "auto", lang: "" });
    for (let i = 1; i <= stream.length; i += 1) {
      const unit = stream.units[i - 1];
      body.append(make("span", { class: unit.length > 24 ? "unit" : "unit short", "data-unit": i }, unit));
      if (places.has(i) || signs.has(i)) body.append(gapOf(i, places.get(i) ?? [], signs.get(i) ?? []));
      // A space also allows a line break; units on separate lines need no space.
      if (i < stream.length && !inLines) body.append(spaceBetween(unit, stream.units[i]));
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
    shown.style.setProperty("--depth", Math.min(depth, 24));
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

  // -- the timeline: coders as rows, segments as blocks ------------------------------------------------------------

  const SVG = "http://www.w3.org/2000/svg";
  const ROW = 22, HEAD = 20, AXIS = 18; // heights in pixels of a row, of the name of a speaker, and of the axis
  const timeline = { svg: null, rows: [], signs: new Map() };

  const draw = (name, attributes, ...children) => {
    const element = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    element.append(...children);
    return element;
  };

  const titled = (element, text) => {
    if (text) element.append(draw("title", {}, text));
    return element;
  };

  // The place of a coder's boundary on the axis: seconds if the item has times, else units.
  const placeOf = (data, position, stream, coder) => {
    if (data.edges) return data.edges[position];
    return data.times ? data.times.places[`${stream}-${coder}`]?.[position] ?? data.times.end : position;
  };

  // The place of a boundary in tables and messages: null, a position or node, or seconds.
  const placeShown = (data, position, stream, coder) => (
    position === null || common.trees ? position : placeOf(data, position, stream, coder));

  const extentOf = (data) => {
    if (data.times) return [data.times.begin, data.times.end];
    const length = Math.max(...data.streams.map((stream) => stream.length), 1);
    return [placeOf(data, 0), placeOf(data, length)];
  };

  const scaleOf = (data, width) => {
    const [begin, end] = extentOf(data);
    return (place) => (width * (place - begin)) / Math.max(end - begin, 1e-9);
  };

  // Start, end, level and label of the segments between boundaries; the type of a boundary labels what ends there.
  const segmentsOf = (length, positions, types) => {
    const labels = new Map();
    positions.forEach((at, i) => labels.set(at, [...(labels.get(at) ?? []), common.plain ? "" : typeName(types[i])]));
    const ends = [...new Set([...positions.filter((at) => at < length), length])].sort((x, y) => x - y);
    return ends.map((end, i) => [i ? ends[i - 1] : 0, end, 1, (labels.get(end) ?? []).join("+")]);
  };

  // One row per coder, or per speaker and coder, with its bars and boundaries.
  const rowsOf = (data) => data.streams.flatMap((stream) => stream.marks.map(([coder, positions, types]) => {
    const own = data.bars?.find(([speaker, who]) => speaker === stream.stream && who === coder);
    const bars = own ? own[2] : segmentsOf(stream.length, positions, types);
    const edges = positions.flatMap((at, i) => (
      at < stream.length || data.times ? [[placeOf(data, at, stream.stream, coder), types[i]]] : []));
    const depth = bars.reduce((deepest, [, , level]) => Math.max(deepest, level), 1);
    return { stream: stream.stream, coder, bars, edges: depth > 1 ? [] : edges, depth };
  }));

  const isOn = ({ coder }) => !state.off.has(coder);

  // What fits into a bar: the label, its beginning, or nothing.
  const fitting = (label, width) => {
    const room = Math.floor((width - 4) / 6);
    if (!label || room < 1 || (room < 3 && label.length > room)) return "";
    return label.length <= room ? label : `${label.slice(0, room - 1)}…`;
  };

  const barsOf = (row, scale, top, height, named) => {
    const size = height / row.depth, numbers = new Map(); // number of bars on each level
    const drawn = row.bars.flatMap(([start, end, level, label]) => {
      const x = scale(start), width = Math.max(scale(end) - x, 0.5), y = top + (level - 1) * size;
      numbers.set(level, (numbers.get(level) ?? 0) + 1);
      const shade = numbers.get(level) % 2 ? "block" : "block odd";
      const look = row.depth > 1 ? `${shade} nested l${level % 3}` : shade;
      const block = draw("rect", { class: look, x, y, width, height: Math.max(size - (row.depth > 1 ? 1 : 0), 0.5) });
      if (!named) return [block];
      const text = size < 10 ? "" : fitting(label, width);
      return [titled(block, label), ...(text ? [draw("text", { class: "label", x: x + 3, y: y + size / 2 + 3.5 }, text)] : [])];
    });
    const lines = row.edges.map(([place, type]) => draw("line", {
      class: common.plain ? "edge" : `edge c${type % COLOURS}`, x1: scale(place), x2: scale(place), y1: top, y2: top + height,
    }));
    return [...drawn, ...lines];
  };

  const axisOf = (data, scale, top, width) => {
    const [begin, end] = extentOf(data), seconds = inSeconds(data);
    const rough = (end - begin) / Math.max(2, Math.floor(width / 90));
    const power = 10 ** Math.floor(Math.log10(Math.max(rough, 1e-9)));
    const round = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough) ?? 10 * power;
    const step = seconds ? round : Math.max(round, 1);
    const ticks = [];
    for (let at = Math.ceil(begin / step) * step; at <= end + 1e-9; at += step) ticks.push(at);
    return draw("g", { class: "axis" }, ...ticks.flatMap((at) => {
      const x = scale(at), last = x > width - 30;
      const name = `${Number(at.toPrecision(6))}${seconds ? " s" : ""}`;
      return [draw("line", { x1: x, x2: x, y1: top, y2: top + 5 }),
        draw("text", { x: last ? x - 2 : x + 2, y: top + 13, "text-anchor": last ? "end" : "start" }, name)];
    }));
  };

  // Puts rows below each other: a heading per speaker, its coders, and the edits of the pair that is compared.
  const layOut = (data) => {
    const lines = [];
    let top = 0;
    const add = (line, height) => {
      lines.push({ ...line, top, height });
      top += height;
    };
    const rows = rowsOf(data).filter(isOn);
    for (const { stream } of data.streams) {
      if (common.streams[stream]) add({ heading: common.streams[stream] }, HEAD);
      for (const row of rows.filter((entry) => entry.stream === stream)) {
        add({ row }, Math.max(ROW, Math.min(row.depth * 13, 160)));
      }
      add({ signs: stream }, ROW);
    }
    return { lines, height: top };
  };

  // The edits of the pair as signs between the rows; disagreements are drawn after matches, which they may cover.
  const signsIn = (data, { signs: stream, top }, scale) => {
    const numbers = state.edits.map((_, number) => number).filter((number) => state.edits[number].stream === stream);
    const look = 12 * numbers.length > timeline.width ? "sign crowded" : "sign";
    numbers.sort((x, y) => (state.edits[y].kind === MATCH) - (state.edits[x].kind === MATCH) || x - y);
    return numbers.flatMap((number) => {
      const edit = state.edits[number], places = placesOfEdit(data, edit);
      return places.map(([place, second]) => {
        const sign = titled(draw("text", {
          class: `${look} k${edit.kind}`, x: scale(place), y: top + 16, "text-anchor": "middle", role: "button", tabindex: "-1",
          "data-edit": number, "aria-label": spoken(edit),
        }, KINDS[edit.kind][second ? 2 : 1]), spoken(edit));
        setHidden(sign, state.hidden.has(edit.kind));
        timeline.signs.set(number, [...(timeline.signs.get(number) ?? []), sign]);
        return sign;
      });
    });
  };

  const placesOfEdit = (data, edit) => {
    const places = [];
    if (edit.a !== null) places.push([placeOf(data, edit.a, edit.stream, state.first), false]);
    if (edit.b !== null && edit.b !== edit.a) places.push([placeOf(data, edit.b, edit.stream, state.second), true]);
    return places;
  };

  const nameOf = (line) => {
    const text = line.heading ?? (line.row ? common.coders[line.row.coder] : "edits");
    const name = make("span", { class: line.row ? "coder" : line.heading ? "heading" : "edits", dir: "auto", title: text }, text);
    name.style.height = `${line.height}px`;
    name.style.lineHeight = `${Math.min(line.height, ROW)}px`;
    return name;
  };

  const showTimeline = () => {
    if (common.trees) return;
    const data = itemData(state.item), box = byId("timeline");
    const { lines, height } = layOut(data);
    const names = make("div", { class: "names" }, ...lines.map(nameOf));
    const area = make("div", { class: "rows", tabindex: "0", role: "group", "aria-label": "Rows of segments" });
    const before = timeline.svg?.parentElement?.scrollLeft ?? 0;
    box.replaceChildren(names, area);
    const width = Math.max(area.clientWidth, 200) * Number(byId("zoom").value);
    const crowded = rowsOf(data).some((row) => 5 * row.edges.length > width);
    const svg = draw("svg", { width, height: height + AXIS, class: crowded ? "thin" : "" }), scale = scaleOf(data, width);
    Object.assign(timeline, { svg, scale, width, lines, height, rows: lines.filter((line) => line.row), signs: new Map() });
    for (const line of lines) {
      if (line.row) {
        svg.append(...barsOf(line.row, scale, line.top + 2, line.height - 4, true));
        if (line.row.coder === state.first || line.row.coder === state.second) {
          svg.append(draw("rect", { class: "chosen-row", x: 0.5, y: line.top + 1.5, width: width - 1, height: line.height - 3 }));
        }
      } else if (!line.heading) svg.append(...signsIn(data, line, scale));
    }
    svg.append(axisOf(data, scale, height, width));
    area.append(svg);
    area.scrollLeft = before;
  };

  const pointTo = (edit) => {
    timeline.svg?.querySelectorAll(".pointer").forEach((line) => line.remove());
    if (!edit || common.trees) return;
    for (const [place] of placesOfEdit(itemData(state.item), edit)) {
      const x = timeline.scale(place), area = timeline.svg.parentElement;
      timeline.svg.append(draw("line", { class: "pointer", x1: x, x2: x, y1: 0, y2: timeline.height }));
      if (x < area.scrollLeft || x > area.scrollLeft + area.clientWidth) area.scrollLeft = x - area.clientWidth / 2;
    }
  };

  // The line and the place under the pointer; the unit, if the axis has units.
  const under = (event) => {
    const frame = timeline.svg.getBoundingClientRect(), data = itemData(state.item);
    const x = event.clientX - frame.left, y = event.clientY - frame.top;
    const line = timeline.lines.find(({ top, height }) => y >= top && y < top + height);
    const [begin, end] = extentOf(data);
    const place = begin + (x / timeline.width) * (end - begin);
    return { row: line?.row, stream: line?.row?.stream ?? line?.signs, place, x };
  };

  const unitAt = (data, place) => {
    if (data.times) return null;
    const edge = data.edges?.findIndex((time) => time > place);
    return data.edges ? (edge < 0 ? data.edges.length - 1 : Math.max(edge, 1)) : Math.floor(place) + 1;
  };

  const showCursor = (event) => {
    const { row, stream, place } = under(event), data = itemData(state.item);
    const unit = unitAt(data, place), text = data.streams.find((entry) => entry.stream === (stream ?? data.streams[0].stream));
    const words = text?.units?.[unit - 1] ?? "";
    const labels = (row?.bars ?? []).filter(([start, end, , label]) => label && start <= place && place < end).map((bar) => bar[3]);
    const parts = [inSeconds(data) ? `${place.toFixed(2)} s` : `unit ${unit}`, words.slice(0, 60), labels.join(" > ").slice(0, 80)];
    byId("cursor").textContent = parts.filter(Boolean).join(": ");
  };

  // A click selects the edit of the compared pair that is nearest to the place.
  const pick = (event) => {
    const sign = event.target.closest(".sign");
    if (sign) return focusOn(Number(sign.dataset.edit));
    const { stream, x } = under(event), data = itemData(state.item);
    let best = -1, least = Infinity;
    state.edits.forEach((edit, number) => {
      if (stream !== undefined && edit.stream !== stream) return;
      for (const [place] of placesOfEdit(data, edit)) {
        const distance = Math.abs(timeline.scale(place) - x);
        if (distance < least) [best, least] = [number, distance];
      }
    });
    return best >= 0 ? focusOn(best) : undefined;
  };

  // -- the strip: number of coders at each position, a small map of the item ------------------------------------------

  const stripOf = (data, stream) => {
    const [begin, end] = extentOf(data), extent = Math.max(end - begin, 1e-9);
    const svg = draw("svg", { viewBox: "0 0 1000 1", preserveAspectRatio: "none" });
    const humans = stream.marks.filter(([coder]) => !common.programs.includes(coder));
    const counts = new Map();
    for (const [coder, positions] of humans) {
      for (const position of new Set(positions)) {
        const place = placeOf(data, position, stream.stream, coder);
        counts.set(place, (counts.get(place) ?? 0) + 1);
      }
    }
    const width = inSeconds(data) ? 4 : Math.max(1000 / extent, 2);
    for (const [place, count] of counts) {
      svg.append(draw("rect", {
        x: (1000 * (place - begin)) / extent - width / 2, width, height: 1, "fill-opacity": count / humans.length,
      }));
    }
    return svg;
  };

  // The strip of right-to-left text also runs from right to left.
  const turnStrips = () => {
    const texts = byId("text").querySelectorAll(".units");
    [...byId("strip").children].forEach((strip, i) => {
      strip.classList.toggle("turned", texts[i] !== undefined && getComputedStyle(texts[i]).direction === "rtl");
    });
  };

  // A click on the strip scrolls the timeline to the place.
  const scrollToPlace = (event) => {
    const frame = byId("strip").getBoundingClientRect(), area = timeline.svg?.parentElement;
    if (area) area.scrollLeft = ((event.clientX - frame.left) / frame.width) * timeline.width - area.clientWidth / 2;
  };

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

  const showOverview = () => {
    byId("overview").tBodies[0].replaceChildren(...common.overview.map(overviewRowOf));
    shorten(byId("overview"));
  };

  const search = () => {
    const wanted = byId("search").value.toLocaleLowerCase();
    let shown = 0;
    for (const row of byId("overview").tBodies[0].rows) {
      row.hidden = !common.items[Number(row.dataset.item)].toLocaleLowerCase().includes(wanted);
      shown += !row.hidden;
    }
    byId("overview").classList.toggle("searched", wanted !== "");
    byId("found").textContent = wanted ? `${shown} of ${common.items.length} items` : "";
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
      const entry = [tick, " ", make("bdi", {}, name), program + absent];
      return make("li", {}, common.trees ? make("span", {}, ...entry) : make("label", {}, coderBox(coder), ...entry));
    }));
  };

  const coderBox = (coder) => {
    const box = make("input", { type: "checkbox" });
    box.checked = !state.off.has(coder);
    box.addEventListener("change", () => {
      if (box.checked) state.off.delete(coder);
      else state.off.add(coder);
      showTimeline();
      pointTo(state.edits[state.current]);
      say(`${common.coders[coder]} ${box.checked ? "shown" : "hidden"}`);
    });
    return box;
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
    byId("strip").replaceChildren(...(data.streams ?? []).map((stream) => stripOf(data, stream)));
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
    for (const mark of [...marks.values(), ...timeline.signs.values()].flat()) {
      const hidden = state.hidden.has(state.edits[Number(mark.dataset.edit)].kind);
      setHidden(mark, hidden);
      if (common.trees) setHidden(mark.closest(".pair"), hidden);
    }
    showTable();
    say(`${KINDS[kind][0]} ${shown ? "shown" : "hidden"}`);
  };

  // -- going from one disagreement to the next ------------------------------------------------------------------------

  const focusOn = (number) => {
    document.querySelectorAll(".current").forEach((element) => element.classList.remove("current"));
    // The mark in the text comes first; without text it is the sign in the timeline.
    const buttons = [...(marks.get(number) ?? []), ...(timeline.signs.get(number) ?? [])];
    for (const mark of buttons) {
      setHidden(mark, false);
      mark.classList.add("current");
    }
    const row = byId("edits").querySelector(`tr[data-edit="${number}"]`);
    row?.classList.add("current");
    row?.classList.remove("beyond");
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
      const pairs = Object.keys(pairsOf(item)).map((pair) => pair.split("-").map(Number));
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
    byId("strip").addEventListener("click", scrollToPlace);
    byId("search").addEventListener("input", search);
    byId("both").append(make("option", { value: "" }, "all pairs"), ...common.matrix.cells.map(([low, high]) => make("option",
      { value: `${low}-${high}` }, `${common.coders[low]} and ${common.coders[high]}`)));
    byId("kind").append(make("option", { value: "" }, "all kinds"),
      ...kinds.filter((kind) => kind !== MATCH).map((kind) => make("option", { value: kind }, KINDS[kind][0])));
    byId("type").append(make("option", { value: "" }, "all types"), ...common.types.map((name) => make("option", { value: name }, name)));
    setHidden(byId("type").parentElement, common.plain || common.trees);
    for (const id of ["both", "kind", "type"]) byId(id).addEventListener("change", showEverything);
    byId("save-all").addEventListener("click", saveAll);
    window.addEventListener("hashchange", linked);
    window.addEventListener("resize", () => { showTimeline(); pointTo(state.edits[state.current]); });
    document.querySelectorAll(".scroll > table.plain").forEach(shorten);
    showOverview();
    showMatrix();
    if (!common.live) showEverything(); // the live page shows it when it is seen
    if (linked()) return undefined;
    const { item, pair } = startingPair();
    return choose({ item, first: pair[0], second: pair[1] });
  };

  // -- the live page -------------------------------------------------------------------------------------------------

  // Shows new values of pairs and items.
  const update = (change) => {
    Object.assign(common, change);
    showOverview();
    showMatrix();
    byId("overview").tHead.rows[0].cells[1].textContent = common.matrix.measure || "agreement";
    byId("matrix-lead").textContent = `${common.matrix.measure} of every pair; a click compares the two.`;
  };

  // Replaces the edits of some items. Those of all other items are unknown until they come too.
  const replaceEdits = (shapes, items) => {
    const type = new Map(common.types.map((name, code) => [name, code]));
    const coded = shapes.map(([kind, shift, a, b, cost, stream]) => [
      kind, shift, type.get(a) ?? -1, type.get(b) ?? -1, cost, common.streams.indexOf(stream)]);
    disagreements = null;
    replaced = { shapes: coded, items };
  };

  // What the scripts of the live page use.
  window.caesura = {
    common, state, byId, make, draw, say, itemData, editsOf, choose, focusOn, show, timeline, update, replaceEdits, showEverything,
    placeOf, placesOfEdit, inSeconds, extentOf, shorten, KEYS,
  };

  start();
})();
