// Selection, keys, start, and what the live page uses.

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
  byId("search").addEventListener("input", search);
  showOverview();
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
