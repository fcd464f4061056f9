// Header, best path, and the start of the page.
function showHeader() {
  const task = line(text(run.task)) || "StateFork run", began = text(run.began).replace(/^([\d-]+)T([\d:]+)Z$/, "$1 $2 UTC");
  const options = Object.entries(object(run.options)).map(([key, value]) =>
    `${key} ${typeof value === "object" ? JSON.stringify(value) : value}`);
  const total = (key) => number(summary[key]);
  document.title = `${task}: ${solved ? "solved" : "not solved"}`;
  $("task").textContent = task;
  $("status").textContent = solved ? "✓ Solved" : "✗ Not solved";
  $("status").classList.add(solved ? "good" : "bad");
  $("why").textContent = line(text(summary.why));
  $("origin").textContent = ["StateFork", line(text(run.id), 80), line(began, 80)].filter(Boolean).join(" · ");
  $("instruction").textContent = shown(text(run.instruction));
  const facts = [
    ["Policy", text(run.policy), options.join(", ")], ["Agent", text(run.agent), text(run.model)],
    ["Backend", text(run.backend) + (text(run.engine) && `, ${run.engine}`),
      [text(run.materialization), text(run.session) && `session ${run.session}`].filter(Boolean).join(", ")],
    ["Nodes", count(total("nodes") || nodes.length), best && `best #${best.id}, ${best.depth} deep`],
    ["Model calls", count(total("model_calls"))],
    ["Tokens", count(total("tokens_in") + total("tokens_out")),
      `${count(total("tokens_in"))} in, ${count(total("tokens_out"))} out`],
    ["Money", money(total("money"))], ["Wall time", duration(total("wall_us")), run.jobs && plural(number(run.jobs), "job")]];
  if (summary.bytes) facts.push(["Stored", bytes(total("bytes")), "by snapshots"]);
  $("facts").replaceChildren(...facts.map(([term, value, more]) =>
    el("div", {}, el("dt", {}, term), el("dd", {}, line(value, 80) || "–"), more ? el("dd", {}, line(more, 160)) : null)));
}
function showLegend() {
  const like = (made) => ({kind: "plain", value: null, ...made});
  const keys = [["value from 0 to 1", {value: 0.35}], ["passed", {kind: "passed"}], ["graded, not passed", {kind: "graded"}],
    ["dead end", {kind: "failed"}], ["committed", {committed: true, value: 0.8}]];
  const icon = (...parts) => svg("svg", {width: 24, height: 22, viewBox: "-12 -11 24 22", "aria-hidden": "true"}, ...parts);
  const item = (label, ...parts) => el("li", {}, icon(...parts), label);
  const drawn = (made) => svg("g", {class: tone(like(made))}, ...shapeOf(like(made)));
  $("legend").replaceChildren(...keys.map(([label, made]) => item(label, drawn(made))),
    item(solved ? "winning path" : "best path", svg("path", {class: "best-line", d: "M-11 0H11"})));
}

// Texts of the run go into comments as a single line: text after a line end would be a command.
function scriptOf(steps) {
  const parts = ["#!/bin/bash", `# ${line(text(run.task))}: the commands to node ${best.id} of run ${line(text(run.id))}`];
  for (const node of steps.filter((step) => step.command))
    parts.push("", `# node ${node.id}${wentWrong(node) ? `, ${status(node)}` : ""}`, node.command);
  return parts.join("\n") + "\n";
}
function showPath() {
  const steps = bestPath.slice(1), words = solved ? "Winning path" : "Best path";
  $("path-title").textContent = words;
  $("path-note").textContent = plural(steps.length, "step");
  for (const node of steps) {
    const remark = node.failure ? "dead end" : wentWrong(node) ? status(node) : "";
    $("path").append(el("li", {}, el("div", {}, link(node), el("div", {class: "bad"}, remark)), el("div", {},
      node.command ? block(node.command, `Command of node ${node.id}`, {class: "command", tabindex: null}) : soft(name(node)),
      node.output && block(node.output, `Output of node ${node.id}`,
        {lines: 10, characters: 2000, class: "output", tabindex: null}))));
  }
  $("copy").hidden = $("script-box").hidden = !steps.some((node) => node.command);
  if (!steps.length) return;
  $("script").textContent = scriptOf(steps);
  $("copy").addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(scriptOf(steps));
      $("copied").textContent = "Copied";
    } catch {  // not permitted: the user copies
      $("script-box").open = true;
      getSelection().selectAllChildren($("script"));
      $("copied").textContent = "Selected: press Ctrl+C";
    }
  });
}

function begin() {
  showHeader();
  showLegend();
  showShares();
  showPath();
  showTimeline();
  if (!root) return $("panel").append(soft("This run has no nodes."));
  if (nodes.length > 300) for (const node of nodes) node.open = node.best === true;
  place();
  const readable = Math.max(0.62, Math.min(1.15, canvas.getBoundingClientRect().width / (extent.width + 56)));
  canvas.style.height = `min(${Math.max(180, (extent.bottom - extent.top) * readable + 90)}px, max(320px, 62vh))`;
  fit(0.62);
  select(nodeOfAddress() ?? best, {keepAddress: true});
  watchTree();
  watchTimeline();
  watchSearch();
}
begin();
