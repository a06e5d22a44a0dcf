"""GPT-2's printable alphabet: one visible character for each of the 256 bytes.

Vocabulary files are text, and bytes such as 0x00 or 0x20 do not survive in a
text file.  GPT-2 therefore writes each byte as a character of its own, its
proxy: the 188 bytes that Latin-1 prints stand for themselves, and the other 68
for U+0100 onwards, in order.  The map is a bijection, so nothing is lost.

>>> to_text(b"a b\\n")
'aĠbĊ'
>>> to_bytes("aĠbĊ")
b'a b\\n'
"""

from __future__ import annotations

from typing import Final

from .errors import VocabError

_PRINTED: Final = (*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100))
_HIDDEN: Final = tuple(byte for byte in range(256) if byte not in _PRINTED)

#: The 256 bytes in the order of their ids in GPT-2: the printed ones first.
ID_ORDER: Final = bytes((*_PRINTED, *_HIDDEN))

_PROXY_OF: Final = {
    byte: chr(byte if byte in _PRINTED else 0x100 + _HIDDEN.index(byte)) for byte in range(256)
}
_BYTE_OF: Final = {proxy: byte for byte, proxy in _PROXY_OF.items()}


def bytes_to_unicode() -> dict[int, str]:
    """Return GPT-2's map from each byte to its proxy character, in id order.

    >>> bytes_to_unicode()[0x20]
    'Ġ'
    """
    return {byte: _PROXY_OF[byte] for byte in ID_ORDER}


def to_text(data: bytes) -> str:
    """Write each byte as its proxy character."""
    return data.decode("latin-1").translate(_PROXY_OF)


def to_bytes(text: str) -> bytes:
    """Read each proxy character as its byte; the inverse of `to_text`.

    Raises `VocabError` where a character is nobody's proxy.
    """
    try:
        return bytes([_BYTE_OF[char] for char in text])
    except KeyError as error:
        char = error.args[0]
        raise VocabError(
            f"{char!r} (U+{ord(char):04X}) stands for no byte in {text!r}; "
            "tokens are written in the characters of bytes_to_unicode()"
        ) from None
