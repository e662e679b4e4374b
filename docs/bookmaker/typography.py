"""What a page in HTML needs beyond Markdown: exponents, indices and signs as they are printed, and line breaks
where a reader would break."""

import re

SHORT_CODE = 20  # letters of code that stay on one line
LONG_WORD = 30  # letters of a word of a command, above which it may break after a hyphen
LONG_NAME = 32  # letters of a name without a slash, above which it breaks after underscores: a phone has room for 40
INLINE = re.compile(r"<(pre|head|script|style|svg)\b.*?</\1>|<code>(?P<code>[^<]*)</code>|<[^>]*>|(?P<text>[^<]+)",
                    re.DOTALL)
OPTION = re.compile(r"(?<![^\s>])(?:--?[a-z][\w-]*|[a-z]\w*(?:-\w+)+(?![^\s,]))")
UNIT = re.compile(r"(?<=\d)\s(?=(?:%|[munμµ]?s\b|bytes?\b|[KMGT]?i?B\b|[KMGT]?flops?\b|[KMG]?Hz\b|J\b))")
SUM = re.compile(r"(?<=[\w)]) ([−+/]) (?=\d)")  # n + 1
TIMES = re.compile(r"(?<=\d)\s(?=10\^)")
SCIENTIFIC = re.compile(r"(?<![\w.])(\d+(?:\.\d+)?)e([+-]?\d+)(?![\w.]*\w)")
PLACE = re.compile(r"\b(sections?|figures?|tables?|eqs?\.|chapters?|listings?|algorithms?|exercises?|versions?|steps?|labs?)\s(?=\d)",
                   re.IGNORECASE)
FORMULA = re.compile(r"(?<![\w.])([A-Za-z]{1,2}(?:_[A-Z]+)?) =\s(?=\d)")
FACTOR = re.compile(r"(?<![\w.])(\d{1,2})\s(?=[a-zA-Z]\b(?!['-]))")  # 2 d
TIMES_SIGN = re.compile(r"(?<=[\w)|]) x\s(?=\d)")  # 3 x 4
MINUS = re.compile(r"(?:(?<=[\d)|])|(?<=\b[A-Za-z])) -\s(?=[\d(|]|[A-Za-z]\b)")  # a - b
INDEX = re.compile(r"\b(?:([A-Z])_([A-Z]+)|(log)(2|10))\b")
ROOT = re.compile(r"\bsqrt\((\w+)\)")
DATE = re.compile(r"\b\d{4}-\d\d-\d\d\b|(?<![\w.-])\d[\d.]*-\d[\d.]*\b(?!-)")  # or a range
COMMANDS = re.compile(r'<div class="language-sh highlight">.*?</pre>', re.DOTALL)
WORD = re.compile(r">([^<>\s]*-[^<>\s]*)(?=\s*<)")
POWER = re.compile(r"(?<=[\w)|\]])\^(?:\(([^()]*)\)|(-?(?:\d+(?:\.\d+)?|[A-Za-z]\w*)))")


def power_of_ten(match):
    """A number such as 1.5e-3 as the product of a mantissa and a power of ten."""
    power = f"10^{int(match.group(2))}"
    return power if match.group(1) == "1" else f"{match.group(1)}·{power}"


def with_whole_words(html):
    """The page with options and other words with a hyphen in commands on one line: a browser would break them."""
    def word(match):
        return f'><span class="piece">{match.group(1)}</span>' if len(match.group(1)) <= LONG_WORD else match.group(0)

    return COMMANDS.sub(lambda listing: WORD.sub(word, listing.group(0)), html)


def with_kind_breaks(html):
    """The page with short code on one line; longer code breaks after a slash, a comma, a colon pair, an underscore
    or a number's dot instead of anywhere, and never within an option or a value with a hyphen. A number stays with
    its unit and with what it numbers, its exponent is raised, 2e-3 is 2·10^-3, an x between numbers is a times sign."""
    def piece(match):
        code, text = match.group("code"), match.group("text")
        if text is not None:
            if text.startswith("http"):  # an address breaks between its parts
                return re.sub(r"([/_-]+(?=\w)|\.(?=[A-Za-z]))", r"\1<wbr>", text)
            text = DATE.sub(r'<span class="piece">\g<0></span>', PLACE.sub(r"\1&nbsp;", UNIT.sub("&nbsp;", text)))
            text = SUM.sub(r"&nbsp;\1&nbsp;", text)
            text = FORMULA.sub(r"\1&nbsp;=&nbsp;", TIMES.sub("·", SCIENTIFIC.sub(power_of_ten, text)))
            text = MINUS.sub("&nbsp;− ", TIMES_SIGN.sub("&nbsp;× ", text))
            text = ROOT.sub(r"√\1", FACTOR.sub(r"\1&nbsp;", text))
            text = POWER.sub(lambda power: f"<sup>{(power.group(1) or power.group(2)).replace('-', '−')}</sup>", text)
            return INDEX.sub(lambda i: f"{i.group(1) or i.group(3)}<sub>{i.group(2) or i.group(4)}</sub>", text)
        if code is None:  # a tag, a listing, what is not shown
            return match.group(0)
        if len(code) <= SHORT_CODE:
            return f'<code class="piece">{code}</code>'
        at = r"/|::|,(?=\w)|(?<=\d)\.(?=[a-z])|(?<=[a-z])\.(?=\d)"
        if any(len(name) > LONG_NAME for name in re.split(r"/|::|\s", code)):
            at += "|_"
        broken = re.sub(f"({at})(?=.)", r"\1<wbr>", code)
        return "<code>" + OPTION.sub(r'<span class="piece">\g<0></span>', broken) + "</code>"

    return INLINE.sub(piece, html)
