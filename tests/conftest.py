"""One suite for every engine: each test runs on the reference and on the native core.

BYTEBPE_PURE=1 leaves only the reference, BYTEBPE_REQUIRE_NATIVE=1 only the core, which must be
there.  HYPOTHESIS_PROFILE picks how many examples the properties get.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

import bytebpe
from bytebpe import _kernels

settings.register_profile("dev", max_examples=60, deadline=None)
settings.register_profile("ci", max_examples=100, deadline=None, derandomize=True)
settings.register_profile("few", max_examples=15, deadline=None, derandomize=True)
settings.register_profile(
    "deep", max_examples=5_000, deadline=None, suppress_health_check=list(HealthCheck)
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci" if os.environ.get("CI") else "dev"))

if os.environ.get("BYTEBPE_REQUIRE_NATIVE", "0") not in ("", "0"):
    ENGINES = ["native"]  # whose absence `test_engines` calls a failure
else:
    ENGINES = ["reference", "native"] if _kernels.ENGINE == "native" else ["reference"]
ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="session", params=ENGINES, autouse=True)
def engine(request: pytest.FixtureRequest) -> Iterator[str]:
    """The engine that tokenizers made in the test use."""
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "reference":
            patch.setattr(_kernels, "native", None)
        yield request.param


@pytest.fixture(scope="session")
def gpt2(engine: str) -> bytebpe.Tokenizer:
    return bytebpe.pretrained("gpt2")


@pytest.fixture(scope="session")
def corpus() -> list[str]:
    """The texts of data/corpora."""
    files = sorted((ROOT / "data" / "corpora").glob("*.txt"))
    return [file.read_bytes().decode("utf-8") for file in files]
