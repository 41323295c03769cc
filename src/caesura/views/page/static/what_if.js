"use strict";

// What if: boundaries of a scratch copy of the first coder, which the reader moves, adds and removes; and the sound of
// timed data.
(() => {
  const page = window.caesura;
  const { byId, make, draw, common, state } = page;

  // -- the scratch copy --------------------------------------------------------------------------------------------

  const ROW = 30, GAP = 6, MARGIN = 10;
  const scratch = { key: "", stream: 0, length: 1, marks: [], reference: [], width: 1 };

  const streamOf = () => page.itemData(state.item).streams?.find(({ stream }) => stream === scratch.stream);

  const marksOf = (coder) => {
    const entry = streamOf()?.marks.find(([who]) => who === coder);
    return entry === undefined ? null : entry[1].map((position, i) => ({ position, type: entry[2][i] }));
  };

  // A typed text may have a boundary at its end, which a text without types does not score.
  const last = () => (common.plain ? scratch.length - 1 : scratch.length);

  const isFree = (position, type, except) => position >= 1 && position <= last()
    && !scratch.marks.some((mark) => mark !== except && mark.position === position && (common.plain || mark.type === type));

  const xOf = (position) => MARGIN + ((scratch.width - 2 * MARGIN) * position) / scratch.length;

  const positionAt = (event, svg) => {
    const x = event.clientX - svg.getBoundingClientRect().left;
    return Math.round(((x - MARGIN) / (scratch.width - 2 * MARGIN)) * scratch.length);
  };

  const nameOf = (mark) => (common.plain ? `boundary after unit ${mark.position}` : `${common.types[mark.type]} after unit ${mark.position}`);

  const blocks = (positions, top) => {
    const edges = [0, ...new Set(positions.filter((at) => at < scratch.length)), scratch.length].sort((x, y) => x - y);
    return edges.slice(1).map((end, i) => draw("rect", {
      class: "block", x: xOf(edges[i]), y: top, width: Math.max(xOf(end) - xOf(edges[i]), 0.5), height: ROW,
    }));
  };

  const handleOf = (mark) => {
    const x = xOf(mark.position), top = ROW + GAP;
    const handle = draw("g", {
      class: "handle", tabindex: "0", role: "slider", "aria-label": nameOf(mark), "aria-valuemin": 1, "aria-valuemax": last(),
      "aria-valuenow": mark.position,
    }, draw("line", { x1: x, x2: x, y1: top - 3, y2: top + ROW + 3 }),
    draw("rect", { x: x - 6, y: top - 3, width: 12, height: ROW + 6 }));
    handle.mark = mark;
    handle.append(draw("title", {}, nameOf(mark)));
    return handle;
  };

  const render = (focused = null) => {
    const box = byId("scratch");
    scratch.width = Math.max(byId("what-if").clientWidth - 16, 6 * Math.min(scratch.length, 2000), 280);
    const svg = draw("svg", { width: scratch.width, height: 2 * ROW + GAP + 18, role: "group", "aria-label": "Scratch copy" });
    const lines = scratch.reference.map(({ position }) => draw("line", {
      class: "edge", x1: xOf(position), x2: xOf(position), y1: 0, y2: ROW,
    }));
    const track = draw("rect", {
      class: "track", x: 0, y: ROW + GAP, width: scratch.width, height: ROW, tabindex: "0", role: "button",
      "aria-label": "Add a boundary at the first free place",
    });
    const labels = [[common.coders[state.second], 12], [`scratch copy of ${common.coders[state.first]}`, ROW + GAP + 12]];
    svg.append(...blocks(scratch.reference.map(({ position }) => position), 0), ...lines,
      ...blocks(scratch.marks.map(({ position }) => position), ROW + GAP), track, ...scratch.marks.map(handleOf),
      ...labels.map(([text, y]) => draw("text", { x: MARGIN + 3, y, "pointer-events": "none" }, text)),
      draw("text", { x: MARGIN, y: 2 * ROW + GAP + 14 }, "0"),
      draw("text", { x: scratch.width - MARGIN, y: 2 * ROW + GAP + 14, "text-anchor": "end" }, String(scratch.length)));
    box.replaceChildren(svg);
    if (focused) [...svg.querySelectorAll(".handle")].find((handle) => handle.mark === focused)?.focus({ preventScroll: true });
  };

  const value = (number) => (number === null ? "undefined" : number.toFixed(4));

  const score = page.newest(async () => {
    const answer = await page.ask("api/what-if", {
      ...page.parameters(), item: state.item, coder: state.first, against: state.second, stream: common.streams[scratch.stream],
      boundaries: scratch.marks.map(({ position, type }) => [position, common.plain ? null : common.types[type]]),
    });
    if (answer === null) return;
    byId("scratch-scores").tBodies[0].replaceChildren(...answer.rows.map(([name, before, after, reason]) => {
      const step = before === null || after === null ? null : after - before;
      const change = step === null ? reason ?? "" : step === 0 ? "0" : `${step > 0 ? "+" : "−"}${Math.abs(step).toFixed(4)}`;
      const look = step ? "number changed-value" : "number";
      return make("tr", {}, make("td", {}, name), make("td", { class: "number" }, value(before)), make("td", { class: look }, value(after)),
        make("td", { class: look }, change));
    }));
    byId("what-if").dataset.scored = String(Number(byId("what-if").dataset.scored ?? 0) + 1);
  });

  const changed = (focused, text) => {
    scratch.marks.sort((x, y) => x.position - y.position || x.type - y.type);
    render(focused);
    byId("scratch-place").textContent = text;
    score();
  };

  const move = (mark, position) => {
    if (position === mark.position || !isFree(position, mark.type, mark)) return;
    mark.position = position;
    changed(mark, nameOf(mark));
  };

  const remove = (mark) => {
    scratch.marks = scratch.marks.filter((entry) => entry !== mark);
    changed(null, `removed: ${nameOf(mark)}`);
    byId("scratch").querySelector(".handle, .track")?.focus({ preventScroll: true });
  };

  const add = (position) => {
    const mark = { position, type: Number(byId("scratch-type").value || 0) };
    if (!isFree(position, mark.type, null)) return;
    scratch.marks.push(mark);
    changed(mark, `added: ${nameOf(mark)}`);
  };

  const addFirst = () => {
    for (let position = 1; position <= last(); position += 1) {
      if (isFree(position, Number(byId("scratch-type").value || 0), null)) return add(position);
    }
    return undefined;
  };

  const STEPS = { ArrowLeft: -1, ArrowRight: 1, ArrowDown: -1, ArrowUp: 1 };

  const pressed = (event) => {
    const mark = event.target.closest(".handle")?.mark;
    if (mark && event.key in STEPS) move(mark, mark.position + STEPS[event.key]);
    else if (mark && ["Delete", "Backspace"].includes(event.key)) remove(mark);
    else if (!mark && event.target.closest(".track") && event.key === "Enter") addFirst();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  // The row is drawn anew while a boundary is dragged, so the box listens, which stays.
  let dragged = null;

  const grab = (event) => {
    dragged = event.target.closest(".handle")?.mark ?? null;
    if (dragged) byId("scratch").setPointerCapture(event.pointerId);
  };

  const drag = (event) => {
    if (dragged) move(dragged, positionAt(event, byId("scratch").firstChild));
  };

  const start = () => {
    const data = page.itemData(state.item);
    const names = data.streams?.map(({ stream }) => stream) ?? [];
    if (!names.includes(scratch.stream)) [scratch.stream] = names;
    byId("scratch-streams").hidden = names.length < 2;
    byId("scratch-stream").replaceChildren(...names.map((stream) => make("option", { value: stream }, common.streams[stream])));
    byId("scratch-stream").value = scratch.stream;
    scratch.length = streamOf()?.length ?? 1;
    const own = marksOf(state.first), reference = marksOf(state.second);
    byId("scratch").replaceChildren();
    byId("scratch-scores").tBodies[0].replaceChildren();
    byId("scratch-place").textContent = own && reference ? "" : "one of the two coders did not annotate this item";
    scratch.marks = own ?? [];
    scratch.reference = reference ?? [];
    if (!own || !reference || state.first === state.second) return;
    render();
    score();
  };

  // A new choice of item or coders begins a new copy; new parameters score the same copy again.
  const shown = () => {
    if (!byId("what-if").open) return;
    const key = `${state.item} ${state.first} ${state.second}`;
    if (key !== scratch.key) start();
    else score();
    scratch.key = key;
  };

  const prepare = () => {
    byId("scratch-types").hidden = common.plain;
    byId("scratch-type").append(...common.types.map((name, code) => make("option", { value: code }, name)));
    byId("scratch-stream").addEventListener("change", (event) => {
      scratch.stream = Number(event.target.value);
      start();
    });
    byId("scratch-reset").addEventListener("click", start);
    byId("scratch").addEventListener("keydown", pressed);
    byId("scratch").addEventListener("pointerdown", grab);
    byId("scratch").addEventListener("pointermove", drag);
    for (const end of ["pointerup", "pointercancel"]) byId("scratch").addEventListener(end, () => { dragged = null; });
    byId("scratch").addEventListener("dblclick", (event) => {
      const handle = event.target.closest(".handle");
      if (handle) remove(handle.mark);
    });
    byId("scratch").addEventListener("click", (event) => {
      if (event.target.closest(".track")) add(positionAt(event, byId("scratch").firstChild));
    });
    byId("what-if").addEventListener("toggle", shown);
    window.addEventListener("resize", () => { if (byId("scratch").firstChild) render(); });
    document.addEventListener("caesura:shown", shown);
  };

  // -- sound -------------------------------------------------------------------------------------------------------

  const sounds = new Map(); // item -> answer of the server
  const player = { item: -1, end: Infinity };

  const showSound = async () => {
    const { item } = state, data = page.itemData(item);
    if (!sounds.has(item)) sounds.set(item, await page.ask(`api/sound?item=${item}`));
    const answer = sounds.get(item);
    if (answer === null || item !== state.item) return;
    // Text without times is not expected to have a sound.
    byId("sound").hidden = answer.name === null && !page.inSeconds(data);
    byId("player").hidden = answer.name === null;
    byId("sound-missing").textContent = answer.name === null ? answer.missing : `Sound: ${answer.name}`;
    for (const id of ["play-place", "play-segment"]) byId(id).disabled = !page.inSeconds(data);
    if (answer.name === null) byId("audio").removeAttribute("src");
    else if (player.item !== item) byId("audio").src = `sound?item=${item}`;
    player.item = item;
  };

  const play = (begin, end) => {
    const audio = byId("audio");
    player.end = end;
    audio.currentTime = Math.max(0, begin);
    byId("sound").dataset.stretch = `${Math.max(0, begin).toFixed(3)}-${end.toFixed(3)}`;
    audio.play().catch(() => { byId("sound-missing").textContent = "The browser cannot play this sound."; });
  };

  // The places of the selected disagreement; without one, the whole item.
  const selected = () => {
    const data = page.itemData(state.item), edit = state.edits[state.current];
    return edit === undefined ? page.extentOf(data) : page.placesOfEdit(data, edit).map(([place]) => place);
  };

  const playPlace = () => {
    if (byId("sound").hidden || byId("player").hidden || byId("play-place").disabled) return;
    const places = selected(), margin = Number(byId("margin").value) || 0;
    play(Math.min(...places) - margin, Math.max(...places) + margin);
  };

  // The segment of the first coder in which the selected place lies.
  const playSegment = () => {
    const data = page.itemData(state.item), [begin, end] = page.extentOf(data), [place] = selected();
    const stream = state.edits[state.current]?.stream ?? data.streams[0].stream;
    const own = data.streams.find((entry) => entry.stream === stream)?.marks.find(([coder]) => coder === state.first);
    const edges = [begin, ...(own?.[1] ?? []).map((at) => page.placeOf(data, at, stream, state.first)), end].sort((x, y) => x - y);
    const next = edges.find((edge) => edge > place) ?? end;
    play(edges.filter((edge) => edge < next).at(-1) ?? begin, next);
  };

  const prepareSound = () => {
    byId("audio").addEventListener("timeupdate", () => {
      if (byId("audio").currentTime >= player.end) {
        byId("audio").pause();
        player.end = Infinity;
      }
    });
    byId("audio").addEventListener("error", () => {
      if (byId("audio").hasAttribute("src")) byId("sound-missing").textContent = "The browser cannot play this sound.";
    });
    byId("play-place").addEventListener("click", playPlace);
    byId("play-segment").addEventListener("click", playSegment);
    page.KEYS.s = playPlace;
    document.addEventListener("caesura:shown", showSound);
    showSound();
  };

  if (!common.items.length || common.trees) byId("what-if").hidden = true;
  else {
    // Both belong to the item that is open, so they stand below its rows.
    byId("strip").after(byId("sound"), byId("what-if"));
    prepare();
    prepareSound();
  }
})();
