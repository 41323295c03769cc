"use strict";

// The panel in which a person decides the places where coders disagree. Text from the server is inserted with textContent,
// never with innerHTML. Coders and types are numbers in requests, so that names can contain anything.
(() => {
  const { byId, make } = window.caesura;
  const CHUNK = 200;
  const SVG = "http://www.w3.org/2000/svg";

  const queue = new Map(); // number of a place -> the place
  const state = { active: false, total: 0, at: 0, types: [], hand: null, busy: false };

  // -- talking to the server -----------------------------------------------------------------------------------------

  const complain = (message) => {
    const place = byId("adj-alert");
    place.hidden = message === "";
    place.textContent = message;
  };

  // Addresses are relative to the page, whose own address contains the token.
  const ask = async (path, body) => {
    const request = body === undefined ? {} : {
      method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body),
    };
    try {
      const response = await fetch(path, request);
      const answer = await response.json();
      if (!response.ok) complain(answer.error);
      else complain("");
      return { ok: response.ok, answer };
    } catch (error) {
      complain("The server does not answer, so nothing was decided. If it has ended, run `caesura open` again.");
      return { ok: false, answer: {} };
    }
  };

  const keep = (answer) => {
    if (answer.place) queue.set(answer.place.index, answer.place);
    if (answer.sentence !== undefined) {
      state.total = answer.total;
      byId("adj-bar").max = Math.max(answer.total, 1);
      byId("adj-bar").value = answer.decided;
      byId("adj-progress").textContent = answer.sentence;
    }
  };

  const load = async (start) => {
    const { ok, answer } = await ask(`api/adjudication?start=${start}&count=${CHUNK}`);
    if (!ok) return false;
    for (const place of answer.places) queue.set(place.index, place);
    keep(answer);
    state.types = answer.types;
    byId("adj-messages").hidden = answer.messages.length === 0;
    byId("adj-messages").replaceChildren(...answer.messages.map((message) => make("li", { dir: "auto" }, message)));
    return true;
  };

  const placeAt = async (index) => {
    if (!queue.has(index)) await load(Math.floor(index / CHUNK) * CHUNK);
    return queue.get(index);
  };

  // -- showing a place -------------------------------------------------------------------------------------------------

  const number = (value) => String(Math.round(value * 1000) / 1000);

  const spoken = (place, marks) => {
    if (marks.length === 0) return place.about === "span" ? "no span" : "no boundary";
    return marks.map((mark) => {
      const where = mark.end === undefined ? number(mark.start) : `${number(mark.start)}–${number(mark.end)}`;
      const level = mark.level === undefined ? "" : ` level ${mark.level}`;
      const what = place.about === "span" ? "" : "boundary at ";
      return `${what}${where}${place.seconds ? " s" : ""}${level}${mark.type === undefined ? "" : ` ${mark.type}`}`;
    }).join(", ");
  };

  const draw = (name, attributes) => {
    const element = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    return element;
  };

  // All rows have the same axis: the place and some units or seconds around it.
  const axisOf = (place) => {
    const margin = place.seconds ? Math.max((place.end - place.start) * 0.5, 0.5) : Math.max((place.end - place.start) * 0.5, 4);
    const from = place.start - margin, to = place.end + margin;
    return (value) => 300 * Math.min(Math.max((value - from) / (to - from), 0.005), 0.995);
  };

  const picture = (place, marks, role = "") => {
    const x = axisOf(place);
    const svg = draw("svg", { viewBox: "0 0 300 18", preserveAspectRatio: "none", "aria-hidden": "true" });
    for (const mark of marks) {
      const start = x(mark.start);
      if (mark.end === undefined) svg.append(draw("line", { x1: start, x2: start, y1: 1, y2: 17, class: role }));
      else svg.append(draw("rect", { x: start, width: Math.max(x(mark.end) - start, 3), y: 3, height: 12, class: role }));
    }
    return svg;
  };

  const same = (first, second) => JSON.stringify(first) === JSON.stringify(second);

  const row = (place, key, name, marks, act, kind) => {
    const taken = place.decision !== null && same(place.decision.marks, marks);
    const button = make("button", { type: "button", class: `adj-row ${kind}${taken ? " taken" : ""}`, "data-choice": kind },
      make("kbd", {}, key), make("bdi", {}, name),
      make("span", { class: "adj-what" }, make("span", { dir: "auto" }, spoken(place, marks)), picture(place, marks)));
    if (key) button.setAttribute("aria-keyshortcuts", key);
    button.addEventListener("click", act);
    return button;
  };

  const rowsOf = (place) => {
    const rows = place.coders.map(([name, marks], i) => row(place, i < 9 ? String(i + 1) : "", name, marks,
      () => decide({ choice: "coder", coder: i }), marks.length ? "coder" : "coder none"));
    rows.push(row(place, "m", "majority", place.majority, () => decide({ choice: "majority" }), "majority"));
    rows.push(row(place, "0", "nobody", [], () => decide({ choice: "none" }), "none"));
    if (place.earlier) {
      rows.push(row(place, "k", "keep", place.earlier.marks, () => decide({ choice: "earlier" }), "earlier"));
    }
    const hand = make("button", { type: "button", class: "adj-row hand", "data-choice": "hand", "aria-keyshortcuts": "h" },
      make("kbd", {}, "h"), make("bdi", {}, "by hand"), make("span", { class: "adj-what" },
        make("span", { id: "adj-hand-what" }, state.hand ? spoken(place, [handMark(place)]) : "choose the place"),
        picture(place, state.hand ? [handMark(place)] : [], "hand")));
    hand.addEventListener("click", byHand);
    return [...rows, hand];
  };

  // The text around a boundary that is being placed by hand; nothing if the text is not known.
  const handContext = (place) => {
    const page = window.caesura;
    if (place.seconds || place.about === "span" || page.common.items[page.state.item] !== place.item) return null;
    const streams = page.itemData(page.state.item).streams ?? [];
    const stream = streams.find((entry) => (page.common.streams[entry.stream] || null) === place.stream);
    if (!stream?.units) return null;
    const at = Math.min(Math.max(state.hand.start, 0), stream.units.length);
    return [stream.units.slice(Math.max(at - 5, 0), at).join(" "), stream.units.slice(at, at + 5).join(" ")];
  };

  const context = (place) => {
    const bar = () => make("span", { class: "bar", "aria-label": "disputed place" }, " ┃ ");
    const around = state.hand && handContext(place);
    if (around) return [around[0], bar(), around[1]];
    const parts = [place.before, bar()];
    if (place.between) parts.push(place.between, bar());
    return place.before || place.after ? [...parts, place.after] : [];
  };

  const show = (place) => {
    const card = byId("adj-card");
    card.dataset.status = place.status;
    card.dataset.index = place.index;
    const where = place.start === place.end ? number(place.start) : `${number(place.start)}–${number(place.end)}`;
    const stream = place.stream === null ? "" : `, ${place.stream}`;
    const times = place.times ? `, ${place.times.map(number).join("–")} s` : "";
    const what = place.seconds ? `${where} s` : `${place.about === "span" ? "units" : "position"} ${where}${times}`;
    byId("adj-place").textContent =
      `${place.index + 1} of ${state.total}: ${place.item}${stream}, ${what} (${place.kinds.join(", ")}; cost ${number(place.cost)})`;
    byId("adj-context").replaceChildren(...context(place));
    byId("adj-rows").replaceChildren(...rowsOf(place));
    byId("adj-decision").textContent = place.decision
      ? `${place.decision.sentence}${place.decision.note ? `: ${place.decision.note}` : ""}`
      : place.earlier ? `Before the item changed, ${place.earlier.sentence}. This does not count until you keep it.` : "Open";
  };

  const focusCard = () => byId("adj-card").focus({ preventScroll: true });

  const goTo = async (index) => {
    if (state.total === 0) return;
    const target = (index + state.total) % state.total;
    const place = await placeAt(target);
    if (!place) return;
    state.at = target;
    endHand();
    byId("adj-type").value = "";
    byId("adj-note").value = "";
    show(place);
    followItem(place);
    focusCard();
  };

  // Show the item below, unless it is shown already.
  const followItem = (place) => {
    const page = window.caesura;
    const item = page.common.items.indexOf(place.item);
    if (item >= 0 && item !== page.state.item && !page.common.trees) page.choose({ item });
  };

  // The next open place after this one; the queue is searched in a circle.
  const nextOpen = async () => {
    for (let step = 1; step <= state.total; step += 1) {
      const place = await placeAt((state.at + step) % state.total);
      if (place && place.status !== "decided") return place.index;
    }
    return -1;
  };

  // -- deciding ----------------------------------------------------------------------------------------------------------

  // A key that is pressed before the answer is shown does not count, so that nobody decides a place that was not shown.
  const inTurn = async (act) => {
    if (state.busy) return;
    state.busy = true;
    try {
      await act();
    } finally {
      state.busy = false;
    }
  };

  const decide = (choice) => inTurn(async () => {
    const place = queue.get(state.at);
    const type = byId("adj-type").value;
    const body = {
      place: place.key, revision: place.revision, adjudicator: byId("adj-name").value, note: byId("adj-note").value, ...choice,
    };
    if (type !== "" && choice.choice !== "hand") body.type = Number(type);
    const { ok, answer } = await ask("api/adjudication/decide", body);
    keep(answer);
    if (!ok) {
      if (answer.place) show(answer.place);
      return;
    }
    const next = await nextOpen();
    if (next >= 0) await goTo(next);
    else {
      endHand();
      show(answer.place);
      byId("adj-decision").textContent += " — every place is decided. Export the gold standard with e.";
      focusCard();
    }
  });

  const undo = () => inTurn(async () => {
    const { ok, answer } = await ask("api/adjudication/undo", { adjudicator: byId("adj-name").value });
    keep(answer);
    if (ok) await goTo(answer.place.index);
  });

  // -- by hand -------------------------------------------------------------------------------------------------------------

  const handMark = (place) => {
    const mark = { start: state.hand.start };
    if (place.about === "span") mark.end = state.hand.end;
    const type = byId("adj-type").value;
    if (type !== "") mark.type = state.types[Number(type)];
    else if (state.hand.type !== undefined) mark.type = state.hand.type;
    return mark;
  };

  const byHand = () => {
    const place = queue.get(state.at);
    const first = [place.majority, ...place.coders.map(([, marks]) => marks)].find((marks) => marks.length > 0)[0];
    state.hand = { start: first.start, end: first.end, type: first.type };
    const isSpan = place.about === "span";
    byId("adj-hand").hidden = false;
    byId("adj-end-label").hidden = !isSpan;
    byId("adj-from-name").textContent = isSpan ? "From" : place.seconds ? "Time" : "Position";
    for (const id of ["adj-from", "adj-to"]) byId(id).step = place.seconds ? "0.001" : "1";
    byId("adj-hand-keys").textContent = isSpan
      ? "← → move the start, Shift with ← → the end; Esc cancels" : "← → move it, with Shift ten times as far; Esc cancels";
    refreshHand();
    focusCard();
  };

  const refreshHand = () => {
    const place = queue.get(state.at);
    byId("adj-from").value = number(state.hand.start);
    if (state.hand.end !== undefined) byId("adj-to").value = number(state.hand.end);
    show(place);
  };

  const endHand = () => {
    state.hand = null;
    byId("adj-hand").hidden = true;
  };

  const move = (direction, far) => {
    const place = queue.get(state.at);
    const step = direction * (place.seconds ? 0.01 : 1);
    if (place.about === "span") state.hand[far ? "end" : "start"] += step;
    else state.hand.start += far ? 10 * step : step;
    for (const side of ["start", "end"]) {
      if (state.hand[side] !== undefined) state.hand[side] = Math.round(state.hand[side] * 1000) / 1000;
    }
    refreshHand();
  };

  const placeByHand = () => {
    const place = queue.get(state.at);
    const mark = handMark(place);
    if (mark.type !== undefined) mark.type = state.types.indexOf(mark.type);
    return decide({ choice: "hand", marks: [mark] });
  };

  // -- export --------------------------------------------------------------------------------------------------------------

  const exportGold = () => inTurn(async () => {
    byId("adj-exported").replaceChildren();
    const { ok, answer } = await ask("api/adjudication/export", { majority: byId("adj-majority").checked });
    if (!ok) return;
    const files = [...answer.files.slice(0, 20), ...(answer.files.length > 20 ? [`and ${answer.files.length - 20} more`] : [])];
    byId("adj-exported").replaceChildren(
      make("p", {}, `The gold standard was written (${answer.format}):`),
      make("ul", {}, ...[...files, `${answer.record} (who decided what)`].map((name) => make("li", {}, make("bdi", {}, name)))),
      ...answer.notes.map((note) => make("p", { class: "note", dir: "auto" }, note)));
  });

  // -- keys ----------------------------------------------------------------------------------------------------------------

  const cycleType = () => {
    const list = byId("adj-type");
    if (list.options.length < 2) return;
    list.selectedIndex = (list.selectedIndex + 1) % list.options.length;
    if (state.hand) refreshHand();
  };

  const stop = () => {
    state.active = false;
    endHand();
    byId("adj-body").hidden = true;
    byId("adj-start").hidden = false;
    byId("adj-start").focus();
  };

  const HAND_KEYS = {
    ArrowLeft: (event) => move(-1, event.shiftKey),
    ArrowRight: (event) => move(1, event.shiftKey),
    Enter: placeByHand,
    Escape: () => { endHand(); show(queue.get(state.at)); },
  };
  const KEYS = {
    m: () => decide({ choice: "majority" }),
    0: () => decide({ choice: "none" }),
    k: () => { if (queue.get(state.at).earlier) decide({ choice: "earlier" }); },
    h: byHand,
    n: () => inTurn(() => goTo(state.at + 1)),
    p: () => inTurn(() => goTo(state.at - 1)),
    u: undo,
    e: exportGold,
    t: cycleType,
    c: () => byId("adj-note").focus(),
    Escape: stop,
  };

  const coderKey = (key) => {
    const place = queue.get(state.at);
    const number = Number(key) - 1;
    if (!/^[1-9]$/.test(key) || number >= place.coders.length) return null;
    return () => decide({ choice: "coder", coder: number });
  };

  const typing = (event) => event.target.closest?.("select, textarea, input:not([type=checkbox])");

  const pressed = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.repeat && !event.key.startsWith("Arrow")) return;
    if (!state.active) {
      if (event.key === "a" && !typing(event)) {
        event.preventDefault();
        event.stopImmediatePropagation();
        start();
      }
      return;
    }
    if (typing(event)) {
      // Enter and Escape in a field go back to the place; the fields of a mark by hand are sent by their form.
      if (["Enter", "Escape"].includes(event.key) && !event.target.closest("#adj-hand") && event.target.closest("#adjudicate")) {
        event.preventDefault();
        focusCard();
      }
      return;
    }
    // Enter and arrows on buttons and in other parts of the page keep their meaning, unless a mark is placed by hand.
    const onButton = event.key === "Enter" && event.target.closest("button, a, summary");
    const act = (state.hand && !onButton && HAND_KEYS[event.key]) || KEYS[event.key] || coderKey(event.key);
    if (!act) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    act(event);
  };

  // -- start ---------------------------------------------------------------------------------------------------------------

  const start = () => inTurn(async () => {
    queue.clear();
    complain("Preparing the queue …");
    if (!await load(0)) return;
    if (state.total === 0) {
      complain("The coders agree everywhere; there is nothing to adjudicate.");
      return;
    }
    byId("adj-type").replaceChildren(make("option", { value: "" }, "as it is"),
      ...state.types.map((name, i) => make("option", { value: i }, name)));
    byId("adj-type-label").hidden = state.types.length === 0;
    byId("adj-body").hidden = false;
    byId("adj-start").hidden = true;
    state.active = true;
    state.at = -1;
    const open = await nextOpen();
    await goTo(Math.max(open, 0));
    byId("adjudicate").scrollIntoView({ block: "start", behavior: "instant" });
    if (byId("adj-name").value === "") byId("adj-name").focus({ preventScroll: true });
  });

  byId("adj-start").addEventListener("click", start);
  byId("adj-stop").addEventListener("click", stop);
  byId("adj-next").addEventListener("click", KEYS.n);
  byId("adj-previous").addEventListener("click", KEYS.p);
  byId("adj-undo").addEventListener("click", undo);
  byId("adj-export").addEventListener("click", exportGold);
  byId("adj-form").addEventListener("submit", (event) => event.preventDefault());
  byId("adj-hand").addEventListener("submit", (event) => {
    event.preventDefault();
    placeByHand();
  });
  for (const [id, side] of [["adj-from", "start"], ["adj-to", "end"]]) {
    byId(id).addEventListener("input", () => {
      const value = byId(id).valueAsNumber;
      if (state.hand && Number.isFinite(value)) {
        state.hand[side] = value;
        byId("adj-hand-what").textContent = spoken(queue.get(state.at), [handMark(queue.get(state.at))]);
      }
    });
  }
  window.addEventListener("keydown", pressed, true);
})();
