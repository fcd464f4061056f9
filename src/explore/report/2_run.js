// The run: the document in #run as a tree of nodes, and the remarks on each node.
const PARTS = [["model", "Model"], ["restore", "Restores"], ["command", "Commands"], ["snapshot", "Snapshots"],
  ["grade", "Grading"]];
const SPENT = ["model_calls", "tokens_in", "tokens_out", "money", ...PARTS.map(([part]) => part + "_us")];

function readDocument() {
  try {
    return object(JSON.parse($("run").textContent));
  } catch (problem) {
    document.body.prepend(el("p", {class: "notice"}, `The run in this file cannot be read: ${problem.message}`));
    return {};
  }
}
// Parents come before their children. A node whose parent is not an earlier node becomes a child of the root.
function readNodes(raws) {
  const byId = new Map(), nodes = [];
  for (const raw of raws.map(object)) {
    const usage = object(raw.usage), grade = raw.grade && typeof raw.grade === "object" ? raw.grade : null;
    const node = {
      raw, id: Number.isInteger(raw.id) && !byId.has(raw.id) ? raw.id : nodes.length,
      parent: nodes.length ? byId.get(raw.parent) ?? nodes[0] : null, children: [], open: true, size: 1,
      command: text(raw.command), thought: text(raw.thought), output: text(raw.output), failure: text(raw.failure),
      exit: number(raw.exit_code), timedOut: raw.timed_out === true, last: raw.last === true,
      committed: raw.committed === true, value: Number.isFinite(raw.value) ? Math.min(1, Math.max(0, raw.value)) : null,
      score: grade && number(grade.score), log: grade ? text(grade.log) : "",
      began: number(raw.began_us), took: Math.max(0, number(raw.took_us)),
      usage: Object.fromEntries(SPENT.map((key) => [key, number(usage[key])])),
    };
    node.kind = node.failure ? "failed" : node.score === null ? "plain" : node.score >= 1 ? "passed" : "graded";
    node.depth = node.parent ? node.parent.depth + 1 : 0;
    if (node.parent) node.parent.children.push(node);
    byId.set(node.id, node);
    nodes.push(node);
  }
  for (const node of nodes.toReversed()) if (node.parent) node.parent.size += node.size;
  return {nodes, byId};
}
function pathTo(node) {
  const path = [];
  for (let at = node; at; at = at.parent) path.push(at);
  return path.reverse();
}

const found = readDocument();
const run = object(found.run), {nodes, byId} = readNodes(list(found.nodes));
const spent = SPENT.map((key) => [key, nodes.reduce((sum, node) => sum + node.usage[key], 0)]);
const summary = {...Object.fromEntries(spent), ...object(found.summary)};
const solved = summary.solved === true;
const root = nodes[0], best = byId.get(summary.best) ?? nodes.find((node) => node.kind === "passed") ?? root;
const bestPath = best ? pathTo(best) : [];
for (const node of bestPath) node.best = true;

const name = (node) => (node.parent ? line(node.command) || (node.last ? "(done)" : "(no command)") : "start");
const status = (node) => (node.timedOut ? "timed out" : `exit ${node.exit}`);
const wentWrong = (node) => node.exit !== 0 || node.timedOut;
const verdict = (node) =>
  ({failed: "dead end", passed: "passed", graded: `graded ${short(node.score ?? 0)}`, plain: ""})[node.kind];
const toneOfVerdict = (node) => ({failed: "bad", passed: "good"})[node.kind] ?? "";
// The remarks beside a command, the most important one first. Each has a class for its color and is readable without it.
function remarks(node) {
  const said = [];
  if (verdict(node)) said.push([verdict(node), toneOfVerdict(node)]);
  if (node.parent && wentWrong(node)) said.push([status(node), "bad"]);
  if (node.value !== null) said.push([node.value.toFixed(2), ""]);
  if (node.took) said.push([duration(node.took), ""]);
  return said;
}
