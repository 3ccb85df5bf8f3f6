"use strict";
/* The page is whole without this: it adds search, sorting, copying, zoom and a theme. */

const byId = (id) => document.getElementById(id);
const all = (selector, root = document) => [...root.querySelectorAll(selector)];

function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value !== false && value != null) element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

/* Copying */

async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = make("textarea", { class: "aside" });
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
}

function copyButton(label, text, about) {
  const button = make("button", { type: "button", class: "copy", title: about }, label);
  button.addEventListener("click", async () => {
    await copyText(text());
    button.textContent = "Copied";
    setTimeout(() => (button.textContent = label), 1500);
  });
  return button;
}

function addCopy(command) {
  const code = command.querySelector("code");
  command.prepend(copyButton("Copy", () => code.textContent, "Copy the command"));
}

/* Tables */

const ranks = { error: 0, fail: 1, warning: 2, note: 3, skip: 4, pass: 5 };

function cellText(cell) {
  const severity = cell.querySelector(".sev");
  return (severity ? severity.lastChild : cell).textContent.trim();
}

function cellValue(cell) {
  if (cell.dataset.v !== undefined) return cell.dataset.v;
  const text = cellText(cell);
  return /^-?[\d,]+$/.test(text) ? text.replaceAll(",", "") : text;
}

function sortKey(cell) {
  const value = cellValue(cell);
  if (value in ranks && cell.querySelector(".sev")) return ranks[value];
  return value === "" || isNaN(value) ? value : Number(value);
}

function compareKeys(a, b) {
  if (typeof a === typeof b) return a < b ? -1 : a > b ? 1 : 0;
  return typeof a === "number" ? -1 : 1;
}

function sortTable(table, column) {
  const header = table.tHead.rows[0].cells[column];
  const down = header.getAttribute("aria-sort") === "ascending";
  const rows = [...table.tBodies[0].rows].map((row) => [sortKey(row.cells[column]), row]);
  const empty = rows.filter(([key]) => key === "");
  const filled = rows.filter(([key]) => key !== "");

  filled.sort((a, b) => (down ? compareKeys(b[0], a[0]) : compareKeys(a[0], b[0])));
  table.tBodies[0].append(...[...filled, ...empty].map(([, row]) => row));
  for (const cell of table.tHead.rows[0].cells) cell.removeAttribute("aria-sort");
  header.setAttribute("aria-sort", down ? "descending" : "ascending");
}

function tableCsv(table) {
  // A spreadsheet takes text that begins so for a formula.
  const tame = (text) => (/^[=+\-@\t\r]/.test(text) && isNaN(text) ? `'${text}` : text);
  const quote = (text) =>
    /[",\r\n]/.test(text) ? `"${tame(text).replaceAll('"', '""')}"` : tame(text);
  const line = (row, value) => [...row.cells].map((cell) => quote(value(cell))).join(",");
  return [
    line(table.tHead.rows[0], cellText),
    ...[...table.tBodies[0].rows].map((row) => line(row, cellValue)),
    "",
  ].join("\r\n");
}

/* On a narrow screen each row is a card, which names its columns. */
function addCards(table) {
  const names = [...table.tHead.rows[0].cells].map((header) => header.textContent);
  for (const row of table.tBodies[0].rows)
    [...row.cells].forEach((cell, column) => (cell.dataset.name = names[column]));
  table.classList.add("cards");
}

function addTableTools(table) {
  if (table.tBodies[0].rows.length < 2) return;
  [...table.tHead.rows[0].cells].forEach((header, column) => {
    const button = make("button", { type: "button" }, ...header.childNodes);
    button.addEventListener("click", () => sortTable(table, column));
    header.append(button);
  });
  table.setAttribute("aria-label", table.caption.textContent); /* without the button */
  table.caption.append(" ", copyButton("Copy as CSV", () => tableCsv(table)));
}

/* Pictures */

function addZoom(figure) {
  const drawing = figure.querySelector("svg");
  const frame = figure.querySelector(".scroll");
  const natural = drawing?.viewBox?.baseVal;
  if (!natural?.width) return;
  let scale = 1;
  const zoom = (wanted) => {
    scale = Math.min(Math.max(wanted, 0.05), 8);
    drawing.setAttribute("width", Math.round(natural.width * scale));
    drawing.setAttribute("height", Math.round(natural.height * scale));
  };
  const fit = () => zoom(Math.min((frame.clientWidth - 20) / natural.width, 1.25));
  const button = (label, title, act) =>
    make("button", { type: "button", title, "aria-label": title, click: act }, label);

  figure.querySelector("figcaption").append(
    make("span", { class: "tools" },
      button("−", "Zoom out", () => zoom(scale / 1.25)),
      button("+", "Zoom in", () => zoom(scale * 1.25)),
      button("Fit", "Fit the width", fit),
      button("100 %", "Natural size", () => zoom(1))));
  figure.addEventListener("fit", () => {
    if (!frame.clientWidth || figure.dataset.fitted) return;
    figure.dataset.fitted = "yes";
    if (natural.width < 1.8 * frame.clientWidth) fit();
  });
}

function fitPictures() {
  for (const figure of all(".picture")) figure.dispatchEvent(new Event("fit"));
  for (const frame of all(".scroll:not([tabindex])")) {
    if (frame.scrollWidth <= frame.clientWidth && frame.scrollHeight <= frame.clientHeight) continue;
    const caption = frame.querySelector("caption") ?? frame.parentElement.querySelector("figcaption");
    frame.tabIndex = 0;
    frame.setAttribute("role", "region");
    frame.setAttribute("aria-label", (caption?.firstChild?.textContent ?? "Content") + ", scrolls");
  }
}

/* Nodes */

const graph = (() => {
  const source = byId("data-nodes");
  let nodes, users, places, data, lower;
  const load = () => {
    if (data) return;
    data = JSON.parse(source.textContent);
    nodes = data.nodes.map((fields) => {
      const node = {};
      data.columns.forEach((column, i) => {
        const names = data[column + "s"];
        node[column] =
          column !== "node" && Array.isArray(names) && Number.isInteger(fields[i]) ? names[fields[i]] : fields[i];
      });
      return node;
    });
    lower = nodes.map((node) =>
      [node.name, node.op, node.module].map((text) => String(text ?? "").toLowerCase()));
    places = new Map(nodes.map((node, i) => [node.row, i]));
    users = nodes.map(() => []);
    nodes.forEach((node, i) => (node.inputs ?? []).forEach((input) => users[input]?.push(i)));
  };
  const rank = ([name, op, module], words) => {
    if (!words.every((word) => name.includes(word) || op.includes(word) || module.includes(word))) return 9;
    const whole = words.join(" ");
    return name === whole ? 0 : name.startsWith(whole) ? 1 : name.includes(words[0]) ? 2 : op.includes(words[0]) ? 3 : 4;
  };
  const search = (text, most) => {
    load();
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    if (!words.length) return { found: [], count: 0 };
    const ranked = lower.map((texts, i) => [rank(texts, words), i]).filter(([worth]) => worth < 9);
    ranked.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
    return { found: ranked.slice(0, most).map(([, i]) => nodes[i]), count: ranked.length };
  };
  const at = (place) => nodes[place];
  return {
    there: source !== null,
    search,
    ofRow: (row) => (load(), at(places.get(row))),
    ofName: (name) => (load(), nodes.find((node) => node.name === name)),
    inputs: (node) => (node.inputs ?? []).map(at).filter(Boolean),
    users: (node) => users[places.get(node.row)].map(at),
    path: () => data.path,
    options: () => data.options ?? "",
  };
})();

const shellWord = (text) =>
  /^[\w.,:=@%+\/-]+$/.test(text) && !text.startsWith("-") ? text : `'${text.replaceAll("'", "'\\''")}'`;

const nodeLink = (node) => make("a", { href: `#node-${node.row}` }, make("code", {}, node.name));

function commandBlock(text) {
  const block = make("pre", { class: "command" }, make("code", {}, text));
  addCopy(block);
  return block;
}

function neighbours(title, nodes) {
  const most = 40;
  const list = make("ul", {}, ...nodes.slice(0, most).map((node) =>
    make("li", {}, nodeLink(node), " ", make("span", { class: "muted" }, node.op || ""))));
  if (nodes.length > most) list.append(make("li", { class: "muted" }, `${nodes.length - most} more`));
  return [make("h3", {}, `${title} (${nodes.length})`), nodes.length ? list : make("p", { class: "muted" }, "none")];
}

const boxesOf = (row) => all(`.picture [data-node="${row}"]`);

/* From a node to its row and to the pictures that have it: back to where one came from. */
function shownIn(node) {
  const row = all("#node-table tbody a.node").find((link) => link.textContent === node.name);
  const places = boxesOf(node.row).map((box) => [box, box.closest("figure").querySelector("figcaption").firstChild.textContent.trim()]);
  if (row) places.push([row, "Row of the table of nodes"]);
  if (!places.length) return [];
  const go = (element) => (event) => {
    event.preventDefault();
    closePanel();
    reveal(element);
    element.classList.add("found");
    element.addEventListener("blur", () => element.classList.remove("found"), { once: true });
  };
  return [
    make("h3", {}, "Shown in"),
    make("ul", {}, ...places.map(([element, name]) =>
      make("li", {}, make("a", { href: "#", class: "shown-in", click: go(element) }, name)))),
  ];
}

/* The box under the pointer and its neighbours stand out. */
let traced = null;

function trace(event) {
  const box = event.target.closest?.(".picture [data-node]") ?? null;
  if (box === traced) return;
  all(".tracing, .tracing .near").forEach((element) => element.classList.remove("tracing", "near"));
  traced = box;
  const node = box && graph.ofRow(Number(box.dataset.node));
  if (!node) return;
  const drawing = box.closest("svg");
  const rows = [node, ...graph.inputs(node), ...graph.users(node)].map((near) => near.row);
  const near = rows.flatMap((row) => all(`[data-node="${row}"]`, drawing));
  if (near.length < 2) return;
  drawing.classList.add("tracing");
  near.forEach((element) => element.classList.add("near"));
}

const factNames = { op: "Operator", module: "Module", type: "Type", source: "Source", partition: "Partition" };
let beforePanel = null;

function closePanel() {
  const panel = byId("node-panel");
  if (!panel) return false;
  panel.remove();
  if (location.hash.startsWith("#node-")) history.replaceState(null, "", location.pathname + location.search);
  beforePanel?.focus({ preventScroll: true });
  return true;
}

function showNode(node) {
  byId("node-panel")?.remove();
  const facts = Object.entries(node).filter(
    ([key, value]) => !["name", "row", "inputs"].includes(key) && value !== "" && value != null);
  const where = `delegraph dot ${graph.path()} --around ${shellWord(node.name)}${graph.options()} -T svg -o around.svg`;
  const heading = make("h2", { tabindex: -1 }, make("code", {}, node.name));

  document.body.append(
    make("aside", { id: "node-panel", class: "panel", "aria-label": `Node ${node.name}` },
      make("button", { type: "button", class: "close", "aria-label": "Close", click: closePanel }, "×"),
      heading,
      make("dl", {}, ...facts.flatMap(([key, value]) =>
        [make("dt", {}, factNames[key] ?? key), make("dd", {}, make("code", {}, String(value)))])),
      ...shownIn(node),
      ...neighbours("Inputs", graph.inputs(node)),
      ...neighbours("Users", graph.users(node)),
      make("h3", {}, "Commands"),
      commandBlock(where),
      commandBlock(`delegraph show ${graph.path()} node#${node.row}`)));
  heading.focus({ preventScroll: true });
}

/* Search */

function addSearch() {
  const list = make("ul", { id: "results", role: "listbox", "aria-label": "Nodes found", hidden: "" });
  const input = make("input", {
    id: "search", type: "search", placeholder: "Search nodes  /", autocomplete: "off", spellcheck: "false",
    role: "combobox", "aria-expanded": "false", "aria-controls": "results", "aria-autocomplete": "list",
    "aria-label": "Search nodes by name, operator or module",
  });
  const count = make("p", { class: "muted", role: "status" });
  let chosen = -1;

  const choose = (place) => {
    const items = all("[role=option]", list);
    chosen = items.length ? (place + items.length) % items.length : -1;
    items.forEach((item, i) => item.setAttribute("aria-selected", i === chosen));
    if (chosen < 0) return input.removeAttribute("aria-activedescendant");
    input.setAttribute("aria-activedescendant", items[chosen].id);
    const { offsetTop, offsetHeight } = items[chosen];
    list.scrollTop = Math.min(offsetTop, Math.max(list.scrollTop, offsetTop + offsetHeight - list.clientHeight));
  };
  const open = (row) => {
    beforePanel = input;
    close();
    if (location.hash === `#node-${row}`) followLink();
    else location.hash = `node-${row}`;
  };
  const close = () => {
    list.hidden = true;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
  };
  const update = () => {
    const { found, count: n } = graph.search(input.value, 50);
    list.replaceChildren(...found.map((node, i) =>
      make("li", { role: "option", id: `result-${i}`, "data-row": node.row, click: () => open(node.row) },
        make("code", {}, node.name), " ", make("span", { class: "muted" }, [node.op, node.module].filter(Boolean).join(" · ")))));
    list.hidden = !found.length;
    input.setAttribute("aria-expanded", String(!list.hidden));
    count.textContent = !input.value.trim() ? "" : n > 50 ? `${n} found, 50 shown` : `${n} found`;
    choose(0);
  };

  input.addEventListener("input", update);
  input.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown") choose(chosen + 1);
    else if (event.key === "ArrowUp") choose(chosen - 1);
    else if (event.key === "Enter" && chosen >= 0 && !list.hidden) open(Number(list.children[chosen].dataset.row));
    else if (event.key === "Escape" && !list.hidden) close();
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  document.querySelector("nav").prepend(make("search", {}, input, count, list));
}

/* Links and keys */

function reveal(element) {
  for (let at = element; at; at = at.parentElement) if (at.tagName === "DETAILS") at.open = true;
  fitPictures();
  if (!element.matches("a, button, input, summary, [tabindex]")) element.tabIndex = -1;
  element.focus({ preventScroll: true });
  element.scrollIntoView();
}

function followLink() {
  let name = location.hash.slice(1);
  try {
    name = decodeURIComponent(name);
  } catch {
    return;
  }
  const target = name && byId(name);
  if (target) return reveal(target);
  const node = graph.there && /^node-\d+$/.test(name) && graph.ofRow(Number(name.slice(5)));
  if (node) showNode(node);
}

function openClicked(event) {
  const box = event.target.closest("[data-node]");
  const link = event.target.closest("a.node");
  const node = box ? graph.ofRow(Number(box.dataset.node)) : link && graph.ofName(link.textContent);
  if (!node) return;
  event.preventDefault();
  if (box) box.tabIndex = -1;
  beforePanel = link ?? box;
  if (location.hash === `#node-${node.row}`) showNode(node);
  else location.hash = `node-${node.row}`;
}

function pressKey(event) {
  const typing = event.target.matches("input, textarea, select");
  if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && byId("search")) {
    event.preventDefault();
    byId("search").focus();
    byId("search").select();
  } else if (event.key === "Escape") {
    if (!closePanel() && typing) event.target.blur();
  }
}

/* Theme: the style sheet follows the system's; the switch rewrites what it asks. */

function themeButton() {
  const asked = /\(prefers-color-scheme: (dark|light)\)/;
  const rules = [...document.styleSheets]
    .flatMap((sheet) => [...sheet.cssRules])
    .filter((rule) => rule.media && asked.test(rule.media.mediaText))
    .map((rule) => [rule, rule.media.mediaText]);
  const names = ["system", "light", "dark"];
  const button = make("button", { type: "button" }, "Theme: system");
  let theme = 0;

  button.addEventListener("click", () => {
    theme = (theme + 1) % names.length;
    button.textContent = `Theme: ${names[theme]}`;
    for (const [rule, media] of rules)
      rule.media.mediaText = theme
        ? media.replace(asked, (_, wanted) => (wanted === names[theme] ? "(min-width: 0px)" : "(max-width: 0px)"))
        : media;
  });
  return button;
}

function foldButton() {
  const button = make("button", { type: "button" }, "Unfold all");
  button.addEventListener("click", () => {
    const unfold = button.textContent === "Unfold all";
    for (const details of all("main details")) details.open = unfold;
    button.textContent = unfold ? "Fold all" : "Unfold all";
    fitPictures();
  });
  return button;
}

function openForPrint() {
  const folded = all("details:not([open])");
  for (const details of folded) details.open = true;
  addEventListener("afterprint", () => folded.forEach((details) => (details.open = false)), { once: true });
}

all("table").forEach(addCards);
all("table").forEach(addTableTools);
all(".command").forEach(addCopy);
all(".picture").forEach(addZoom);
byId("tools").append(themeButton(), foldButton());
byId("tools").hidden = false;
if (graph.there) {
  addSearch();
  document.addEventListener("click", openClicked);
  document.addEventListener("mouseover", trace);
}
document.addEventListener("keydown", pressKey);
document.addEventListener("toggle", fitPictures, true);
addEventListener("hashchange", followLink);
addEventListener("beforeprint", openForPrint);
addEventListener("resize", fitPictures);
fitPictures();
followLink();
