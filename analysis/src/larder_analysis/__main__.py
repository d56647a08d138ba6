"""Makes `python -m larder_analysis` the command."""

import sys

from larder_analysis.cli import main

if __name__ == "__main__":
    sys.exit(main())
