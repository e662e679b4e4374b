"""check_pages.py ROOT: every page is up to date with docs/book.py update, and no page contains
C++ that is not compiled, or a directive that would end a paragraph."""

import pathlib
import re
import subprocess
import sys

root = pathlib.Path(sys.argv[1])
done = subprocess.run([sys.executable, root / "docs/book.py", "check"], text=True,
                      capture_output=True, check=False)
assert done.returncode == 0, done.stderr
for page in (p for folder in (".", "docs", "perf", "roofline", "miniapps/*")
             for p in root.glob(f"{folder}/*.md")):
    assert not re.search(r"^ *<!-- (result|ratio) ", page.read_text(encoding="utf-8"), re.MULTILINE), \
        f"{page}: a line of text that begins with a comment is the end of its paragraph"
for page in (root / "docs").glob("*.md"):
    filled = re.compile(r"<!-- listing .*?<!-- end -->", re.DOTALL)
    text = page.read_text(encoding="utf-8")
    assert "```cpp" not in filled.sub("", text), \
        f"{page.name} has C++ of its own: take it from a source by markers"
