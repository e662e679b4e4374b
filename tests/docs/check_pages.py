"""check_pages.py ROOT: every page is up to date with docs/book.py update, and no page contains
C++ that is not compiled, or a comment within a sentence."""

import pathlib
import re
import subprocess
import sys

root = pathlib.Path(sys.argv[1])
sys.dont_write_bytecode = True
sys.path.insert(0, str(root / "docs"))
from bookmaker import pages  # noqa: E402

done = subprocess.run([sys.executable, root / "docs/book.py", "check"], text=True,
                      capture_output=True, check=False)
assert done.returncode == 0, done.stderr
for page in pages.of_repository(root):
    for line in page.read_text(encoding="utf-8").splitlines():
        assert not re.search(r"<!--.*-->.*\w", line) and not re.search(r"\w.*<!--", line), \
            f"{page}: a comment within a sentence: {line}"
for page in (root / "docs").rglob("*.md"):
    filled = re.compile(r"<!-- listing .*?<!-- end -->", re.DOTALL)
    text = page.read_text(encoding="utf-8")
    assert "```cpp" not in filled.sub("", text), \
        f"{page.name} has C++ of its own: take it from a source by markers"
