// The tree on the page: the drawn elements and the viewport.
const ROW = 38, LABEL = 16, LETTERS = 17, LETTER = 6.65, SMALL_LETTER = 5.6, FORK = 26;
const canvas = $("tree"), view = {x: 0, y: 0, k: 1};
let placed = [], columns = [], extent = {width: 0, top: 0, bottom: 0}, drawn = null, selected = null, matches = null;

// The remarks that fit below a label.
function metaOf(node) {
  const kept = [];
  let letters = 0;
  for (const said of remarks(node)) {
    letters += said[0].length + 3;
    if (kept.length && letters > 26) break;
    kept.push(said);
  }
  return {kept, width: letters * 4.9};
}
function place() {
  placed = nodes.filter((node) => (node.there = !node.parent || (node.parent.there && node.parent.open)));
  tidy(placed);
  columns = [];
  const widths = [], lefts = [0], edges = [], bestEdges = [];
  for (const node of placed) {
    node.label = cut(name(node), LETTERS);
    node.meta = metaOf(node);
    node.width = LABEL + Math.max(node.label.length * LETTER, Math.min(node.meta.width, LETTERS * LETTER));
    const pill = node.open || !node.children.length ? 0 : 22 + String(node.size).length * SMALL_LETTER;
    widths[node.depth] = Math.max(widths[node.depth] ?? 60, node.width + pill);
    (columns[node.depth] ??= []).push(node);
  }
  for (const [depth, width] of widths.entries()) lefts.push(lefts[depth] + width + 12 + FORK);
  extent = {width: lefts.at(-1) - FORK, top: Infinity, bottom: -Infinity};
  for (const node of placed) {
    const from = node.parent;
    node.x = lefts[node.depth];
    node.fork = lefts[node.depth + 1] - FORK;
    node.y = from ? from.y + node.row * ROW : 0;
    extent.top = Math.min(extent.top, node.y);
    extent.bottom = Math.max(extent.bottom, node.y);
    if (!from) continue;
    const bend = from.fork + FORK / 2;
    const edge = `M${from.x} ${from.y}H${from.fork}C${bend} ${from.y} ${bend} ${node.y} ${node.x} ${node.y}`;
    (node.best ? bestEdges : edges).push(edge);
  }
  for (const column of columns) column.sort((a, b) => a.y - b.y);
  $("edges").setAttribute("d", edges.join(""));
  $("best-edges").setAttribute("d", bestEdges.join(""));
  drawn = null;
}

const MARKS = {passed: "M-3.5 0.5L-1 3L3.8 -2.8", graded: "M-3.5 0H3.5", failed: "M-2.5 -2.5L2.5 2.5M-2.5 2.5L2.5 -2.5"};
const tone = (node) => `${node.kind} v${Math.min(4, Math.floor((node.value ?? 0) * 5))}`;
function shapeOf(node) {
  const square = node.kind === "passed" || node.kind === "graded", parts = [];
  const box = (r) => (square ? svg("rect", {x: -r, y: -r, width: 2 * r, height: 2 * r, rx: 2}) : svg("circle", {r}));
  if (node === selected) parts.push(svg("circle", {class: "halo", r: 14}));
  if (node.committed) parts.push(fill(box(10), {class: "ring"}, []));
  parts.push(fill(box(6.7), {class: "shape"}, []));
  if (node.kind === "plain" && node.value)
    parts.push(svg("circle", {class: "pie", r: 3, transform: "rotate(-90)",
      pathLength: 100, "stroke-dasharray": `${node.value * 100} 100`}));
  if (MARKS[node.kind]) parts.push(svg("path", {class: "mark", d: MARKS[node.kind]}));
  return parts;
}
// The control that closes or opens a subtree: the point where its branches part, or a pill with the number of hidden
// nodes and, during a search, of matches.
function foldOf(node) {
  const hits = matches ? node.hits - (matches.has(node) ? 1 : 0) : 0;
  const label = (hits ? `${count(hits)}/` : "+") + count(node.size - 1);
  const width = 12 + label.length * SMALL_LETTER, left = node.x + node.width + 4;
  return svg("g", {class: hits ? "fold found" : "fold", "data-fold": node.id, "aria-hidden": "true"}, ...(node.open
    ? [svg("circle", {class: "reach", cx: node.fork, cy: node.y, r: 9}), svg("circle", {cx: node.fork, cy: node.y, r: 3})]
    : [svg("rect", {x: left, y: node.y - 8, width, height: 16, rx: 8}),
      svg("text", {x: left + width / 2, y: node.y + 3.5}, label)]));
}
function drawNode(node, level) {
  const siblings = node.parent ? node.parent.children : [node];
  const group = svg("g", {
    id: `t${node.id}`, role: "treeitem", "aria-level": node.depth + 1, "aria-selected": String(node === selected),
    "aria-setsize": siblings.length, "aria-posinset": siblings.indexOf(node) + 1,
    "aria-expanded": node.children.length ? String(node.open) : null,
    "aria-label": [`Node ${node.id}: ${name(node)}`, ...remarks(node).map(([said]) => said)].join(", "),
    class: `${tone(node)}${node.best ? " best" : ""}${matches ? (matches.has(node) ? " hit" : " dim") : ""}`,
    transform: `translate(${node.x} ${node.y})`}, ...shapeOf(node));
  if (level > 1) group.append(svg("text", {class: "label", x: LABEL, y: -5}, node.label));
  if (level > 2) {
    const meta = svg("text", {class: "meta", x: LABEL, y: 13.5});
    node.meta.kept.forEach(([said, kind], at) => meta.append(at ? " · " : "", svg("tspan", {class: kind}, said)));
    group.append(meta);
  }
  return group;
}
// Zoomed out, nodes are dots: one path element for each kind of node.
function drawDots() {
  const kinds = new Map();
  for (const node of placed) {
    const kind = `dot ${tone(node)}${matches && !matches.has(node) ? " dim" : ""}`;
    kinds.set(kind, (kinds.get(kind) ?? "") + `M${node.x} ${node.y}h0`);
  }
  return [...kinds].map(([kind, d]) => svg("path", {class: kind, d}));
}
// Puts only the visible part and a margin into the document; everything for printing.
function draw({whole = false} = {}) {
  const box = canvas.getBoundingClientRect(), k = view.k, level = k < 0.22 ? 0 : k < 0.45 ? 1 : k < 0.6 ? 2 : 3;
  $("world").setAttribute("transform", `translate(${view.x} ${view.y}) scale(${k})`);
  $("zoom").textContent = `${Math.round(k * 100)} %`;
  const sight = {left: -view.x / k - 260, right: (box.width - view.x) / k,
    top: -view.y / k - ROW, bottom: (box.height - view.y) / k + ROW};
  const holds = (outer, inner) =>
    inner.left >= outer.left && inner.right <= outer.right && inner.top >= outer.top && inner.bottom <= outer.bottom;
  if (drawn && drawn.level === level && holds(drawn, sight)) return;
  const margin = level && !whole ? Math.max(box.width, box.height) / k / 2 : Infinity;
  drawn = {level, left: sight.left - margin, right: sight.right + margin, top: sight.top - margin, bottom: sight.bottom + margin};
  const near = placed.filter((node) =>
    node === selected || (level && holds(drawn, {left: node.x, right: node.x, top: node.y, bottom: node.y})));
  const folds = level > 1 ? near.filter((node) => node.children.length).map(foldOf) : [];
  $("nodes").replaceChildren(...folds, ...near.map((node) => drawNode(node, level)));
  $("dots").replaceChildren(...(level ? [] : drawDots()));
  if (selected) canvas.setAttribute("aria-activedescendant", `t${selected.id}`);
}
let asked = 0;
const redraw = () => { asked ||= requestAnimationFrame(() => { asked = 0; draw(); }); };

const inBounds = (k) => Math.min(2.5, Math.max(0.001, k));
function zoom(factor, x, y) {
  const box = canvas.getBoundingClientRect(), k = inBounds(view.k * factor), grown = k / view.k;
  x ??= box.width / 2;
  y ??= box.height / 2;
  Object.assign(view, {x: x - (x - view.x) * grown, y: y - (y - view.y) * grown, k});
  redraw();
}
// Fits the whole tree. If that needs a scale below `least`, shows the part around the root.
function fit(least = 0) {
  const box = canvas.getBoundingClientRect(), height = extent.bottom - extent.top;
  const k = Math.max(least, inBounds(Math.min(1.15, box.width / (extent.width + 56), box.height / (height + 64))));
  view.x = Math.max(24, (box.width - extent.width * k) / 2);
  view.y = box.height / 2 - (height * k > box.height ? root.y : (extent.top + extent.bottom) / 2) * k;
  view.k = k;
  drawn = null;
  redraw();
}
function bringIntoSight(node, {amid = false} = {}) {
  const box = canvas.getBoundingClientRect(), x = node.x * view.k + view.x, y = node.y * view.k + view.y;
  const right = x + node.width * view.k, marginY = Math.min(60, box.height / 4);
  view.x += x < 24 ? 60 - x : Math.min(0, box.width - 24 - right);
  view.y += amid ? box.height / 2 - y : Math.max(0, marginY - y) + Math.min(0, box.height - marginY - y);
  redraw();
}
function setOpen(node, open) {  // the node stays where it is on the screen
  if (!node.children.length || node.open === open) return;
  const {x, y} = node;
  node.open = open;
  place();
  Object.assign(view, {x: view.x + (x - node.x) * view.k, y: view.y + (y - node.y) * view.k});
  if (!selected.there) select(node);
  redraw();
}
function openOnly(isOpen, least) {
  for (const node of nodes) node.open = isOpen(node);
  place();
  fit(least);
  select(pathTo(selected).findLast((node) => node.there));
  if ((extent.bottom - extent.top) * view.k > canvas.clientHeight) bringIntoSight(selected, {amid: true});
}
const showBestOnly = () => openOnly((node) => node.best === true, 0.62);
const showAll = () => openOnly(() => true, 0.45);
