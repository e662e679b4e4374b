"""Commands of a page, as a shell would run them: continued lines are joined, loops are unrolled, and variables
have their values. They are in shell blocks, and in the text as `SCRIPT ARGUMENTS` or `MINI-APP --INPUT ...`.
"""

import re
import shlex

BLOCK = re.compile(r"^```(?:sh|bash)\n(.*?)^```", re.DOTALL | re.MULTILINE)
IN_TEXT = re.compile(r"`((?:(?:docs|perf|roofline)/[\w./]+\.(?:py|sh)|(?:orb|fof|traversal|gravity|collide)"
                     r"(?= --(?:particles|generate|benchmark)\s)) [^`…]+)`")
LOOP = re.compile(r"\s*for (\w+) in (.*); do")


def replaced(line, name, value):
    return re.sub(rf"\$(?:\{{{name}\}}|{name}(?!\w))", lambda _: value, line)


def braced(word):
    """The words that PREFIX{A,B} stands for."""
    found = re.fullmatch(r"([^{]*)\{([^}]*,[^}]*)\}", word)
    return [found[1] + part for part in found[2].split(",")] if found else [word]


def unrolled(lines):
    """Lines without loops: the body of each once for every value of its variable."""
    lines = iter(lines)
    for line in lines:
        loop = LOOP.fullmatch(line)
        if not loop:
            yield line
            continue
        body, depth = [], 1
        for inner in lines:
            depth += bool(LOOP.fullmatch(inner)) - (inner.strip() == "done")
            if depth == 0:
                break
            body.append(inner)
        for value in (value for word in loop[2].split() for value in braced(word)):
            yield from unrolled(replaced(inner, loop[1], value) for inner in body)


def commands(page):
    """Yields the commands of a page as lists of words."""
    for block in BLOCK.findall(page) + [" ".join(text.split()) for text in IN_TEXT.findall(page)]:
        variables = {}
        for line in unrolled(re.sub(r"\\\n", " ", block).splitlines()):
            for name, value in variables.items():
                line = replaced(line, name, value)
            words = shlex.split(line, comments=True)
            if len(words) == 1 and re.fullmatch(r"\w+=.*", words[0]):
                name, _, variables[name] = words[0].partition("=")
                continue
            command = []
            for word in shlex.split(re.sub(r"(&&|\|\||[;|])", r" \1 ", line), comments=True) + [";"]:
                if word not in ("&&", "||", ";", "|"):
                    command.append(word)
                elif command:
                    yield command
                    command = []
