"""Prints each command that reports show, once: what is to be copied, and what pictures,
tables and sentences end with."""

import html.parser
import re
import sys

AT_THE_END = re.compile(r"(?:^|: |`|\$ )(delegraph (?:[a-z]+) [^\n`]+)", re.M)


class Page(html.parser.HTMLParser):
    """Texts of a page, one for each element that holds text; scripts and styles apart."""

    def __init__(self, text):
        super().__init__()
        self.texts, self.silent = [], 0
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.silent += tag in ("script", "style")

    def handle_endtag(self, tag):
        self.silent -= tag in ("script", "style")

    def handle_data(self, data):
        if not self.silent:
            self.texts.append(data)


def commands_of(path):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    texts = Page(text).texts if path.endswith(".html") else [text]
    for part in texts:
        yield from (found.strip() for found in AT_THE_END.findall(part))


seen = {command: None for path in sys.argv[1:] for command in commands_of(path)}
print("\n".join(seen))
