"use strict";

// Drag a boundary and watch the measures move. The formulas are written for one small text without boundary types;
// tests/docs/test_teaching.py compares their numbers with those of the package.
const teaching = (() => {
  // -- the measures ------------------------------------------------------------------------------------------------

  // Matches, near misses (boundaries next to each other) and boundaries without a partner.
  const edits = (units, first, second) => {
    let matches = 0, near = 0, single = 0, open = 0; // open: 1 or 2, the side of a boundary alone at the last position
    for (let at = 1; at < units; at += 1) {
      const side = (first.has(at) ? 1 : 0) + (second.has(at) ? 2 : 0);
      if (side === 3) matches += 1;
      if (side === 1 || side === 2) {
        single += 1;
        if (open && open !== side) {
          near += 1;
          single -= 2;
          open = 0;
          continue;
        }
      }
      open = side === 1 || side === 2 ? side : 0;
    }
    return { matches, near, single };
  };

  // A near miss costs half of a miss (n_t = 2).
  const costOf = ({ near, single }) => single + near / 2;
  const boundarySimilarity = (counts) => {
    const total = counts.matches + counts.near + counts.single;
    return total ? 1 - costOf(counts) / total : 1;
  };
  const segmentationSimilarity = (units, counts) => 1 - costOf(counts) / (units - 1);

  // Half the mean length of a reference segment, rounded half up, from 2 to the length of the text minus 1.
  const windowOf = (units, reference) => {
    const half = Math.floor(units / (2 * (reference.size + 1)) + 0.5);
    return Math.min(Math.max(half, 2), units - 1);
  };

  const countIn = (boundaries, from, to) => [...boundaries].filter((at) => from <= at && at <= to).length;

  // The share of windows in which the two sides differ: whether there is a boundary (Pk), or how many (WD).
  const windows = (units, reference, hypothesis, differ) => {
    const width = windowOf(units, reference), number = units - width;
    let different = 0;
    for (let from = 1; from <= number; from += 1) {
      const [first, second] = [reference, hypothesis].map((side) => countIn(side, from, from + width - 1));
      if (differ(first, second)) different += 1;
    }
    return different / number;
  };

  // Expected counts if both sides had a boundary at every position with the same probability.
  const expected = (units, first, second) => {
    const positions = units - 1, p = (first.size + second.size) / (2 * positions);
    const alone = p * (1 - p); // on one side only
    let near = 0, open = 0; // open: probability that a certain side has an unpaired boundary at the last position
    for (let at = 1; at <= positions; at += 1) {
      near += 2 * open * alone;
      open = alone * (1 - open);
    }
    return { matches: positions * p * p, near, single: 2 * positions * alone - 2 * near };
  };

  // All numbers of the page. The names are those of the package.
  const scores = (units, reference, hypothesis) => {
    const [first, second] = [new Set(reference), new Set(hypothesis)];
    const counts = edits(units, first, second), chance = expected(units, first, second);
    return {
      B: boundarySimilarity(counts),
      S: segmentationSimilarity(units, counts),
      Pk: windows(units, first, second, (a, b) => (a > 0) !== (b > 0)),
      WD: windows(units, first, second, (a, b) => a !== b),
      "chance B": boundarySimilarity(chance),
      "chance S": segmentationSimilarity(units, chance),
    };
  };

  // -- the page ----------------------------------------------------------------------------------------------------

  const TEXT = ["The ferry left before dawn.", "Fog lay on the water.", "Nobody spoke.", "At noon the island appeared.",
    "Its harbour was empty.", "We tied up at the old pier.", "Mara lit the stove.", "Bread and tea were all we had.",
    "Outside, the wind rose.", "By night the storm was there."];
  const REFERENCE = [3, 6];
  const ROWS = [
    ["B", "boundary similarity: 1 is full agreement; a near miss costs half of a miss", 1],
    ["S", "segmentation similarity: 1 is full agreement; empty positions count as agreement", 1],
    ["Pk", "an error rate: 0 is full agreement", -1],
    ["WD", "WindowDiff, an error rate: 0 is full agreement", -1],
    ["chance B", "B to expect if the same number of boundaries were placed at random", 0],
    ["chance S", "S to expect by the same chance", 0],
  ];
  const WIDTH = 700, LEFT = 90, ROW = 46, SVG = "http://www.w3.org/2000/svg";

  const draw = (name, attributes, ...children) => {
    const element = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    element.append(...children);
    return element;
  };
  const make = (name, attributes = {}, ...children) => {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    element.append(...children);
    return element;
  };

  const start = (box) => {
    const units = TEXT.length, mine = new Set([2, 6]);
    const x = (place) => LEFT + ((WIDTH - LEFT - 10) * place) / units;
    const placeAt = (event) => {
      const frame = svg.getBoundingClientRect();
      const at = (((event.clientX - frame.left) * WIDTH) / frame.width - LEFT) / ((WIDTH - LEFT - 10) / units);
      return Math.min(Math.max(Math.round(at), 1), units - 1);
    };
    const svg = draw("svg", { viewBox: `0 0 ${WIDTH} ${2 * ROW + 20}`, role: "group", "aria-label": "Two segmentations of the text" });
    const table = make("tbody"), text = make("ol"), status = make("p", { role: "status", "aria-live": "polite" });
    let dragged = null;

    const move = (from, to) => {
      if (to < 1 || to >= units || mine.has(to)) return from;
      mine.delete(from);
      mine.add(to);
      show(to);
      return to;
    };

    const pressed = (event, at) => {
      const step = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 }[event.key];
      if (step !== undefined) move(at, at + step);
      else if (event.key === "Delete" || event.key === "Backspace") {
        mine.delete(at);
        show([...mine][0] ?? null);
      } else return;
      event.preventDefault();
    };

    const handle = (at) => {
      const grip = draw("g", { class: "grip", tabindex: 0, role: "slider", "aria-label": "your boundary", "aria-valuemin": 1,
        "aria-valuemax": units - 1, "aria-valuenow": at, "aria-valuetext": `after sentence ${at}`, "data-at": at },
      draw("rect", { x: x(at) - 7, y: ROW + 2, width: 14, height: ROW - 10, rx: 4 }),
      draw("line", { x1: x(at), x2: x(at), y1: ROW + 2, y2: 2 * ROW - 8 }));
      grip.addEventListener("pointerdown", (event) => {
        dragged = at;
        svg.setPointerCapture?.(event.pointerId);
        event.preventDefault();
      });
      grip.addEventListener("keydown", (event) => pressed(event, at));
      return grip;
    };

    const blocks = (sorted, top) => [0, ...sorted].map((from, i) => draw("rect", {
      class: i % 2 ? "odd" : "even", x: x(from), y: top, width: x(sorted[i] ?? units) - x(from), height: ROW - 10,
    }));

    const show = (focus) => {
      const sorted = [...mine].sort((one, other) => one - other);
      svg.replaceChildren(
        draw("text", { x: 0, y: 26 }, "reference"), draw("text", { x: 0, y: ROW + 26 }, "yours"),
        ...blocks(REFERENCE, 2), ...blocks(sorted, ROW + 2),
        ...REFERENCE.map((at) => draw("line", { x1: x(at), x2: x(at), y1: 2, y2: ROW - 8 })),
        ...sorted.map(handle),
        ...TEXT.map((_, i) => draw("text", { class: "number", x: x(i + 0.5), y: 2 * ROW + 12 }, String(i + 1))),
      );
      const values = scores(units, REFERENCE, sorted);
      table.replaceChildren(...ROWS.map(([name, meaning]) => make("tr", {}, make("th", { scope: "row" }, name),
        make("td", { class: "value", "data-name": name }, values[name].toFixed(4)),
        make("td", {}, make("meter", { min: 0, max: 1, value: Math.max(values[name], 0), "aria-label": name })), make("td", {}, meaning))));
      text.replaceChildren(...TEXT.map((sentence, i) => {
        const marks = [REFERENCE.includes(i + 1) ? "reference" : "", mine.has(i + 1) ? "yours" : ""].filter(Boolean);
        return make("li", marks.length ? { class: "cut" } : {}, sentence, ...(marks.length ? [make("small", {}, ` | ${marks.join(", ")}`)] : []));
      }));
      status.textContent = `B ${values.B.toFixed(2)}, S ${values.S.toFixed(2)}, Pk ${values.Pk.toFixed(2)}, WD ${values.WD.toFixed(2)}`;
      if (focus !== null) svg.querySelector(`[data-at="${focus}"]`)?.focus();
    };

    svg.addEventListener("pointermove", (event) => {
      if (dragged !== null) dragged = move(dragged, placeAt(event));
    });
    svg.addEventListener("pointerup", () => { dragged = null; });
    svg.addEventListener("dblclick", (event) => {
      mine.add(placeAt(event));
      show(placeAt(event));
    });
    const add = make("button", { type: "button" }, "Add a boundary");
    add.addEventListener("click", () => {
      const free = TEXT.map((_, i) => i + 1).find((at) => at < units && !mine.has(at));
      if (free === undefined) return;
      mine.add(free);
      show(free);
    });
    const head = make("thead", {}, make("tr", {}, ...["measure", "value", "0 to 1", "meaning"].map((name) => make("th", { scope: "col" }, name))));
    box.append(svg, make("p", {}, add, " or double-click. Drag a boundary, or select it with Tab and use the arrow keys; Delete removes it."),
      status, make("table", {}, head, table), text);
    show(null);
  };

  return { scores, start };
})();

if (typeof module !== "undefined") module.exports = teaching;
else teaching.start(document.getElementById("teaching"));
