"""Numbers within sentences. docs/numbers.toml lists the sentences that have measured numbers and where each
number comes from, so that the pages themselves have no markers in their sentences:

    [["docs/orb.md"]]
    says = "a build takes {} copy passes"
    from = ["result h200/orb_uniform rows[backend=cuda].copy_passes .1f"]

`says` is text of the page with `{}` for each number; line breaks count as spaces. `from` has a `result`
or `ratio` with its arguments, as in a marker. The words must be on the page exactly once.
"""

import re
import tomllib

from . import BookError

FILE = "docs/numbers.toml"
NUMBER = r"([-+]?[\d][\d.,e+-]*|[0-9a-f]{7}|[\w.+-]+)"


def entries(root):
    """(page, words, sources) of every sentence."""
    file = root / FILE
    listed = tomllib.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
    for page, sentences in listed.items():
        if not (root / page).is_file():
            raise BookError(f"{FILE}: there is no page {page}")
        for sentence in sentences:
            if sentence["says"].count("{}") != len(sentence["from"]):
                raise BookError(f"{FILE}: '{sentence['says']}' has not as many {{}} as sources")
            yield page, sentence["says"], sentence["from"]


def pattern(words):
    """Finds the words, whatever their numbers and line breaks are."""
    pieces = [r"\s+".join(map(re.escape, re.split(r"\s+", piece))) for piece in words.split("{}")]
    return re.compile(NUMBER.join(pieces))


def fill(text, words, values):
    """The page with the numbers of one sentence."""
    found = list(pattern(words).finditer(text))
    if len(found) != 1:
        raise BookError(f"'{words}' of {FILE} is there {len(found)} times, one is needed")
    match = found[0]
    for group in range(len(values), 0, -1):
        begin, end = match.span(group)
        text = text[:begin] + values[group - 1] + text[end:]
    return text


def filled(page, text, root, fillers):
    """The page with the numbers of all its sentences. `fillers` are functions of (arguments, root) by the
    kind of source."""
    for name, words, sources in entries(root):
        if name == page:
            values = [fillers[kind](arguments.split(), root) for kind, _, arguments in
                      (source.partition(" ") for source in sources)]
            text = fill(text, words, values)
    return text
