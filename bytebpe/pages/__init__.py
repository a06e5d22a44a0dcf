"""HTML, from small values: pages, tables, bars, lines.

What is made here holds everything it needs and asks the network for nothing.  A
fragment stands in a notebook as it is; a page is one file.
"""

from .charts import Bar, Series, bars, legend, lines, parts
from .page import fragment, page, symbols, table, text
from .tokens import Cell, token_view

__all__ = [
    "Bar",
    "Cell",
    "Series",
    "bars",
    "fragment",
    "legend",
    "lines",
    "page",
    "parts",
    "symbols",
    "table",
    "text",
    "token_view",
]
