// Times: by part, and as a timeline.
function showShares() {
  const time = (part) => number(summary[part + "_us"]), total = PARTS.reduce((sum, [part]) => sum + time(part), 0);
  const wall = number(summary.wall_us), jobs = Math.max(1, number(run.jobs));
  const most = Math.max(...PARTS.map(([part]) => time(part)));
  const busy = wall && total <= wall * jobs ? `, ${plural(jobs, "job")} ${Math.round((total / wall / jobs) * 100)} % busy` : "";
  const underlined = `the ${solved ? "winning" : "best"} path is underlined`;
  $("time-note").textContent = total ? `${duration(total)} of work in ${duration(wall)}${busy}; ${underlined}` : "no times were recorded";
  if (!total) return;
  const rows = PARTS.map(([part, label]) => {
    const key = part + "_us", some = nodes.filter((node) => node.usage[key] > 0);
    const longest = some.reduce((most, node) => (most && most.usage[key] >= node.usage[key] ? most : node), null);
    const bar = el("span", {class: `share p-${part}`, style: `width:${(time(part) / most) * 100}%`});
    return el("tr", {}, el("th", {scope: "row"}, label), el("td", {class: "wide"}, bar), el("td", {}, duration(time(part))),
      el("td", {}, `${((time(part) / total) * 100).toFixed(1)} %`),
      el("td", {}, some.length ? duration(time(part) / some.length) : "–"),
      el("td", {}, longest ? `${duration(longest.usage[key])}  ` : "–", longest && link(longest)));
  });
  const heads = ["Part", "", "Time", "Share", "Mean", "Longest"].map((head) => el("th", {scope: "col"}, head));
  $("shares").replaceChildren(el("table", {}, el("thead", {}, el("tr", {}, ...heads)), el("tbody", {}, ...rows)));
}

// Nodes in the order of their start, each in the first free lane. The number of lanes is the maximum concurrency.
const spans = nodes.filter((node) => node.took > 0).sort((a, b) => a.began - b.began);
const zero = spans[0]?.began ?? 0, span = spans.reduce((most, node) => Math.max(most, node.began + node.took - zero), 1);
const lanes = [];
for (const node of spans) {
  const free = lanes.findIndex((busyUntil) => busyUntil <= node.began);
  node.strip = free < 0 ? lanes.length : free;
  lanes[node.strip] = node.began + node.took;
}
const chart = $("timeline"), STRIP = lanes.length > 12 ? 12 : 20, TOP = 8;
let chartWidth = 1000;
const timeX = (us) => 12 + ((us - zero) / span) * (chartWidth - 24);
function boxOf(node) {
  const x = timeX(node.began);
  return {x, y: TOP + node.strip * STRIP, width: Math.max(0.6, timeX(node.began + node.took) - x)};
}

const STEPS = [1, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7].flatMap((power) => [power, 2 * power, 5 * power].filter((us) => us < 6e7))
  .concat([1, 2, 5, 10, 20, 30, 60, 120, 300, 720, 1440].map((minutes) => minutes * 6e7));
function ticks(bottom) {
  const step = STEPS.find((us) => us >= span / 7) ?? span, made = [];
  for (let at = 0; at <= span; at += step) {
    const x = timeX(zero + at), label = at ? duration(at).replace(/ 0 (s|min)$/, "") : "0";
    made.push(svg("line", {class: "tick", x1: x, x2: x, y1: 0, y2: bottom + 4}));
    if (x < chartWidth - 50) made.push(svg("text", {x: x + 3, y: bottom + 13}, label));
  }
  return made;
}
function showTimeline() {
  if (!spans.length) return chart.remove();
  chartWidth = Math.max(320, chart.getBoundingClientRect().width);
  const bottom = TOP + lanes.length * STRIP, high = STRIP - 7, paths = {};
  const add = (kind, x, y, width, height) => {
    paths[kind] = (paths[kind] ?? "") + `M${x.toFixed(2)} ${y}h${width.toFixed(2)}v${height}H${x.toFixed(2)}z`;
  };
  for (const node of spans) {  // the parts of a bar show durations, not times
    const {y, width, ...box} = boxOf(node), parts = PARTS.map(([part]) => node.usage[part + "_us"]);
    const whole = Math.max(node.took, parts.reduce((sum, part) => sum + part, 0));
    let x = box.x;
    add("p-other", x, y, width, high);
    if (node.best) add("on-best", x, y + high + 1.5, width, 2.5);
    for (const [at, part] of parts.entries()) {
      if (part > 0) add(`p-${PARTS[at][0]}`, x, y, (part / whole) * width, high);
      x += (part / whole) * width;
    }
  }
  chart.setAttribute("viewBox", `0 0 ${chartWidth} ${bottom + 20}`);
  chart.setAttribute("aria-label",
    `Timeline: ${plural(spans.length, "node")}, at most ${count(lanes.length)} at once, ${duration(span)}`);
  chart.replaceChildren(...ticks(bottom), ...Object.entries(paths).map(([kind, d]) => svg("path", {class: kind, d})),
    svg("rect", {id: "chosen", rx: 2}));
  markTime();
}
function markTime() {
  const mark = $("chosen");
  if (!mark) return;
  const {x, y, width} = selected?.took ? boxOf(selected) : {x: 0, y: 0, width: -3};
  fill(mark, {x: x - 1.5, y: y - 1.5, width: width + 3, height: STRIP - 4}, []);
}
function watchTimeline() {
  const nodeUnder = (event) => {
    const box = chart.getBoundingClientRect(), scale = chartWidth / box.width;
    const x = (event.clientX - box.left) * scale, strip = Math.floor(((event.clientY - box.top) * scale - TOP) / STRIP);
    const isThere = ({began, took}) => x >= timeX(began) - 2 && x <= timeX(began + took) + 2;
    return spans.findLast((node) => node.strip === strip && isThere(node)) ?? null;
  };
  chart.addEventListener("pointermove", (event) => tip(event, nodeUnder(event)));
  chart.addEventListener("pointerleave", (event) => tip(event, null));
  chart.addEventListener("click", (event) => select(nodeUnder(event)));
  chart.addEventListener("keydown", (event) => {
    const by = {ArrowRight: 1, ArrowLeft: -1}[event.key];
    if (!by) return;
    event.preventDefault();
    select(spans[spans.indexOf(selected) + by]);
  });
  const isResized = () => Math.abs(chart.getBoundingClientRect().width - chartWidth) > 1;
  new ResizeObserver(() => { if (isResized()) showTimeline(); }).observe(chart);
}
