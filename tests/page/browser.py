#!/usr/bin/env python3
"""Open reports in headless Chromium and use them as people do.

usage: browser.py [--shots FOLDER] REPORT.html...

Nothing may appear in the console, nothing but the file may be asked for, and search, links,
sorting, both themes, print, narrow windows and a browser without scripts must work. Exits
with 77 where there is no Chromium. With --shots, pictures of what was seen are kept.
"""
import argparse
import base64
import contextlib
import json
import os
import pathlib
import select
import shutil
import subprocess
import sys
import tempfile
import time

NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"]
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
         "--disable-background-networking", "--disable-extensions", "--disable-sync",
         "--remote-debugging-pipe", "--hide-scrollbars"]
WAIT = 30  # seconds for any one answer
COMPLAINTS = {"Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded"}


class Browser:
    """Chromium at the other end of two pipes: JSON messages that end with NUL."""

    def __init__(self, program, profile):
        theirs_in, self.to = os.pipe()
        self.back, theirs_out = os.pipe()
        redirect = f'exec "$@" 3<&{theirs_in} 4>&{theirs_out}'
        self.process = subprocess.Popen(
            ["sh", "-c", redirect, "sh", program, *FLAGS, f"--user-data-dir={profile}", "about:blank"],
            pass_fds=(theirs_in, theirs_out), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(theirs_in)
        os.close(theirs_out)
        self.pending, self.events, self.last_id, self.session = b"", [], 0, None
        page = next(target for target in self.call("Target.getTargets")["targetInfos"]
                    if target["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=page["targetId"],
                                 flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")

    def receive(self, until):
        while b"\0" not in self.pending:
            ready, _, _ = select.select([self.back], [], [], max(0, until - time.monotonic()))
            data = os.read(self.back, 1 << 20) if ready else b""
            if not data:
                raise SystemExit("browser.py: Chromium gave no answer")
            self.pending += data
        message, self.pending = self.pending.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, **parameters):
        self.last_id += 1
        message = {"id": self.last_id, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive(time.monotonic() + WAIT)
            if answer.get("id") == self.last_id:
                if "error" in answer:
                    raise SystemExit(f"browser.py: {method}: {answer['error']['message']}")
                return answer["result"]
            self.events.append(answer)

    def wait_for(self, event):
        while not any(seen.get("method") == event for seen in self.events):
            self.events.append(self.receive(time.monotonic() + WAIT))

    def open(self, address):
        """A new document each time, also where only the #anchor differs."""
        for url in ("about:blank", address):
            self.events.clear()
            self.call("Page.navigate", url=url)
            self.wait_for("Page.loadEventFired")

    def value(self, expression):
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True,
                           awaitPromise=True)
        if "exceptionDetails" in answer:
            raise SystemExit(f"browser.py: {expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def press(self, key, text=None):
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key,
                      windowsVirtualKeyCode={"Enter": 13, "Escape": 27, "ArrowDown": 40}.get(key, 0),
                      **({"text": text} if text and kind == "keyDown" else {}))

    def picture(self, path):
        data = self.call("Page.captureScreenshot", format="png")["data"]
        path.write_bytes(base64.b64decode(data))

    def close(self):
        self.session = None
        try:
            self.call("Browser.close")
        except (SystemExit, OSError):
            self.process.terminate()
        self.process.wait()


# For every piece of visible text: its contrast to what lies behind it.
CONTRAST = """(() => {
  const parse = (color) => (color.match(/[\\d.]+/g) ?? []).map(Number);
  const light = (color) => {
    const [r, g, b] = color.slice(0, 3).map((c) => c / 255)
      .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const solid = (color) => /^rgb/.test(color) && (parse(color)[3] ?? 1) === 1;
  const shape = (text) => {
    for (let at = text; at && at.tagName !== "svg"; at = at.parentElement)
      for (let before = at.previousElementSibling; before; before = before.previousElementSibling) {
        const fill = getComputedStyle(before).fill;
        if (at !== text.closest("svg") && /^(rect|path|polygon|ellipse|use)$/.test(before.tagName) &&
            solid(fill) && before.getBBox().width >= text.getBBox().width / 2) return fill;
      }
    return null;
  };
  const behind = (element) => {
    if (element.ownerSVGElement && shape(element)) return shape(element);
    for (let at = element; at; at = at.parentElement) {
      const color = getComputedStyle(at).backgroundColor;
      if (solid(color)) return color;
    }
    return getComputedStyle(document.documentElement).colorScheme === "dark" ? "rgb(18,18,18)" : "rgb(255,255,255)";
  };
  const poor = [];
  for (const element of document.querySelectorAll("body *")) {
    const words = [...element.childNodes].filter((n) => n.nodeType === 3 && n.data.trim());
    if (!words.length || !element.getClientRects().length || element.closest("script,style,title,desc")) continue;
    const style = getComputedStyle(element);
    const color = element.ownerSVGElement ? style.fill : style.color;
    if (!/^rgb/.test(color)) continue;
    const [a, b] = [light(parse(color)), light(parse(behind(element)))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) poor.push(`${words[0].data.trim().slice(0, 40)}: ${color} on ${behind(element)}, ${ratio.toFixed(2)}`);
  }
  return [...new Set(poor)].slice(0, 5);
})()"""

FOLDED = """[...document.querySelectorAll("details:not([open]) [id]")]
  .filter((e) => !e.closest("svg") && e.getAttribute("id") !== e.closest("details").id)[0]?.id ?? ''"""

SORTED = """(() => {
  const table = [...document.querySelectorAll("table")].find((t) => t.querySelector("thead button"));
  const column = [...table.tHead.rows[0].cells].findIndex((c) => c.getAttribute("aria-sort"));
  if (column < 0) return "no column says aria-sort";
  const keys = [...table.tBodies[0].rows].map((row) => sortKey(row.cells[column])).filter((key) => key !== "");
  return keys.every((key, i) => !i || compareKeys(keys[i - 1], key) <= 0) ? "" : "rows are out of order";
})()"""


class Visit:
    """One report, and what is wrong with it."""

    def __init__(self, browser, path, shots):
        self.browser, self.path, self.shots, self.wrong = browser, path, shots, []
        self.address = path.resolve().as_uri()

    def expect(self, holds, words):
        if not holds:
            self.wrong.append(words)

    def keep(self, name):
        if self.shots:
            self.browser.picture(self.shots / f"{self.path.stem}-{name}.png")

    def heard(self):
        for event in self.browser.events:
            method, details = event.get("method"), event.get("params", {})
            if method in COMPLAINTS:
                self.wrong.append(f"{method}: {json.dumps(details)[:600]}")
            elif method == "Network.requestWillBeSent":
                asked = details["request"]["url"]
                self.expect(asked.split("#")[0] in (self.address, "about:blank"), f"asks for {asked}")
        self.browser.events.clear()

    def follow_link(self):
        anchor = self.browser.value(FOLDED)
        if not anchor:
            return
        self.browser.open(f"{self.address}#{anchor}")
        self.expect(self.browser.value(
            f"document.getElementById({json.dumps(anchor)}).closest('details:not([open])') === null"),
            f"#{anchor} leaves its details folded")
        self.expect(self.browser.value("document.activeElement.id") == anchor, f"#{anchor} has no focus")
        self.heard()

    def search(self):
        if not self.browser.value("graph.there"):
            return
        name = self.browser.value("JSON.parse(byId('data-nodes').textContent).nodes.at(-1)[1]")
        self.browser.value("document.activeElement.blur()")
        self.browser.press("/", "/")
        self.expect(self.browser.value("document.activeElement.id") == "search", "/ does not go to the search")
        self.browser.call("Input.insertText", text=name)
        found = self.browser.value("all('#results [role=option]').length")
        self.expect(found > 0, f"the search does not find {name}")
        self.keep("search")
        self.browser.press("Enter", "\r")
        self.browser.value("new Promise((done) => setTimeout(done, 50))")
        shown = self.browser.value("document.querySelector('#node-panel h2')?.textContent")
        self.expect(shown == name, f"Enter shows {shown}, not {name}")
        self.expect(self.browser.value("location.hash.startsWith('#node-')"), "a node has no address")
        self.keep("node")
        self.browser.press("Escape")
        self.expect(self.browser.value("byId('node-panel') === null"), "Escape does not close a node")
        self.heard()

    def sort(self):
        if not self.browser.value("document.querySelector('thead button') !== null"):
            return
        self.browser.value("document.querySelectorAll('details').forEach((d) => d.open = true);"
                           "[...document.querySelectorAll('table')].find((t) => t.querySelector('thead button'))"
                           ".querySelector('tr').lastElementChild.querySelector('button').focus()")
        self.browser.press("Enter", "\r")
        self.expect(not self.browser.value(SORTED), self.browser.value(SORTED))
        self.expect(self.browser.value("tableCsv(document.querySelector('table')).includes('\\r\\n')"),
                    "no CSV of a table")
        self.heard()

    def looks(self):
        self.browser.open(self.address)
        self.browser.value("document.querySelectorAll('details').forEach((d) => d.open = true)")
        for theme in ("light", "dark"):
            self.browser.call("Emulation.setEmulatedMedia", features=[
                {"name": "prefers-color-scheme", "value": theme}])
            ground = self.browser.value("getComputedStyle(document.body).backgroundColor")
            self.expect((ground == "rgb(255, 255, 255)") == (theme == "light"), f"{theme} is {ground}")
            poor = self.browser.value(CONTRAST)
            self.expect(not poor, f"contrast below 4.5 in {theme}: {poor}")
            self.keep(theme)
        self.browser.call("Emulation.setEmulatedMedia", features=[])
        self.heard()

    def switch_theme(self):
        grounds = []
        for _ in range(3):
            self.browser.value("all('#tools button')[0].click()")
            grounds.append(self.browser.value("getComputedStyle(document.body).backgroundColor"))
        self.expect(grounds[0] == "rgb(255, 255, 255)" != grounds[1], f"the theme switch gives {grounds}")

    def trace(self):
        """A click on a box shows its node, from which one comes back; hover shows neighbours."""
        boxes = self.browser.value("graph.there ? all('.picture [data-node]').length : 0")
        if not boxes:
            return
        self.browser.open(self.address)
        self.browser.value("all('details').forEach((d) => d.open = true);"
                           "box = all('.picture [data-node]').find((b) => graph.ofRow(Number(b.dataset.node)));"
                           "box.dispatchEvent(new MouseEvent('click', {bubbles: true}))")
        self.browser.value("new Promise((done) => setTimeout(done, 50))")
        self.expect(self.browser.value("location.hash === '#node-' + box.dataset.node"),
                    "a click on a box does not go to its node")
        self.keep("box")
        self.browser.value("all('#node-panel .shown-in')[boxesOf(box.dataset.node).indexOf(box)].click()")
        self.expect(self.browser.value("document.activeElement === box && !byId('node-panel')"),
                    "a node does not go back to its box")
        row = ("[...all('#node-panel .shown-in')].find((a) => a.textContent.startsWith('Row'))")
        self.browser.value("box.dispatchEvent(new MouseEvent('click', {bubbles: true}))")
        self.browser.value("new Promise((done) => setTimeout(done, 50))")
        if self.browser.value(f"!!{row}"):
            self.browser.value(f"{row}.click()")
            self.expect(self.browser.value("document.activeElement.closest('#node-table') !== null"),
                        "a node does not go to its row")
        near = ("(b) => [...graph.inputs(b), ...graph.users(b)].flatMap((n) => boxesOf(n.row))")
        self.browser.value(
            f"box = all('.picture [data-node]').find((b) => graph.ofRow(Number(b.dataset.node)) && "
            f"({near})(graph.ofRow(Number(b.dataset.node))).some((n) => n !== b && n.closest('svg') === b.closest('svg')));"
            "box?.dispatchEvent(new MouseEvent('mouseover', {bubbles: true}))")
        if self.browser.value("!!box"):
            self.expect(self.browser.value("box.closest('svg.tracing') && all('.near').length > 1"),
                        "hover shows no neighbours")
            self.keep("hover")
            self.browser.value("document.body.dispatchEvent(new MouseEvent('mouseover', {bubbles: true}))")
            self.expect(self.browser.value("all('.tracing, .near').length") == 0, "hover does not end")
        self.heard()

    def fits(self, width):
        wide = self.browser.value("[...document.querySelectorAll('.scroll:has(table)')]"
                                  ".filter((e) => e.scrollWidth > e.clientWidth + 1)"
                                  ".map((e) => e.querySelector('caption').firstChild.textContent)")
        self.expect(not wide, f"tables do not fit {width} pixels: {wide}")

    def wide(self):
        self.browser.call("Emulation.setDeviceMetricsOverride", width=1300, height=900,
                          deviceScaleFactor=1, mobile=False)
        self.browser.value("document.querySelectorAll('details').forEach((d) => d.open = true)")
        if self.path.stem != "sample":  # whose words are longer than any screen is wide
            self.fits(1300)
        self.browser.value("scrollTo(0, 0)")
        self.keep("wide")
        self.browser.call("Emulation.clearDeviceMetricsOverride")
        self.heard()

    def narrow(self):
        self.browser.call("Emulation.setDeviceMetricsOverride", width=400, height=800,
                          deviceScaleFactor=1, mobile=False)
        wide = self.browser.value(
            "[document.documentElement.scrollWidth, [...document.querySelectorAll('body *')]"
            ".filter((e) => e.getBoundingClientRect().right > 401 && !e.closest('.scroll, .skip'))"
            ".map((e) => e.outerHTML.slice(0, 80))[0]]")
        self.expect(wide[0] <= 400, f"400 pixels are too few: {wide}")
        self.fits(400)
        self.browser.value("scrollTo(0, 0)")
        self.keep("narrow")
        self.browser.call("Emulation.clearDeviceMetricsOverride")
        self.heard()

    def print(self):
        pdf = base64.b64decode(self.browser.call("Page.printToPDF")["data"])
        self.expect(pdf.startswith(b"%PDF"), "printing gives no PDF")
        if self.shots:
            (self.shots / f"{self.path.stem}.pdf").write_bytes(pdf)
        self.heard()

    def without_scripts(self):
        count = "document.querySelectorAll('main > section > h2').length"
        whole = self.browser.value(count)
        self.browser.call("Emulation.setScriptExecutionDisabled", value=True)
        self.browser.open(self.address)
        self.expect(self.browser.value(count) == whole > 0, "sections are missing without scripts")
        self.expect(self.browser.value("document.querySelectorAll('button').length") == 0,
                    "there are buttons that do nothing without scripts")
        self.keep("plain")
        self.browser.call("Emulation.setScriptExecutionDisabled", value=False)
        self.heard()

    def all(self):
        self.browser.open(self.address)
        self.heard()
        self.follow_link()
        self.search()
        self.sort()
        self.looks()
        self.switch_theme()
        self.trace()
        self.wide()
        self.narrow()
        self.print()
        self.without_scripts()
        return self.wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shots", type=pathlib.Path)
    parser.add_argument("reports", nargs="+", type=pathlib.Path)
    options = parser.parse_args()
    program = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    if not program:
        print("browser.py: no Chromium here: reports are not opened in a browser")
        return 77
    if options.shots:
        options.shots.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        failed = 0
        with contextlib.closing(Browser(program, profile)) as browser:
            for path in options.reports:
                wrong = list(dict.fromkeys(Visit(browser, path, options.shots).all()))
                failed += bool(wrong)
                for words in wrong:
                    print(f"{path.name}: {words}")
    print(f"browser.py: {len(options.reports)} reports opened, {failed} with faults")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
