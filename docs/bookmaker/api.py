"""Interface pages, made from the doc comments of the headers under common/copse.

A header opens with `/// \\file` and what it is; a declaration is documented by the `///` lines
before it, a member by `///<` behind it. Declarations without a comment are not part
of the interface and are left out.
"""

import re
import textwrap

from . import BookError

COMMENT = re.compile(r"^(\s*)///(?!<) ?(.*)$")
DECLARATION_END = re.compile(r"[;{]\s*(?:///<.*|//.*)?$")


def clean(lines):
    """A comment as Markdown: commands of Doxygen become words."""
    text = textwrap.dedent("\n".join(lines)).strip("\n")
    text = re.sub(r"\\code\b\n(.*?)\n\s*\\endcode",
                  lambda m: "\n" + textwrap.indent(textwrap.dedent(m.group(1)), "    "), text,
                  flags=re.DOTALL)
    text = re.sub(r"^\\returns? ", "\nReturns ", text, flags=re.MULTILINE)
    text = re.sub(r"\\returns? ", "Returns ", text)
    text = re.sub(r"(?:^| )\\throws (\S+)", r"\n\nThrows `\1`", text, flags=re.MULTILINE)
    text = re.sub(r"(?:^|(?<=\s))\\t?param(?:\[\w+\])? (\S+)", r"\n`\1`:", text, flags=re.MULTILINE)
    # A list or a sketch directly after a paragraph needs a blank line before it in Markdown.
    text = re.sub(r"(?<=[^\n])\n(?= ?[-*] )", "\n\n", re.sub(r"(?m)^ (?=[-*] )", "", text))
    text = re.sub(r"(?ms)((?:\bThrows |\bReturns |^\[\S+ )(?:(?!\n\n).)*[^\s.])(?=\s*(?:\n\n|\Z))", r"\1.", text)
    return with_formulas(re.sub(r"\n{3,}", "\n\n", text))


def with_formulas(text):
    """Lines that are indented, outside of lists and code, are formulas: each group becomes a block."""
    made, formula, in_list = [], [], False
    for line in [*text.split("\n"), ""]:
        if not in_list and re.match(r" {2,3}\S", line) or formula and re.match(r" {2,}\S", line):
            formula.append(line)
            continue
        if formula:
            made += ["", *textwrap.indent(textwrap.dedent("\n".join(formula)), "    ").split("\n"), ""]
            formula = []
        in_list = bool(re.match(r"[-*] |\d+\. ", line)) or in_list and line.startswith(" ")
        made.append(line)
    return "\n".join(made[:-1])


def outline(code):
    """A declaration without its body and initialisers."""
    code = re.sub(r"\s*///<.*", "", code)
    code = re.sub(r"\s*\{\s*$", "", code.rstrip())
    code = re.sub(r"\)\s*((?:const|noexcept|override|\s)*)\s*(?::[^:].*)?\{.*\}\s*$", r") \1", code,
                  flags=re.DOTALL)
    return textwrap.dedent(code).rstrip().rstrip(";,")


def declaration(lines, start):
    """Lines of the declaration at `start`, to the first `;` or `{` outside of brackets."""
    taken, depth = [], 0
    for line in lines[start:start + 12]:
        if not line.strip() or (taken and COMMENT.match(line)) or line.strip() in ("}", "};"):
            break
        taken.append(line)
        bare = re.sub(r"//.*", "", line)
        depth += bare.count("(") - bare.count(")")
        if depth <= 0 and re.search(r"[;{]", bare):
            break
    return taken


def fields(lines, start):
    """Members with `///<` of the structure whose declaration begins at `start`."""
    found, depth = [], 0
    for line in lines[start:]:
        bare = re.sub(r"//.*", "", line)
        if "///<" in line:
            found.append(line)
        depth += bare.count("{") - bare.count("}")
        if depth <= 0 and "}" in bare:
            break
    return textwrap.dedent("\n".join(found))


def header(text):
    """(opening comment, [(declaration, comment, members)]) of a header."""
    lines = text.splitlines()
    opening, entries, block = [], [], []
    types = []  # (indentation, name) of the types that are open
    for number, line in enumerate(lines):
        comment = COMMENT.match(line)
        if comment:
            block.append(comment.group(2))
            continue
        if not block:
            continue
        if block[0].startswith("\\file"):
            opening = block[1:]
        elif line.strip():
            taken = declaration(lines, number)
            code = outline("\n".join(taken))
            is_type = re.search(r"^(?:enum )?(?:struct|class|enum) (\w+)", code, re.MULTILINE)
            indentation = len(line) - len(line.lstrip())
            types = [known for known in types if known[0] < indentation]
            if types:
                code = f"// {types[-1][1]}\n{code}"
            if is_type:
                types.append((indentation, is_type.group(1)))
            entries.append((code, clean(block), fields(lines, number) if is_type else ""))
        block = []
    return clean(opening), entries


def page(root, folder):
    """Markdown of one folder of headers."""
    parts = [f"# copse/{folder.relative_to(root / 'common/copse')}\n"]
    for file in sorted(folder.rglob("*.hpp")):
        if "detail" in file.parts:
            continue
        opening, entries = header(file.read_text(encoding="utf-8"))
        name = file.relative_to(root / "common")
        parts.append(f"## {name.relative_to(folder.relative_to(root / 'common'))}\n\n"
                     f"`{file.relative_to(root)}`\n\n{opening}\n")
        for code, comment, members in entries:
            parts.append(f"```cpp\n{code}\n```\n\n{comment}\n")
            if members:
                parts.append(f"```cpp\n{members}\n```\n")
    return "\n".join(parts)


def pages(root):
    """{name: Markdown} of all folders of common/copse; the README says what each contains."""
    folders = sorted(folder for folder in (root / "common/copse").iterdir() if folder.is_dir())
    made = {f"{folder.name}.md": page(root, folder) for folder in folders}
    contents = dict(re.findall(r"^\| `common/copse/(\w+)/` \| (.*) \|$",
                               (root / "README.md").read_text(encoding="utf-8"), re.MULTILINE))
    if missing := [folder.name for folder in folders if folder.name not in contents]:
        raise BookError(f"README.md does not say what common/copse/{missing[0]}/ contains")
    made["index.md"] = "# Interface\n\nFrom the comments in the headers of `common/copse`.\n\n"
    made["index.md"] += "".join(f"- [copse/{folder.name}]({folder.name}.md): {contents[folder.name]}\n"
                                for folder in folders)
    return made
