// All details of one node.
const link = (node, label = `#${node.id}`, attributes = {}) =>
  button(label, () => select(node), {class: "link", ...attributes});
const soft = (words) => el("div", {class: "soft"}, words);
const prose = (words) => words && el("div", {class: "prose"}, shown(words));

function patch(value, most = 1500) {
  const lines = value.replace(/\n$/, "").split("\n");
  const pre = el("pre", {class: "patch", tabindex: 0, role: "region", "aria-label": "Patch"});
  let inHunk = false;
  for (const one of lines.slice(0, most)) {
    inHunk ||= one.startsWith("@@");
    pre.append(el("span", {class: inHunk ? {"+": "add", "-": "del", "@": "hunk"}[one[0]] : "name"}, shown(one)));
  }
  if (lines.length <= most) return pre;
  const showRest = () => more.parentNode.replaceWith(patch(value, Infinity));
  const more = button(`Show all ${count(lines.length)} lines`, showRest, {class: "more"});
  return el("div", {}, pre, more);
}
function fileOf(change, open) {
  const file = object(change), kind = text(file.kind), size = Number.isFinite(file.bytes) ? `, ${bytes(file.bytes)}` : "";
  const [sign, color] = {added: ["+", "good"], changed: ["~", "soft"], removed: ["−", "bad"]}[kind] ?? ["?", "soft"];
  const head = [el("span", {class: color}, sign + " "), line(text(file.path), 4096),
    el("span", {class: "soft"}, ` ${line(kind)}${size}`)];
  if (!text(file.patch)) return el("div", {class: "file"}, el("div", {}, ...head));
  return el("details", {class: "file", open}, el("summary", {}, ...head), patch(text(file.patch)));
}
function files(changes) {
  if (!changes.length) return soft("none");
  const box = el("div");
  const add = (from, to) => box.append(...changes.slice(from, to).map((change, at) => fileOf(change, from + at < 8)));
  const showRest = (event) => { event.target.remove(); add(200); };
  add(0, 200);
  if (changes.length > 200) box.append(button(`Show all ${count(changes.length)} files`, showRest, {class: "more"}));
  return box;
}
function costOf(node) {
  const {usage} = node, some = (term, value, write) => (value ? [[term, write(value)]] : []);
  const pairs = [...some("Took", node.took, duration),
    ...PARTS.flatMap(([part, label]) => some(label, usage[part + "_us"], duration)),
    ...some("Model calls", usage.model_calls, count), ...some("Tokens in", usage.tokens_in, count),
    ...some("Tokens out", usage.tokens_out, count), ...some("Money", usage.money, money)];
  return pairs.length && el("dl", {}, ...pairs.map(([term, value]) => el("div", {}, el("dt", {}, term), el("dd", {}, value))));
}
function headOf(node) {
  const badge = (label, kind = "") => el("span", {class: `badge ${kind}`}, label);
  const state = text(node.raw.state), lane = node.raw.lane;
  return el("div", {class: "head"}, el("h2", {tabindex: -1}, `Node ${node.id}`),
    verdict(node) ? badge(verdict(node), toneOfVerdict(node)) : null,
    node.best ? badge(solved ? "winning path" : "best path", "accent") : null,
    node.committed ? badge("committed") : null, node.last ? badge("says done") : null,
    state ? el("span", {class: "soft"}, `state ${line(state)}`) : null,
    lane ? el("span", {class: "soft"}, `rollout ${line(text(lane))}`) : null);
}
function crumbsOf(node) {
  const crumbs = el("nav", {class: "crumbs", "aria-label": "Path to this node"});
  for (const above of pathTo(node))
    crumbs.append(above.parent ? " › " : "", link(above, above.parent ? String(above.id) : "start",
      {title: name(above), "aria-current": above === node ? "true" : null}));
  return crumbs;
}
function showNode(node) {
  const parts = [headOf(node), crumbsOf(node)], {diff} = node.raw;
  const part = (heading, content, aside = "", color = "") =>
    content && parts.push(el("h3", {}, heading, el("span", {class: color}, aside)), content);
  if (node.failure) parts.push(el("div", {class: "failure"}, el("strong", {}, "Dead end: "), shown(node.failure)));
  part("Thought", prose(node.thought));
  part("Command", node.command && block(node.command, "Command"));
  if (node.parent)
    part("Observation", node.output ? block(node.output, "Output") : soft("no output"),
      (node.timedOut ? "timed out, " : "") + `exit ${node.exit}`, wentWrong(node) ? "bad" : "");
  if (Array.isArray(diff)) part("Changes", files(diff), diff.length ? plural(diff.length, "change") : "");
  else if (node.parent && text(node.raw.state)) part("Changes", soft("not compared: statefork diff shows them"));
  if (node.value !== null) {
    const meter = el("span", {class: "meter"}, el("span", {style: `width:${node.value * 100}%`}));
    part("Value", el("div", {}, meter, node.value.toFixed(2)));
  }
  part("Reflection", prose(text(node.raw.reflection)));
  if (node.score !== null)
    part("Grade", node.log ? block(node.log, "Log of the grading") : soft("no log"),
      `${short(node.score)} of 1, ${node.score >= 1 ? "passed" : "not passed"}`, node.score >= 1 ? "good" : "");
  part("Cost", costOf(node));
  if (node.children.length) {
    const tried = node.children.slice(0, 100).map((child) => el("div", {}, link(child), ` ${line(name(child), 60)}`));
    part("Tried from here", el("div", {}, ...tried),
      `${plural(node.children.length, "action")}, ${plural(node.size - 1, "node")} below`);
  }
  $("panel").replaceChildren(...parts);
  $("panel").scrollTop = 0;
}
