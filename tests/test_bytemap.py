from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bytebpe
from bytebpe.bytemap import ID_ORDER, to_bytes, to_text
from bytebpe.errors import VocabError


@given(st.binary())
def test_any_bytes_survive(data: bytes) -> None:
    assert to_bytes(to_text(data)) == data


def test_each_byte_has_a_visible_character_of_its_own() -> None:
    proxies = bytebpe.bytes_to_unicode()

    assert sorted(proxies) == list(range(256))
    assert len(set(proxies.values())) == 256
    assert all(char.isprintable() and not char.isspace() for char in proxies.values())


def test_the_map_is_gpt2s() -> None:
    proxies = bytebpe.bytes_to_unicode()

    assert list(proxies)[:3] == [0x21, 0x22, 0x23]
    assert list(proxies)[188:] == [*range(0x21), *range(0x7F, 0xA1), 0xAD]
    assert (proxies[0x20], proxies[0x0A], proxies[0xAD]) == ("Ġ", "Ċ", "Ń")
    assert bytes(proxies) == ID_ORDER


@pytest.mark.parametrize("text", [" ", "a b", "\x00", "世", "\u0144"])
def test_a_character_that_is_nobodys_proxy_is_refused(text: str) -> None:
    with pytest.raises(VocabError, match="stands for no byte"):
        to_bytes(text)
