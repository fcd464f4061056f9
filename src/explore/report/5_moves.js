// Selects a node with the mouse, the keyboard, the address or the search.
function select(node, {keepAddress = false} = {}) {
  if (!node) return;
  const closed = pathTo(node).slice(0, -1).filter((above) => !above.open);
  selected = node;
  for (const above of closed) above.open = true;
  if (closed.length) place();
  drawn = null;
  bringIntoSight(node);
  showNode(node);
  markTime();
  if (!keepAddress) history.replaceState(null, "", `#node=${node.id}`);
}
const nodeOfAddress = () => byId.get(Number(/^#node=(\d+)$/.exec(location.hash)?.[1] ?? NaN));

function neighbour(node, key) {
  if (key === "ArrowLeft") return node.parent;
  if (key === "ArrowRight") return node.children.find((child) => child.best) ?? node.children[0];
  if (key === "Home") return root;
  if (key === "End") return best;
  const column = columns[node.depth];
  return column[column.indexOf(node) + (key === "ArrowDown" ? 1 : -1)];
}
function onTreeKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const act = {
    Enter: () => $("panel").querySelector("h2").focus(), " ": () => setOpen(selected, !selected.open),
    "+": () => zoom(1.25), "=": () => zoom(1.25), "-": () => zoom(0.8), 0: () => fit(),
  }[event.key];
  if (act) act();
  else if (/^(Arrow|Home$|End$)/.test(event.key)) select(neighbour(selected, event.key));
  else return;
  event.preventDefault();
}

// The node whose shape or label is at the pointer; zoomed out, the nearest node.
function nodeAt(event) {
  const box = canvas.getBoundingClientRect(), reach = Math.max(14, 7 / view.k), hasLabels = view.k >= 0.45;
  const x = (event.clientX - box.left - view.x) / view.k, y = (event.clientY - box.top - view.y) / view.k;
  let nearest = null, least = Infinity;
  for (const node of placed) {
    const dx = x - node.x, dy = Math.abs(y - node.y), away = Math.hypot(Math.max(0, dx - 14), dy);
    if (dx < -reach || dx > (hasLabels ? node.width : reach) || dy > (hasLabels ? ROW / 2 : reach) || away >= least) continue;
    [nearest, least] = [node, away];
  }
  return nearest;
}
function tip(event, node) {
  const box = $("tip");
  box.hidden = !node;
  if (!node) return;
  const command = node.parent ? cut(shown(node.command.slice(0, 400)), 300) || name(node) : "start";
  box.textContent = `#${node.id}  ${command}\n${remarks(node).map(([said]) => said).join(" · ")}`;
  const below = event.clientY + box.offsetHeight + 26 < innerHeight;
  box.style.left = `${Math.max(4, Math.min(event.clientX + 14, innerWidth - box.offsetWidth - 8))}px`;
  box.style.top = `${below ? event.clientY + 18 : event.clientY - box.offsetHeight - 12}px`;
}

// Prints the whole tree as a picture that fills the page.
function watchPrinting() {
  let before = null;
  addEventListener("beforeprint", () => {
    before = {...view};
    Object.assign(view, {x: 0, y: 0, k: 1});
    drawn = null;
    draw({whole: true});
    canvas.setAttribute("viewBox", `-20 ${extent.top - 30} ${extent.width + 40} ${extent.bottom - extent.top + 60}`);
  });
  addEventListener("afterprint", () => {
    canvas.removeAttribute("viewBox");
    Object.assign(view, before);
    drawn = null;
    redraw();
  });
}

function watchTree() {
  let drag = null, scrolled = -Infinity;
  const drop = () => { drag = null; canvas.classList.remove("dragging"); };
  canvas.addEventListener("keydown", onTreeKey);
  canvas.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    drag = {x: event.clientX, y: event.clientY, moved: false, fold: event.target.closest("[data-fold]")};
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!drag) {
      const node = event.target.closest("[data-fold]") ? null : nodeAt(event);
      canvas.classList.toggle("pointing", node !== null);
      return tip(event, node);
    }
    const dx = event.clientX - drag.x, dy = event.clientY - drag.y;
    if (!drag.moved && Math.hypot(dx, dy) < 4) return;
    canvas.classList.add("dragging");
    Object.assign(view, {x: view.x + dx, y: view.y + dy});
    Object.assign(drag, {x: event.clientX, y: event.clientY, moved: true});
    tip(event, null);
    redraw();
  });
  canvas.addEventListener("pointerup", (event) => {
    const ended = drag;
    drop();
    if (!ended || ended.moved) return;
    const folded = ended.fold && byId.get(Number(ended.fold.dataset.fold));
    if (folded) setOpen(folded, !folded.open);
    else select(nodeAt(event));
  });
  canvas.addEventListener("pointercancel", drop);
  canvas.addEventListener("pointerleave", (event) => tip(event, null));
  canvas.addEventListener("dblclick", (event) => { const node = nodeAt(event); if (node) setOpen(node, !node.open); });
  // While the wheel scrolls the page, it does not zoom when the tree moves under the pointer.
  addEventListener("scroll", () => { scrolled = performance.now(); }, {passive: true});
  canvas.addEventListener("wheel", (event) => {
    if (performance.now() - scrolled < 250) return;
    event.preventDefault();
    const box = canvas.getBoundingClientRect(), step = event.deltaY * (event.deltaMode ? 0.05 : 0.0018);
    zoom(Math.exp(-step), event.clientX - box.left, event.clientY - box.top);
  }, {passive: false});
  const buttons = {in: () => zoom(1.25), out: () => zoom(0.8), fit: () => fit(), expand: showAll, collapse: showBestOnly};
  for (const [id, act] of Object.entries(buttons)) $(id).addEventListener("click", act);
  new ResizeObserver(redraw).observe(canvas);
  watchPrinting();
  addEventListener("hashchange", () => select(nodeOfAddress(), {keepAddress: true}));
}

const hay = (node) =>
  (node.hay ??= [node.command, node.output, node.failure, node.thought].join("\n").toLowerCase());
function search() {
  const wanted = $("search").value.trim().toLowerCase(), id = /^#(\d+)$/.exec(wanted)?.[1];
  const fits = (node) => (id ? node.id === Number(id) : hay(node).includes(wanted));
  matches = wanted ? new Set(nodes.filter(fits)) : null;
  for (const node of nodes) node.hits = matches?.has(node) ? 1 : 0;
  for (const node of nodes.toReversed()) if (node.parent) node.parent.hits += node.hits;
  $("found").textContent = matches ? `${count(matches.size)} of ${plural(nodes.length, "node")}` : "";
  drawn = null;
  redraw();
}
function nextMatch(by) {
  const all = by > 0 ? [...(matches ?? [])] : [...(matches ?? [])].reverse();
  if (!all.length) return;
  select(all.find((node) => (node.id - selected.id) * by > 0) ?? all[0]);
  $("found").textContent = `match ${count([...matches].indexOf(selected) + 1)} of ${count(all.length)}`;
}
function watchSearch() {
  $("search").addEventListener("input", search);
  $("search").addEventListener("keydown", (event) => {
    if (event.key === "Enter") nextMatch(event.shiftKey ? -1 : 1);
    if (event.key === "Escape") { $("search").value = ""; search(); canvas.focus(); }
  });
  $("next").addEventListener("click", () => nextMatch(1));
  $("previous").addEventListener("click", () => nextMatch(-1));
  addEventListener("keydown", (event) => {
    if (event.key === "/" && event.target !== $("search")) { event.preventDefault(); $("search").focus(); }
    if (event.key === "Escape" && $("panel").contains(event.target)) canvas.focus();
  });
}
