"""Plain text out of the files that packages hold: one function for each kind of file.

Each takes the path of a file and yields blocks, a paragraph or a string of a user
interface each, with the line ends that close it.  A document is some blocks in a row.
"""

from __future__ import annotations

import gzip
import html
import json
import re
import struct
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path

_HIDDEN = re.compile(r"<(head|script|style|info|svg)\b.*?</\1>|<!--.*?-->", re.DOTALL)
_BLOCK = re.compile(r"</?(p|h\d|li|td|tr|div|title|item|note|section|pre|br|dt|dd)\b[^>]*>")
_TAG = re.compile(r"<[^>]*>")
_ROFF_LINE = re.compile(r"^[.'](?:SH|SS|B|I|BR|IR|BI|IB|RB|RI|TP|IP)\s+", re.MULTILINE)
_ROFF_ESCAPE = re.compile(r"\\f(?:\[.*?\]|\(..|.)|\\[,/&|^:%]|\\s[-+]?\d")
_TERMINAL_COLOR = re.compile(r"\x1b\[[\d;]*m")


def lines(path: Path) -> Iterator[str]:
    """Yield each line of a text."""
    yield from _blocks(read(path).split("\n"))


def code(path: Path) -> Iterator[str]:
    """Yield source text as it stands, cut at blank lines."""
    yield from (f"{block}\n\n" for block in read(path).strip("\n").split("\n\n"))


def markup(path: Path) -> Iterator[str]:
    """Yield the paragraphs of a page of HTML or XML."""
    yield from _paragraphs(read(path))


def libreoffice(path: Path) -> Iterator[str]:
    """Yield the paragraphs of a help page, without its menus."""
    _, _, page = read(path).partition('<div id="DisplayArea"')
    yield from _paragraphs("<div" + page.partition('<div id="BottomLeft')[0])


def roff(path: Path) -> Iterator[str]:
    """Yield the lines of a manual page, without its requests."""
    text = _ROFF_ESCAPE.sub("", _ROFF_LINE.sub("", read(path)))
    text = text.replace("\\-", "-").replace("\\(aq", "'").replace("\\e", "\\")
    yield from _blocks(line for line in text.split("\n") if line[:1] not in (".", "'"))


def fortunes(path: Path) -> Iterator[str]:
    """Yield the sayings of a file of fortune(6)."""
    text = _TERMINAL_COLOR.sub("", read(path))
    yield from (f"{saying.strip()}\n" for saying in re.split(r"^%$", text, flags=re.MULTILINE))


def tagged(path: Path) -> Iterator[str]:
    """Yield the lines of a corpus whose words are written word/tag, without the tags."""
    for line in read(path).split("\n"):
        text = " ".join(word.rpartition("/")[0] for word in line.split())
        text = re.sub(r" ([.,;:?!])(?: \1)?", r"\1", text.replace("``", '"').replace("''", '"'))
        yield from _blocks([text])


def tagged_chinese(path: Path) -> Iterator[str]:
    """Yield the same where words are written without spaces."""
    for line in read(path).split("\n"):
        yield from _blocks(["".join(word.rpartition("/")[0] for word in line.split())])


def json_strings(path: Path) -> Iterator[str]:
    """Yield the strings of a JSON file that are longer than a word, whatever its shape."""
    stack = [json.loads(read(path))]
    while stack:
        value = stack.pop()
        if isinstance(value, str) and len(value) > 5:
            yield from _blocks(value.split("\n"))
        elif isinstance(value, dict):
            stack.extend(reversed(value.values()))
        elif isinstance(value, list):
            stack.extend(reversed(value))


def emoji_names(path: Path) -> Iterator[str]:
    """Yield each emoji of a JSON file with its name, some of them repeated as people do."""
    for at, (emoji, name) in enumerate(json.loads(read(path)).items()):
        words = (name["en"] if isinstance(name, dict) else name).strip(":").replace("_", " ")
        yield f"{words} {emoji * (1 + at % 7 // 4)}\n"


def keywords(path: Path) -> Iterator[str]:
    """Yield each emoji of a JSON file of CLDR with its name and keywords."""
    found = json.loads(read(path)).get("annotations", {}).get("annotations", {})
    for emoji, about in found.items():
        yield f"{about.get('tts', [''])[0]} {emoji} {', '.join(about.get('default', []))}\n"


def translations(path: Path) -> Iterator[str]:
    """Yield the translated strings of a compiled catalogue of gettext."""
    data = path.read_bytes()
    _, _, count, _, table = struct.unpack_from("<5I", data)
    for at in range(1, count):  # the first holds the headers
        size, start = struct.unpack_from("<2I", data, table + 8 * at)
        yield from _blocks(data[start : start + size].decode().replace("\0", "\n").split("\n"))


def language_pack(path: Path) -> Iterator[str]:
    """Yield the messages of a language pack of Firefox."""
    with zipfile.ZipFile(path) as archive:
        for name in sorted(archive.namelist()):
            if name.endswith((".ftl", ".properties")):
                text = archive.read(name).decode("utf-8", "replace")
                messages = (line.partition("=")[2] for line in text.split("\n"))
                yield from _blocks(html.unescape(_TAG.sub("", line)) for line in messages)


def read(path: Path) -> str:
    """Return the text of a file, unpacked where it is compressed."""
    data = path.read_bytes()
    if path.suffix == ".gz":
        data = gzip.decompress(data)
    return data.decode("utf-8", "replace").replace("\r\n", "\n")


def _paragraphs(text: str) -> Iterator[str]:
    text = _BLOCK.sub("\n\n", _HIDDEN.sub("", text))
    paragraphs = html.unescape(_TAG.sub("", text)).split("\n\n")
    return _blocks(" ".join(paragraph.split()) for paragraph in paragraphs)


def _blocks(texts: Iterable[str]) -> Iterator[str]:
    yield from (f"{text.strip()}\n" for text in texts if text.strip())
