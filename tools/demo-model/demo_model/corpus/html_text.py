"""Readable text of documentation pages."""

import re
import sys

import lxml.etree
import lxml.html

BLOCKS = set(
    "p div li ul ol dl dt dd table tr section article h1 h2 h3 h4 h5 h6 blockquote header details summary body main br hr".split()
)
SKIPPED = set("script style nav footer noscript svg button form head img select".split())
SKIPPED_CLASSES = {"headerlink", "navheader", "navfooter", "sphinxsidebar", "sidebar"}
ANCHOR_SIGNS = {"\u00b6", "#", "\u00a7"}
MAIN_PARTS = ('//div[@role="main"]', '//div[@id="content"]', '//div[@class="body"]', "//body")


def html_text(page):
    """Text of the main part of a page: headings with #, list items with -, code between fences; empty when it has none."""
    page = re.sub(r"^\s*<\?xml[^>]*\?>", "", page)
    try:
        root = lxml.html.fromstring(page)
    except (lxml.etree.LxmlError, ValueError):
        return ""
    pieces = []
    sys.setrecursionlimit(20000)
    try:
        _walk(_main_part(root), pieces)
    except RecursionError:
        return ""
    return _tidy("".join(pieces))


def _main_part(root):
    main = root.find(".//main")
    if main is not None:
        return main
    for path in MAIN_PARTS:
        found = root.xpath(path)
        if found:
            return found[0]
    return root


def _walk(element, pieces):
    tag = element.tag if isinstance(element.tag, str) else None
    if tag is None or tag in SKIPPED or element.get("class") in SKIPPED_CLASSES:
        return
    if tag == "a" and (element.text or "") in ANCHOR_SIGNS:
        return
    if tag == "pre":
        pieces.append("\n\n```\n" + element.text_content().strip("\n") + "\n```\n\n")
        return
    if tag in BLOCKS:
        pieces.append("\n")
    if tag in ("h1", "h2", "h3", "h4"):
        pieces.append("\n" + "#" * int(tag[1]) + " ")
    if tag == "li":
        pieces.append("- ")
    if tag in ("td", "th"):
        pieces.append(" | ")
    if element.text:
        pieces.append(re.sub(r"\s+", " ", element.text))
    for child in element:
        _walk(child, pieces)
        if child.tail:
            pieces.append(re.sub(r"\s+", " ", child.tail))
    if tag in BLOCKS:
        pieces.append("\n")


def _tidy(text):
    """Normalise white space outside of code fences."""
    parts = re.split(r"(\n```\n.*?\n```\n)", text, flags=re.S)
    for i in range(0, len(parts), 2):
        part = re.sub(r"[ \t]+", " ", parts[i])
        part = re.sub(r" ?\n ?", "\n", part)
        part = re.sub(r"\n- \n+", "\n- ", part)
        parts[i] = re.sub(r"\n{3,}", "\n\n", part)
    return re.sub(r"\n{3,}", "\n\n", "".join(parts)).strip()
