"""Hold SVG files to what reports/picture/svg.h promises: well-formed, whole without a
network or style attributes, each box with a title and a description, no id twice."""
import re
import sys
import xml.etree.ElementTree as tree

SVG = '{http://www.w3.org/2000/svg}'
REFERENCE = re.compile(r'url\(#([^)]*)\)')


def faults_of(root):
    ids = [e.get('id') for e in root.iter() if e.get('id') is not None]
    known = set(ids)
    if len(known) != len(ids):
        yield 'ids twice: ' + ', '.join(sorted({i for i in ids if ids.count(i) > 1})[:5])
    if root.tag != SVG + 'svg' or not root.get('viewBox'):
        yield 'no <svg viewBox>'
    if root.get('role') != 'img':
        yield 'no role="img"'
    for name in 'title', 'desc':
        if root.find(SVG + name) is None:
            yield f'the picture has no <{name}>'
    n_boxes = 0
    for e in root.iter():
        tag = e.tag.removeprefix(SVG)
        classes = (e.get('class') or '').split()
        if tag in ('script', 'image', 'foreignObject', 'iframe', 'use'):
            yield f'<{tag}>'
        if tag == 'g' and 'box' in classes:
            n_boxes += 1
            for name in 'title', 'desc':
                if e.find(SVG + name) is None:
                    yield f'box {e.get("id")} has no <{name}>'
        for name, value in e.attrib.items():
            if name == 'style' or name.startswith('on'):
                yield f'attribute {name} of <{tag}>'
            if name.endswith('href') and not value.startswith('#'):
                yield f'reference to {value[:60]}'
            for target in REFERENCE.findall(value):
                if target not in known:
                    yield f'reference to #{target}, which is not there'
        if tag == 'style' and re.search(r'@import|url\((?!#)', e.text or ''):
            yield 'an external reference in <style>'
    if not n_boxes:
        yield 'no boxes'


def main():
    failures = 0
    for path in sys.argv[1:]:
        try:
            faults = list(faults_of(tree.parse(path).getroot()))
        except tree.ParseError as error:
            faults = [f'not XML: {error}']
        for fault in faults[:10]:
            print(f'{path}: {fault}')
        failures += bool(faults)
    return failures > 0


sys.exit(main())
