/* The script of the page: it computes a lookup and its product with one-hot vectors for the ids that are typed, and lights
   up what belongs together.  W is the table, WORDS are the names of its rows, and MOST is how many ids there may be. */
"use strict";
const V = W.length, D = W[0].length;
const find = (selector) => document.querySelector(selector);
const [field, told] = [find("#typed"), find("#told")];
const invitation = told.textContent;
let ids, parts, tokens, sentences, held, step;

/* The ids of a text, in which a row of the table may also be named by its word; null if one is not there. */
function read(text) {
  const found = text.toLowerCase().split(/[\s,]+/).filter(Boolean)
    .map((each) => (WORDS.includes(each) ? WORDS.indexOf(each) : /^\d+$/.test(each) ? Number(each) : V));
  return found.length > 0 && found.length <= MOST && found.every((id) => id < V) ? found : null;
}

const transposed = (a) => a[0].map((_, column) => a.map((row) => row[column]));
const times = (a, b) => a.map((row) => transposed(b).map((column) => row.reduce((sum, x, k) => sum + x * column[k], 0)));

/* Both ways, forward and backward: the numbers of `minigrad.explain.picture.pair`, with which the tests compare them. */
function compute(ids) {
  const one_hot = ids.map((id) => W.map((_, v) => Number(v === id)));
  const upstream = ids.map((_, n) => W[0].map((_, d) => n * D + d + 1));
  const gradient = W.map((row) => row.map(() => 0));
  ids.forEach((id, n) => upstream[n].forEach((g, d) => { gradient[id][d] += g; }));
  return {
    table: W, upstream, one_hot, rows: ids.map((id) => W[id]), gradient,
    product: times(one_hot, W), product_gradient: times(transposed(one_hot), upstream),
  };
}

const numeral = (x) => (Number.isInteger(x) ? String(x) : Math.abs(x) < 0.005 ? x.toPrecision(2) : x.toFixed(2));
const vector = (row) => `[${row.map(numeral).join(", ")}]`;
const rowsOf = (places) => (places.length > 1 ? `rows ${places.slice(0, -1).join(", ")} and ${places.at(-1)}` : `row ${places}`);
const look = (v) => (ids.includes(v) ? `k${v % 6} dash${(v + Math.floor(v / 6)) % 6}` : "unused");
const placesOf = (v) => [...ids.keys()].filter((n) => ids[n] === v);

/* What is told of each position, `n0`, and of each row of the table, `v0`; a sum is spelled out. */
function tell({ upstream, gradient }) {
  const told = {};
  const sum = (v) => {
    const places = placesOf(v);
    if (places.length === 1) return `${v} of dW is ${rowsOf(places)} of G`;
    return `${v} of dW is the sum of ${rowsOf(places)} of G: `
      + `${places.map((n) => vector(upstream[n])).join(" + ")} = ${vector(gradient[v])}`;
  };
  ids.forEach((id, n) => {
    told[`n${n}`] = `Position ${n} has id ${id}, “${WORDS[id]}”. Forward: row ${id} of W is copied to row ${n} of Y; as a product, it `
      + `is multiplied by 1, and the other rows by 0, which vanish. Backward: row ${sum(id)}.`;
  });
  W.forEach((_, v) => {
    const places = placesOf(v);
    told[`v${v}`] = places.length ? `Row ${v} of W is copied to ${rowsOf(places)} of Y, so row ${sum(v)}.`
      : `Row ${v}: no position has id ${v}, so it is not read, and its gradient is zero.`;
  });
  return told;
}

/* A matrix with a row for each position, or for each row of the table.  `data-n` lists the positions that a row or a
   cell belongs to, any of which lights it up; it lights up these itself, or those in `data-lights`. */
function matrix(name, what, array, { perRow = false, oneHot = false } = {}) {
  const rows = array.map((row, k) => {
    const places = (perRow ? placesOf(k) : [k]).join(" ");
    const cells = row.map((x, column) => {
      const one = oneHot && x === 1 ? ` class="one ${look(perRow ? k : ids[k])}" data-n="${perRow ? column : k}"` : "";
      return `<td${one}>${numeral(x)}</td>`;
    });
    const belongs = perRow && oneHot ? "data-lights" : "data-n";
    const label = perRow ? k : ids[k];
    return `<tr class="${look(label)}" data-say="${perRow ? "v" : "n"}${k}" ${belongs}="${places}">`
      + `<th scope="row"><i>${WORDS[label]} </i>${label}</th>${cells.join("")}</tr>`;
  });
  return `<table class="matrix${oneHot ? " one-hot" : ""}"><caption><b>${name}</b> ${what}</caption><tbody>${rows.join("")}</tbody></table>`;
}

const term = (sign, name, matrix) => `<div class="term"><span class="sign" role="img" aria-label="${name}">${sign}</span>${matrix}</div>`;

/* Arrows from rows on the left to rows on the right, one for each position, and a plus where several arrive. */
function curves(ends, label) {
  const height = 30 * Math.max(ids.length, V), middle = (k) => 30 * k + 15;
  const arrows = ends.map(([from, to], n) => {
    const [y, z] = [middle(from), middle(to)];
    return `<g class="${look(ids[n])}" data-n="${n}" data-say="n${n}"><path d="M3 ${y}C20 ${y} 20 ${z} 36 ${z}"/>`
      + `<path class="head" d="M35 ${z - 5}l10 5l-10 5z"/></g>`;
  });
  const arrivals = ends.map(([, to]) => to);
  const pluses = [...new Set(arrivals)].filter((to) => arrivals.indexOf(to) !== arrivals.lastIndexOf(to)).map((to) =>
    `<g class="plus"><circle cx="32" cy="${middle(to)}" r="7"/><path d="M28 ${middle(to)}h8m-4 -4v8"/></g>`);
  return `<svg class="curves" viewBox="0 0 48 ${height}" style="width:3rem;height:${height / 16}rem" role="img" aria-label="${label}">`
    + `${arrows.join("")}${pluses.join("")}</svg>`;
}

/* Draw all for the ids of the field, or say what is wrong with it. */
function draw() {
  const typed = read(field.value);
  field.setAttribute("aria-invalid", String(typed === null));
  if (typed === null) {
    told.textContent = `Expected 1 to ${MOST} ids from 0 to ${V - 1}, or their words.`;
    return;
  }
  ids = typed;
  find("#note").hidden = field.value !== field.defaultValue;
  const all = compute(ids);
  sentences = tell(all);
  find(".tokens").innerHTML = ids.map((id, n) =>
    `<button type="button" class="token ${look(id)}" data-n="${n}" data-say="n${n}" aria-pressed="false">`
    + `<b>${WORDS[id]}</b> <span>id ${id}</span></button>`).join("")
    + '<button type="button" class="step">step <span>by step</span></button>';
  const table = matrix("W", "the table", W, { perRow: true }), g = matrix("G", "upstream", all.upstream);
  find("#picking").innerHTML = table + curves(ids.map((id, n) => [id, n]), "Arrows from rows of W to the rows of Y that are copies of them.")
    + matrix("Y", "output", all.rows);
  find("#product").innerHTML = matrix("X", "one-hot", all.one_hot, { oneHot: true })
    + term("@", "times", table) + term("=", "equals", matrix("Y", "output", all.product));
  find("#adding").innerHTML = g + curves(ids.map((id, n) => [n, id]), "Arrows from rows of G to the rows of dW that they are added to.")
    + matrix("dW", "gradient of W", all.gradient, { perRow: true });
  find("#back").innerHTML = matrix("X.T", "transposed", transposed(all.one_hot), { perRow: true, oneHot: true })
    + term("@", "times", g) + term("=", "equals", matrix("dW", "gradient of W", all.product_gradient, { perRow: true }));
  const same = [[all.rows, all.product], [all.gradient, all.product_gradient]].map(([a, b]) => String(a) === String(b));
  document.querySelectorAll(".equal").forEach((line, k) => {
    line.textContent = `Compared, number by number: both ways give ${same[k] ? "exactly the same" : "different numbers"}.`;
  });
  /* The columns of a product, in rem, no matrix narrower than its caption: do two products fit side by side, or one? */
  const width = 1.6 * Math.max(ids.length, V) + 5.2 * Math.max(D, 2);
  for (const half of document.querySelectorAll(".halves")) {
    half.style.setProperty("--least", `${width + 9.5}rem`);
    half.classList.toggle("dense", width > 54);
  }
  parts = [...document.querySelectorAll("[data-n]")];
  tokens = [...document.querySelectorAll(".token")];
  step = -1;
  hold(null);
}

/* Light up all that belongs to a position of `element`, and say what it is; null for nothing. */
/* In the phase "forward" or "backward", only what belongs to that. */
function show(element, phase = null) {
  const positions = element === null ? [] : (element.dataset.lights ?? element.dataset.n).split(" ").filter(Boolean);
  for (const part of parts) {
    const turn = phase === null || ["tokens", phase].includes(part.closest("section").getAttribute("aria-labelledby"));
    part.classList.toggle("lit", turn && part.dataset.n.split(" ").some((n) => positions.includes(n)));
  }
  document.body.classList.toggle("chosen", positions.length > 0);
  let sentence = element === null ? invitation : sentences[element.dataset.say];
  if (phase === "forward") sentence = sentence.split(" Backward: ")[0];
  if (phase === "backward") sentence = sentence.replace(/Forward: .* Backward: /, "Backward: ");
  if (told.textContent !== sentence) told.textContent = sentence;
}

/* One arrow after another: those of the forward pass, then those of the backward pass, then all from the start. */
function next() {
  step = (step + 1) % (2 * tokens.length);
  show(tokens[step % tokens.length], step < tokens.length ? "forward" : "backward");
}

/* Keep up what `element` shows until another choice. */
function hold(element) {
  held = element;
  for (const token of tokens) token.setAttribute("aria-pressed", String(token.dataset.say === held?.dataset.say));
  show(held);
}

const focused = () => (document.activeElement.matches(".token:focus-visible") ? document.activeElement : held);

/* A finger points at what it scrolls by: only its tap, which is a click, chooses. */
document.addEventListener("pointerover", (event) => {
  if (event.pointerType !== "touch" && !event.target.closest(".step")) show(event.target.closest("[data-say]") ?? focused());
});
document.documentElement.addEventListener("pointerleave", (event) => {
  if (event.pointerType !== "touch") show(focused());
});
document.addEventListener("focusin", () => show(focused()));
document.addEventListener("focusout", () => show(held));
document.addEventListener("click", (event) => {
  if (event.target.closest(".step") !== null) return next();
  const element = event.target.closest("[data-say]");
  if (element !== null) hold(element.dataset.say === held?.dataset.say ? null : element);
});
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") hold(null);
});
field.addEventListener("input", draw);
document.documentElement.classList.toggle("framed", self !== top);
draw();
