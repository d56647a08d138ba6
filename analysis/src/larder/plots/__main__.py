"""Makes `python -m larder.plots` the command."""

import sys

from larder.plots.cli import main

if __name__ == "__main__":
    sys.exit(main())
