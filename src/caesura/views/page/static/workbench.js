"use strict";

// The live part of the page: parameters, figures on request, files that change. Text from the server is inserted with
// textContent, never with innerHTML.
(() => {
  const page = window.caesura;
  const { byId, make, common, state } = page;
  const live = JSON.parse(byId("live").textContent);

  // -- the server ------------------------------------------------------------------------------------------------

  const problems = new Map(); // address -> message, until the same request succeeds

  const complain = (path, message) => {
    problems.delete(path);
    if (message) problems.set(path, message);
    byId("live-error").textContent = [...new Set(problems.values())].join("\n");
    byId("live-error").hidden = !problems.size;
  };

  // Ask the server; an error becomes a sentence in the page, and the result is null. Addresses are relative to the
  // page, whose own address contains the token.
  const ask = async (path, body) => {
    const request = body === undefined ? {} : {
      method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body),
    };
    try {
      const response = await fetch(path, request);
      const answer = await response.json();
      complain("server", "");
      complain(path, response.ok ? "" : answer.error);
      return response.ok ? answer : null;
    } catch {
      complain("server", "The server does not answer. If it has ended, run `caesura open` again.");
      return null;
    }
  };

  // Returns a function that runs a task for the newest arguments: while it runs, only the last call waits.
  const newest = (task) => {
    let running = false, waiting = null;
    return async (...values) => {
      waiting = values;
      if (running) return;
      running = true;
      while (waiting !== null) {
        const next = waiting;
        waiting = null;
        await task(...next);
      }
      running = false;
    };
  };

  // -- parameters ------------------------------------------------------------------------------------------------

  const measureNamed = (name) => live.controls.measures.find((entry) => entry.name === name);
  const out = new Set(); // coders who do not take part
  let values = {}; // option -> value, if it is not the default
  let shownParameters = null; // the parameters that the page shows

  // With one coder there are no parameters.
  const parameters = () => (shownParameters === null && !byId("measure").value ? {} : {
    measure: byId("measure").value, options: values,
    coders: common.coders.map((_, coder) => coder).filter((coder) => !out.has(coder)),
  });

  const set = (option, value) => {
    if (value === null || value === option.default) delete values[option.name];
    else values[option.name] = value;
    change();
  };

  const choiceOf = (option, current) => {
    const list = make("select", {}, ...(option.default === null ? [make("option", { value: "" }, "default")] : []),
      ...option.choices.map((word) => make("option", { value: word }, word)));
    list.value = current ?? "";
    list.addEventListener("change", () => set(option, list.value || null));
    return list;
  };

  const flagOf = (option, current) => {
    const box = make("input", { type: "checkbox" });
    box.checked = Boolean(current);
    box.addEventListener("change", () => set(option, box.checked));
    return box;
  };

  const fieldOf = (option, current) => {
    const isNumber = ["whole", "number"].includes(option.kind);
    const box = make("input", isNumber ? { type: "number", step: option.kind === "whole" ? "1" : "any" } : { type: "text", placeholder: "default" });
    box.value = current ?? "";
    const read = () => {
      const text = box.value.trim();
      if (text === "") return null;
      return Number.isFinite(Number(text)) ? Number(text) : text;
    };
    box.addEventListener(isNumber ? "input" : "change", () => {
      // An empty field of a number that has a default is not finished.
      if (!isNumber || box.value !== "" || option.default === null) set(option, read());
    });
    return box;
  };

  // A similarity matrix: one field per pair of types, and one for a type and no boundary.
  const matrixOf = (option, current) => {
    const types = live.controls.types, names = [...types, "none"], size = names.length;
    if (size < 3 || size > 12) return fieldOf(option, current);
    const cells = current?.matrix ?? names.map((_, i) => names.map((__, j) => Number(i === j)));
    const send = () => set(option, { types, matrix: cells });
    const cellOf = (i, j) => {
      if (i === j) return make("td", { class: "number" }, "1");
      const box = make("input", {
        type: "number", min: "0", max: "1", step: "0.1", value: cells[i][j], "aria-label": `similarity of ${names[i]} and ${names[j]}`,
      });
      box.addEventListener("input", () => {
        if (box.value === "" || !box.checkValidity()) return;
        cells[i][j] = cells[j][i] = Number(box.value);
        send();
      });
      return make("td", {}, box);
    };
    const rows = names.map((name, i) => make("tr", {}, make("th", { scope: "row", dir: "auto" }, name),
      ...names.map((_, j) => (j > i ? make("td") : cellOf(i, j)))));
    const head = make("tr", {}, make("td"), ...names.map((name) => make("th", { scope: "col", dir: "auto" }, name)));
    return make("table", { class: "similarity" }, make("thead", {}, head), make("tbody", {}, ...rows));
  };

  const CONTROLS = { choice: choiceOf, flag: flagOf, whole: fieldOf, number: fieldOf, text: fieldOf, matrix: matrixOf };

  const controlOf = (option) => {
    const control = CONTROLS[option.kind](option, values[option.name] ?? option.default);
    if (control.tagName === "TABLE") return make("div", { title: option.description }, option.name, control);
    control.dataset.option = option.name;
    return make("label", { title: option.description }, `${option.name} `, control);
  };

  const showControls = () => {
    const { options } = measureNamed(byId("measure").value);
    const hidden = options.filter((option) => !option.visible);
    byId("options").replaceChildren(...options.filter((option) => option.visible).map(controlOf));
    byId("more-options").hidden = !hidden.length;
    byId("more-options").querySelector("div").replaceChildren(...hidden.map(controlOf));
  };

  const startParameters = () => {
    const entryOf = ({ name, title, problem }) => make("option", { value: name, title: problem ?? title }, name);
    const [able, unable] = [true, false].map((fits) => live.controls.measures.filter(({ problem }) => (problem === null) === fits));
    byId("measure").append(...able.map(entryOf));
    if (unable.length) byId("measure").append(make("optgroup", { label: "need other options or data" }, ...unable.map(entryOf)));
    byId("measure").value = live.controls.measure;
    values = {};
    for (const { name, default: initial } of measureNamed(live.controls.measure).options) {
      const current = live.controls.values[name];
      if (current !== undefined && JSON.stringify(current) !== JSON.stringify(initial)) values[name] = current;
    }
    byId("measure").addEventListener("change", () => {
      values = {};
      showControls();
      change();
    });
    byId("parameters").addEventListener("submit", (event) => event.preventDefault());
    byId("taking-part").append(...common.coders.map((name, coder) => {
      const box = make("input", { type: "checkbox", checked: "", value: coder });
      box.addEventListener("change", () => {
        if (box.checked) out.delete(coder);
        else out.add(coder);
        change();
      });
      return make("label", {}, box, " ", make("bdi", {}, name));
    }));
    showControls();
    shownParameters = JSON.stringify(parameters());
  };

  // -- new numbers -----------------------------------------------------------------------------------------------

  const showRanking = ({ systems, people, measure }) => {
    byId("ranking").hidden = !systems.length;
    const rows = systems.map(([name, value], i) => [i + 1, name, value]);
    if (people !== null) rows.push(["", "human coders with each other", people]);
    const table = byId("ranking").querySelector("table");
    table.tHead.rows[0].cells[2].textContent = measure;
    table.tBodies[0].replaceChildren(...rows.map(([rank, name, value]) => make("tr", {},
      make("td", { class: "number" }, String(rank)), make("td", { dir: "auto" }, name), make("td", { class: "number" }, value.toFixed(4)))));
  };

  const showNumbers = (answer) => {
    byId("headline").textContent = answer.headline;
    byId("live-signature").textContent = answer.signature ?? "";
    if (byId("aligner")) byId("aligner").textContent = answer.aligner;
    if (!answer.counted) answer.overview.forEach((row) => { row[2] = null; }); // the numbers come with the edits
    page.update({ overview: answer.overview, others: answer.others, matrix: answer.matrix });
    showRanking(answer);
    page.replaceEdits(answer.edits.shapes, answer.edits.items);
    page.show();
    const excluded = answer.excluded.length ? [`Items that could not be scored: ${answer.excluded.slice(0, 3).join("; ")}.`] : [];
    const sentences = [`${answer.measure}, ${common.coders.length - out.size} of ${common.coders.length} coders.`, ...excluded, ...answer.warnings];
    byId("live-status").textContent = sentences.join(" ");
  };

  // The edits of the other items come after the numbers.
  const fetchEdits = newest(async (chosen) => {
    const answer = await ask("api/edits", chosen);
    if (answer === null || shownParameters !== JSON.stringify(chosen)) return;
    const { item, first, second, current } = state;
    page.replaceEdits(answer.shapes, answer.items);
    common.overview.forEach((row) => { row[2] = answer.counts[row[0]]; });
    page.update({});
    Object.assign(state, { item, first, second, current });
    byId("everything").classList.remove("busy");
    if (isSeen) page.showEverything();
  });

  const recompute = newest(async (chosen) => {
    const began = performance.now();
    byId("headline").classList.add("busy");
    const answer = await ask("api/update", { ...chosen, item: state.item });
    byId("headline").classList.remove("busy");
    if (answer === null) return;
    shownParameters = JSON.stringify(chosen);
    byId("everything").classList.add("busy");
    showNumbers(answer);
    markStale();
    byId("workbench").dataset.milliseconds = (performance.now() - began).toFixed(0);
    document.dispatchEvent(new CustomEvent("caesura:updated"));
    fetchEdits(chosen);
  });

  const change = () => recompute(parameters());

  // The list of all disagreements is made when it is seen, because sorting it takes longer than all other numbers.
  let isSeen = false;
  new IntersectionObserver((entries) => {
    isSeen = entries.at(-1).isIntersecting;
    if (isSeen) page.showEverything();
  }).observe(byId("everything"));

  // -- sections with figures ---------------------------------------------------------------------------------------

  const tableOf = ({ title, columns, numeric, rows }) => {
    const look = (i) => (numeric[i] ? { class: "number" } : { dir: "auto" });
    const head = make("tr", {}, ...columns.map((name, i) => make("th", { scope: "col", ...(numeric[i] ? { class: "number" } : {}) }, name)));
    const lines = rows.map((row) => make("tr", {}, ...row.map((cell, i) => make("td", look(i), cell))));
    const table = make("table", { class: "plain" }, ...(title ? [make("caption", {}, title)] : []), make("thead", {}, head),
      make("tbody", {}, ...lines));
    return make("div", { class: "scroll", role: "region", "aria-label": title || columns[0] || "table", tabindex: "0" }, table);
  };

  const gridOf = (table) => [...table.blocks.map(tableOf), ...table.notes.map((note) => make("p", { class: "note" }, note))];

  const pictureOf = ({ caption, source, reason }) => {
    const picture = source === null ? make("p", { class: "why" }, `This figure could not be drawn: ${reason}`)
      : make("img", { src: source, alt: caption, decoding: "async" });
    return make("figure", {}, picture, make("figcaption", { dir: "auto" }, caption));
  };

  const sectionOf = (section) => make("section", { id: section.id, "aria-labelledby": `${section.id}-title` },
    make("h2", { id: `${section.id}-title` }, section.title), make("p", { class: "lead" }, section.lead),
    ...(section.reason ? [make("p", { class: "why" }, `Nothing to show: ${section.reason}`)] : []),
    make("div", { class: "figures" }, ...section.pictures.map(pictureOf)), ...section.tables.flatMap(gridOf),
    ...section.folded.map((table) => make("details", {}, make("summary", {}, table.title || "Table"), ...gridOf(table))),
    ...section.notes.map((note) => make("p", { class: "note" }, note)));

  let sectionsOf = null; // the parameters of the sections on the page

  const showSections = newest(async () => {
    const chosen = parameters(), place = byId("live-sections");
    place.setAttribute("aria-busy", "true");
    place.prepend(make("p", { class: "stale" }, "Figures and tests are being computed…"));
    const answer = await ask("api/sections", chosen);
    place.removeAttribute("aria-busy");
    place.querySelectorAll(".stale").forEach((note) => note.remove());
    if (answer === null) return place.prepend(staleNote("The figures could not be computed."));
    sectionsOf = JSON.stringify(chosen);
    place.replaceChildren(...answer.sections.map(sectionOf));
    place.querySelectorAll("table.plain").forEach(page.shorten);
    document.querySelector("#summary .facts")?.replaceChildren(...answer.facts.map(([name, value]) => make("div", {},
      make("dt", {}, name), make("dd", { dir: "auto" }, value))));
    document.querySelector("#summary .signatures")?.replaceChildren(...answer.signatures.map((line) => make("li", {}, make("code", {}, line))));
    return markStale();
  });

  const staleNote = (text) => {
    const again = make("button", { type: "button" }, "Compute figures and tests for these parameters");
    again.addEventListener("click", showSections);
    return make("p", { class: "stale why" }, text, again);
  };

  const markStale = () => {
    const place = byId("live-sections");
    if (sectionsOf === null || place.hasAttribute("aria-busy")) return;
    place.querySelectorAll(".stale").forEach((note) => note.remove());
    if (sectionsOf !== JSON.stringify(parameters())) {
      place.prepend(staleNote("The figures, tests and method below are those of other parameters. "));
    }
  };

  const sections = new IntersectionObserver((entries) => {
    if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
    sections.disconnect();
    showSections();
  }, { rootMargin: "400px" });
  byId("live-sections").style.minHeight = "2rem";
  sections.observe(byId("live-sections"));

  // -- files that change -------------------------------------------------------------------------------------------

  const POLL = 4000; // milliseconds

  const look = async () => {
    if (document.hidden) return;
    const answer = await ask("api/state");
    if (answer === null) return;
    const names = answer.changed.slice(0, 3).join(", ") + (answer.changed.length > 3 ? " and others" : "");
    const message = answer.revision !== live.revision ? "The files were read again in another window."
      : answer.changed.length ? `Changed on disk: ${names}. The page shows what was read before.` : "";
    byId("changed").hidden = message === "";
    byId("changed").querySelector("span").textContent = message;
  };

  const reload = async () => {
    byId("reload").disabled = true;
    const answer = await ask("api/reload", {});
    byId("reload").disabled = false;
    if (answer !== null) location.reload();
  };

  byId("reload").addEventListener("click", reload);
  setInterval(look, POLL);
  document.addEventListener("visibilitychange", look);

  Object.assign(page, { ask, complain, newest, parameters, look, recompute });
  if (common.items.length && common.coders.length > 1) startParameters();
  else {
    byId("parameters").hidden = true;
    byId("live-status").textContent = common.items.length ? "There is only one coder, so there is nothing to compare." : "There is no text to show.";
  }
})();
