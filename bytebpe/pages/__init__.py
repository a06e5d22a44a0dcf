"""HTML, from small values: pages, tables, bars, lines.

What is made here holds everything it needs and asks the network for nothing.  A
fragment stands in a notebook as it is; a page is one file.
"""

from .charts import Bar, Series, bars, legend, lines, parts
from .direction import Direction, direction
from .page import fragment, page, slider, symbols, table, text
from .tokens import Cell, token_view

__all__ = [
    "Bar",
    "Cell",
    "Direction",
    "Series",
    "bars",
    "direction",
    "fragment",
    "legend",
    "lines",
    "page",
    "parts",
    "slider",
    "symbols",
    "table",
    "text",
    "token_view",
]
