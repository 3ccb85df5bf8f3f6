"""Hold PNG and PDF files to the SVG that they are drawn from: its size, and in a PDF its
text. Arguments: SVG, PNG and PDF in turn."""
import collections
import math
import re
import struct
import sys
import xml.etree.ElementTree as tree
import zlib

SVG = '{http://www.w3.org/2000/svg}'
HEX = rb'<([0-9a-fA-F]+)>'
STRINGS = re.compile(rb'/(f-\d+-\d+) [-\d.]+ Tf|' + HEX + rb'|\(((?:\\.|[^()\\])*)\)', re.S)


def size_of(root):
    return tuple(float(root.get(side).removesuffix('pt')) for side in ('width', 'height'))


def png_faults(path, size):
    with open(path, 'rb') as file:
        data = file.read()
    if data[:8] != b'\x89PNG\r\n\x1a\n' or data[12:16] != b'IHDR':
        yield 'not a PNG'
        return
    wanted = tuple(math.ceil(side * 96 / 72 - 1e-6) for side in size)
    pixels = struct.unpack_from('>II', data, 16)
    if pixels != wanted:
        yield f'{pixels} pixels, not {wanted}'
    if data[25] != 2:
        yield f'colour type {data[25]}: not RGB, so paper shows through'


def stream_of(body):
    start = re.search(rb'stream\r?\n', body)
    data = body[start.end():body.rindex(b'endstream')]
    return zlib.decompress(data) if b'/FlateDecode' in body[:start.start()] else data


def characters(stream):
    """Of each code of a /ToUnicode its text, and how many bytes a code has."""
    texts = {}
    for block in re.findall(rb'beginbfchar(.*?)endbfchar', stream, re.S):
        for code, text in re.findall(HEX + rb'\s*' + HEX, block):
            texts[int(code, 16)] = bytes.fromhex(text.decode()).decode('utf-16-be')
    for block in re.findall(rb'beginbfrange(.*?)endbfrange', stream, re.S):
        for first, last, text in re.findall(HEX + rb'\s*' + HEX + rb'\s*' + HEX, block):
            for code in range(int(first, 16), int(last, 16) + 1):
                texts[code] = chr(int(text, 16) + code - int(first, 16))
    digits = len(re.search(rb'begincodespacerange\s*' + HEX, stream)[1])
    return texts, digits // 2


def fonts_of(objects):
    fonts = {}
    for body in objects.values():
        for name, font in re.findall(rb'/(f-\d+-\d+) (\d+) 0 R', body):
            unicode = re.search(rb'/ToUnicode (\d+) 0 R', objects[font])
            fonts[name] = characters(stream_of(objects[unicode[1]]))
    return fonts


def unescaped(string):
    def character(match):
        code = match[1]
        return bytes([int(code, 8)]) if code.isdigit() else code

    return re.sub(rb'\\([0-7]{3}|.)', character, string, flags=re.S)


def pdf_text(data):
    objects = dict(re.findall(rb'^(\d+) 0 obj\n(.*?)\nendobj', data, re.S | re.M))
    fonts = fonts_of(objects)
    text = []
    for content in re.findall(rb'/Contents (\d+) 0 R', data):
        codes, size = {}, 1
        for name, digits, string in STRINGS.findall(stream_of(objects[content])):
            if name:
                codes, size = fonts[name]
            shown = bytes.fromhex(digits.decode()) or unescaped(string)
            text += (codes.get(int.from_bytes(shown[at:at + size], 'big'), '\ufffd')
                     for at in range(0, len(shown), size))
    return ''.join(text)


def pdf_faults(path, root):
    with open(path, 'rb') as file:
        data = file.read()
    box = re.search(rb'/MediaBox \[ 0 0 ([\d.]+) ([\d.]+) \]', data)
    if not data.startswith(b'%PDF') or not box:
        yield 'not a PDF with a page'
        return
    if tuple(map(float, box.groups())) != size_of(root):
        yield f'a page of {box[0]}, not {size_of(root)}'
    wanted = ''.join(''.join(e.itertext()) for e in root.iter(SVG + 'text'))
    wanted, shown = (collections.Counter(''.join(t.split())) for t in (wanted, pdf_text(data)))
    if wanted != shown:
        yield f'lacks the text {wanted - shown}, has {shown - wanted}'


def main():
    failures = 0
    for svg, png, pdf in zip(*[iter(sys.argv[1:])] * 3):
        root = tree.parse(svg).getroot()
        for path, faults in (png, png_faults(png, size_of(root))), (pdf, pdf_faults(pdf, root)):
            for fault in faults:
                print(f'{path}: {fault}')
                failures += 1
    return failures > 0


sys.exit(main())
