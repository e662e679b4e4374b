"""check_pages.py ROOT: every page is what docs/book.py update would make of it today."""

import pathlib
import subprocess
import sys

root = pathlib.Path(sys.argv[1])
done = subprocess.run([sys.executable, root / "docs/book.py", "check"], text=True,
                      capture_output=True, check=False)
assert done.returncode == 0, done.stderr
