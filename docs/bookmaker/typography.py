"""What a page in HTML needs beyond Markdown: raised exponents, and line breaks where a reader would break."""

import re

SHORT_CODE = 20  # letters of code that stay on one line
INLINE = re.compile(r"<(pre|head|script|style|svg)\b.*?</\1>|<code>(?P<code>[^<]*)</code>|<[^>]*>|(?P<text>[^<]+)",
                    re.DOTALL)
OPTION = re.compile(r"(?<![^\s>])(?:--?[a-z][\w-]*|[a-z]\w*(?:-\w+)+(?![^\s,]))")
UNIT = re.compile(r"(?<=\d)\s(?=(?:%|[munμµ]?s\b|bytes?\b|[KMGT]?i?B\b))")
SUM = re.compile(r"(?<=[\w)]) ([-−+/]) (?=\d)")  # 2d - 1
TIMES = re.compile(r"(?<=\d) (?=10\^)")
SCIENTIFIC = re.compile(r"(?<![\w.])(\d+(?:\.\d+)?)e([+-]?\d+)(?![\w.]*\w)")
PLACE = re.compile(r"\b(sections?|figures?|tables?|eqs?\.|chapters?|listings?|algorithms?|exercises?|versions?|steps?|labs?)\s(?=\d)",
                   re.IGNORECASE)
FORMULA = re.compile(r"(?<![\w.])([A-Za-z]{1,2}) = (?=\d)")
DATE = re.compile(r"\b\d{4}-\d\d-\d\d\b|(?<![\w.-])\d[\d.]*-\d[\d.]*\b(?!-)")  # or a range
POWER = re.compile(r"(?<=[\w)|\]])\^(?:\(([^()]*)\)|(-?(?:\d+(?:\.\d+)?|[A-Za-z]\w*)))")


def power_of_ten(match):
    """A number such as 1.5e-3 as the product of a mantissa and a power of ten."""
    power = f"10^{int(match.group(2))}"
    return power if match.group(1) == "1" else f"{match.group(1)}·{power}"


def with_kind_breaks(html):
    """The page with short code on one line; longer code breaks after a slash, a colon pair, an underscore, a comma or a
    number's dot instead of anywhere, and never within an option or a value with a hyphen. A number stays with
    its unit and with what it numbers, its exponent is raised, and 2e-3 is 2·10^-3."""
    def piece(match):
        code, text = match.group("code"), match.group("text")
        if text is not None:
            if text.startswith("http"):  # an address breaks between its parts
                return re.sub(r"([/_-]+(?=\w)|\.(?=[A-Za-z]))", r"\1<wbr>", text)
            text = DATE.sub(r'<span class="piece">\g<0></span>', PLACE.sub(r"\1&nbsp;", UNIT.sub("&nbsp;", text)))
            text = SUM.sub(r"&nbsp;\1&nbsp;", text)
            text = FORMULA.sub(r"\1&nbsp;=&nbsp;", TIMES.sub("·", SCIENTIFIC.sub(power_of_ten, text)))
            return POWER.sub(lambda power: f"<sup>{(power.group(1) or power.group(2)).replace('-', '−')}</sup>", text)
        if code is None:  # a tag, a listing, what is not shown
            return match.group(0)
        if len(code) <= SHORT_CODE:
            return f'<code class="piece">{code}</code>'
        broken = re.sub(r"(/|::|_|,(?=\S)|(?<=\d)\.(?=[a-z])|(?<=[a-z])\.(?=\d))(?=.)", r"\1<wbr>", code)
        return "<code>" + OPTION.sub(r'<span class="piece">\g<0></span>', broken) + "</code>"

    return INLINE.sub(piece, html)
