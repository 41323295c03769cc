// The timeline of an item, and the strip below it.

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
