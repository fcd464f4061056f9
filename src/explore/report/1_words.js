// Elements and texts. Texts of the run, such as command output, are never parsed as markup.
const $ = (id) => document.getElementById(id);
function fill(element, attributes, children) {
  for (const [key, value] of Object.entries(attributes))
    if (value !== undefined && value !== null && value !== false) element.setAttribute(key, value === true ? "" : value);
  element.append(...children.filter((child) => child !== undefined && child !== null));
  return element;
}
const el = (name, attributes = {}, ...children) => fill(document.createElement(name), attributes, children);
const svg = (name, attributes = {}, ...children) =>
  fill(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
function button(label, act, attributes = {}) {
  const made = el("button", {type: "button", ...attributes}, label);
  made.addEventListener("click", act);
  return made;
}

// Defaults for values that are missing or of another type.
const text = (value) => (typeof value === "string" ? value : value === undefined || value === null ? "" : String(value));
const number = (value) => (Number.isFinite(value) ? value : 0);
const object = (value) => (value && typeof value === "object" ? value : {});
const list = (value) => (Array.isArray(value) ? value : []);

const count = (value) => Math.round(value).toLocaleString("en-US");
const plural = (value, word) => `${count(value)} ${word}${value === 1 ? "" : "s"}`;
const short = (value) => value.toLocaleString("en-US", {maximumSignificantDigits: 3});
const money = (value) => "$" + (value >= 1 || value === 0 ? value.toFixed(2) : short(value));
const cut = (value, most) => (value.length > most ? value.slice(0, most - 1) + "…" : value);
function bytes(value) {
  const power = value < 1e3 ? 0 : value < 1e6 ? 1 : value < 1e9 ? 2 : 3;
  return `${short(value / 1000 ** power)} ${["B", "kB", "MB", "GB"][power]}`;
}
function duration(us) {
  if (us < 1e3) return `${Math.round(us)} µs`;
  if (us < 1e6) return `${short(us / 1e3)} ms`;
  if (us < 60e6) return `${short(us / 1e6)} s`;
  const seconds = Math.round(us / 1e6);
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
}

// Shows control characters like `cat -v`; invisible characters and direction marks by their number.
const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;
const shown = (value) => value.replaceAll("\r\n", "\n").replace(UNSEEN, (one) => {
  const code = one.charCodeAt(0);
  return code < 128 ? "^" + String.fromCharCode(code ^ 64) : `⟨U+${code.toString(16).toUpperCase().padStart(4, "0")}⟩`;
});
// A text in one line, for titles and labels.
const line = (value, most = 200) => cut(shown(value.slice(0, 2 * most)).replace(/\s+/g, " ").trim(), most);

// A long text: its beginning, and a button that shows the rest.
function block(value, label, {lines = 400, characters = 20000, ...attributes} = {}) {
  let part = value.slice(0, characters), end = -1;
  for (let seen = 0; (end = part.indexOf("\n", end + 1)) >= 0;)
    if (++seen >= lines && end + 1 < part.length) part = part.slice(0, end);
  const pre = el("pre", {tabindex: 0, role: "region", "aria-label": label, ...attributes}, shown(part));
  if (part.length === value.length) return pre;
  const showAll = () => { pre.textContent = shown(value); more.remove(); };
  const more = button(`Show all ${count(value.length)} characters`, showAll, {class: "more"});
  return el("div", {}, pre, more);
}
