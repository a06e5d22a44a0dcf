"""The one switch: the native core where it was built, the reference elsewhere.

Nothing else in the package knows which of the two runs.  BYTEBPE_PURE=1 in the
environment asks for the reference.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING or os.environ.get("BYTEBPE_PURE", "0") not in ("", "0"):
    from .merge import MergeTable
else:
    try:
        from ._native import MergeTable
    except ImportError:
        from .merge import MergeTable

#: "native" or "reference": who merges.
ENGINE = "native" if MergeTable.__module__ == "bytebpe._native" else "reference"

__all__ = ["ENGINE", "MergeTable"]
