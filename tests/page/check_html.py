#!/usr/bin/env python3
"""Hold reports to what HTML, accessibility and their own policy ask of them.

usage: check_html.py REPORT.html...

Exits with 77 where the module html5lib is missing.
"""
import base64
import hashlib
import json
import re
import sys

try:
    import html5lib
except ImportError:
    print("check_html.py: no html5lib here: HTML is not validated")
    sys.exit(77)

HTML = "{http://www.w3.org/1999/xhtml}"
SVG = "{http://www.w3.org/2000/svg}"
# Pairs of colours that stand on one another in report.css.
ON_GROUND = ["text", "muted", "link", "good", "bad", "warn", "note"]
PAIRS = ([(color, ground) for color in ON_GROUND for ground in ("ground", "panel")] +
         [("text", "mark")] + [("text", f"tile{i}") for i in range(6)])


def luminance(color):
    parts = [int(color[i:i + 2], 16) / 255 for i in (1, 3, 5)]
    r, g, b = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


def contrast(one, other):
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def source_hash(text):
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"


class Report:
    def __init__(self, path):
        self.path, self.wrong = path, []
        data = open(path, "rb").read()
        try:
            self.text = data.decode("utf-8")
        except UnicodeDecodeError as error:
            self.text = data.decode("utf-8", "replace")
            self.wrong.append(f"not UTF-8: {error}")
        parser = html5lib.HTMLParser(html5lib.getTreeBuilder("etree"), strict=False)
        self.root = parser.parse(self.text)
        for place, code, details in parser.errors[:10]:
            self.wrong.append(f"line {place[0]}: {html5lib.constants.E[code] % details}")
        self.elements = [e for e in self.root.iter() if isinstance(e.tag, str)]

    def expect(self, holds, words):
        if not holds:
            self.wrong.append(words)

    def every(self, *tags):
        return [e for e in self.elements if e.tag in [HTML + tag for tag in tags]]

    def check_frame(self):
        self.expect(self.text.startswith("<!DOCTYPE html>\n"), "no doctype")
        self.expect(self.root.get("lang") == "en", "no language")
        self.expect(len(self.every("h1")) == 1, "not one h1")
        self.expect(len(self.every("main")) == 1, "not one main")
        self.expect(len(self.every("nav")) == 1 and len(self.every("header")) == 1, "landmarks")
        self.expect((self.every("title")[0].text or "").strip(), "no title")
        first = next(e for e in self.every("body")[0].iter() if e.tag == HTML + "a")
        self.expect(first.get("href") == "#content", "no link over the navigation")

    def check_ids(self):
        ids = [e.get("id") for e in self.elements if e.get("id") is not None]
        self.expect(len(ids) == len(set(ids)), f"ids twice: {sorted({i for i in ids if ids.count(i) > 1})[:5]}")
        self.expect(not [i for i in ids if not i or re.search(r"\s", i)], "ids with white space")
        for element in self.elements:
            for name in ("href", "aria-labelledby", "aria-controls"):
                for part in element.get(name, "").split():
                    target = part.removeprefix("#")
                    self.expect(target in ids, f"{element.tag.split('}')[1]}: nothing has the id {part}")
        for target in re.findall(r"url\(#([^)]*)\)", self.text):
            self.expect(target in ids, f"url(#{target}) leads nowhere")

    def check_headings(self):
        last = 0
        for heading in self.every("h1", "h2", "h3", "h4", "h5", "h6"):
            level = int(heading.tag[-1])
            words = "".join(heading.itertext()).strip()
            self.expect(level <= last + 1, f"h{level} after h{last}: {words[:40]}")
            self.expect(words, f"an empty h{level}")
            last = level

    def check_tables(self):
        for table in self.every("table"):
            caption = table.find(HTML + "caption")
            name = "".join(caption.itertext()).strip() if caption is not None else ""
            self.expect(name, "a table without a caption")
            heads = table.findall(f"{HTML}thead/{HTML}tr/{HTML}th")
            self.expect(heads, f"{name[:40]}: no header cells")
            for head in table.iter(HTML + "th"):
                self.expect(head.get("scope") in ("col", "row"), f"{name[:40]}: th without a scope")
            for row in table.findall(f"{HTML}tbody/{HTML}tr"):
                self.expect(len(row) == len(heads), f"{name[:40]}: a row of {len(row)} cells under {len(heads)}")

    def check_drawings(self):
        for drawing in [e for e in self.elements if e.tag == SVG + "svg"]:
            if drawing.get("aria-hidden") == "true":
                continue
            self.expect(drawing.get("role") == "img", "an <svg> without role=img")
            for name in ("title", "desc"):
                part = drawing.find(SVG + name)
                self.expect(part is not None and (part.text or "").strip(), f"an <svg> without <{name}>")
            figure = [f for f in self.every("figure") if drawing in f.iter()]
            self.expect(figure, "an <svg> outside of a figure")

    def check_details(self):
        for details in self.every("details"):
            self.expect(len(details) and details[0].tag == HTML + "summary", "details without a summary")

    def check_policy(self):
        policy = next((m.get("content") for m in self.every("meta")
                       if m.get("http-equiv") == "Content-Security-Policy"), "")
        self.expect(policy.startswith("default-src 'none'; "), f"policy: {policy}")
        self.expect("unsafe" not in policy, f"policy: {policy}")
        scripts = [s for s in self.every("script") if s.get("type") is None]
        styles = [s for s in self.elements if s.tag in (HTML + "style", SVG + "style")]
        self.expect(len(scripts) == 1 and len(styles) == 1, f"{len(scripts)} scripts, {len(styles)} styles")
        for element in scripts + styles:
            self.expect(source_hash(element.text) in policy, f"{element.tag}: its hash is not in the policy")
        for element in self.elements:
            for name in element.attrib:
                self.expect(name != "style" and not name.startswith("on"), f"{element.tag} has {name}=")
            for name in ("src", "href", "data", "action", "srcset", "{http://www.w3.org/1999/xlink}href"):
                value = element.get(name, "#")
                self.expect(value.startswith(("#", "data:")), f"{element.tag} {name}={value[:60]}")
        css = styles[0].text if styles else ""
        self.expect("@import" not in css and not re.search(r"url\((?!#|\"?data:)", css), "the style sheet loads something")
        self.expect(not self.every("link", "iframe", "object", "embed", "base", "form"), "an element that loads")

    def check_data(self):
        for script in self.every("script"):
            if script.get("type") == "application/json":
                self.expect("<" not in script.text, "a < in JSON")
                self.check_nodes(json.loads(script.text), script.get("id"))

    def check_nodes(self, data, name):
        if name != "data-nodes":
            return
        self.expect(isinstance(data["path"], str), "data-nodes: path")
        columns, nodes = data["columns"], data["nodes"]
        for node in nodes:
            fields = dict(zip(columns, node))
            self.expect(len(node) == len(columns), f"data-nodes: {node}")
            self.expect(all(0 <= i < len(nodes) for i in fields["inputs"]), f"data-nodes: inputs of {node}")
            for column in ("op", "module", "type", "source", "partition"):
                number = fields[column]
                self.expect(number is None or 0 <= number < len(data[column + "s"]), f"data-nodes: {column} of {node}")
        self.expect(len({node[0] for node in nodes}) == len(nodes), "data-nodes: a row twice")

    def check_colors(self):
        css = "".join(s.text for s in self.every("style"))
        rules = re.findall(r":root \{(.*?)\}", css, re.S)
        self.expect(len(rules) == 2, f"{len(rules)} rules for :root, not light and dark")
        colors = {}
        for theme, rule in zip(("light", "dark"), rules):
            colors.update(re.findall(r"--(\w+): (#[0-9a-f]{6});", rule))
            for color, ground in PAIRS:
                ratio = contrast(colors[color], colors[ground])
                self.expect(ratio >= 4.5, f"{theme}: --{color} on --{ground}: {ratio:.2f}")

    def check(self):
        for name in sorted(dir(self)):
            if name.startswith("check_") and name != "check_nodes":
                getattr(self, name)()
        return self.wrong


def main():
    failed = 0
    for path in sys.argv[1:]:
        wrong = Report(path).check()
        failed += bool(wrong)
        for words in wrong[:20]:
            print(f"{path.rsplit('/', 1)[-1]}: {words}")
    print(f"check_html.py: {len(sys.argv) - 1} reports, {failed} with faults")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
