"""Check a built site: every link within it leads to a page and a place that are there, and no page asks the network for anything.

python docs/check_site.py build/docs
"""

import sys
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

ASKS = {("script", "src"), ("img", "src"), ("link", "href"), ("iframe", "src"), ("source", "src"), ("object", "data")}
NAMED = {"canonical", "next", "prev", "search", "author", "index", "copyright", "top"}  # links that a browser only knows


class Page(HTMLParser):
    """Links, what is fetched, and places that can be linked to."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.fetched: list[str] = []
        self.places: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list) -> None:
        """Of one element."""
        found = dict(attrs)
        self.places |= {found[key] for key in ("id", "name") if found.get(key)}
        for key, value in attrs:
            if (tag, key) in ASKS and value and not (tag == "link" and set((found.get("rel") or "").split()) & NAMED):
                self.fetched.append(value)
            if key in ("href", "src") and value:
                self.links.append(value)


@cache
def read(path: Path) -> Page:
    """A page of the site."""
    return Page(path.read_text(encoding="utf-8"))


def mistakes(site: Path) -> list[str]:
    """A line for each link that leads nowhere, and for each thing that a page would fetch from elsewhere."""
    found = []
    for path in sorted(site.rglob("*.html")):
        page, name = read(path), path.relative_to(site)
        found += [f"{name}: fetches {url}" for url in page.fetched if urlsplit(url).netloc]
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            target = target / "index.html" if target.is_dir() else target
            if not target.is_file():
                found.append(f"{name}: there is no {link}")
            elif parts.fragment and target.suffix == ".html" and unquote(parts.fragment) not in read(target).places:
                found.append(f"{name}: there is no place {link}")
    return found


if __name__ == "__main__":
    told = mistakes(Path(sys.argv[1]).resolve())
    sys.exit("\n".join(told) if told else 0)
