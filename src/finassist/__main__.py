"""``python -m finassist``."""

import sys

from finassist.entrypoints.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
