// Data of the page, and the text of an item with its boundaries. Text from files is inserted with textContent and
// setAttribute, never with innerHTML, so that a unit that looks like markup is shown as text.

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
