// The event store: events in memory, a transaction for each connection.
const fs = require("fs");
const events = [];
const open = new Map();
let next = 1;

function append(list) {
  for (const what of list) events.push({ number: next++, what });
}

function answer(connection, [verb, word]) {
  const state = open.get(connection);
  switch (verb) {
    case "hello": state.name = word; return `welcome ${word}`;
    case "begin": if (state.held) return "error: begun already"; state.held = []; return "begun";
    case "append": if (state.held) state.held.push(word); else append([word]); return state.held ? `held ${state.held.length}` : `number ${next - 1}`;
    case "commit": { const held = state.held || []; state.held = null; append(held); return `committed ${held.length}`; }
    case "abort": state.held = null; return "aborted";
    case "snapshot": fs.writeFileSync("/app/snapshot.json", JSON.stringify(events)); return `snapshot of ${events.length}`;
    case "status": return JSON.stringify({ events: events.length, next, open: [...open.values()].filter((o) => o.name) });
    default: return "error: what?";
  }
}

require("net").createServer((connection) => {
  open.set(connection, { name: null, held: null });
  let rest = "";
  connection.setEncoding("utf8");
  connection.on("error", () => {});
  connection.on("close", () => open.delete(connection));
  connection.on("data", (text) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop();
    for (const line of lines) connection.write(answer(connection, line.split(" ")) + "\n");
  });
}).listen(7400, "127.0.0.1");
