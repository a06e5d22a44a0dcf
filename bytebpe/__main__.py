"""Run the command line as `python -m bytebpe`."""

import sys

from .cli import main

sys.exit(main())
