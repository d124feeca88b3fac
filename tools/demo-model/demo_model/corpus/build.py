"""Build the base text from unpacked Debian packages, npm tarballs and the standard library of CPython.

Writes one {"src", "path", "kind", "text"} a line, and corpus-stats.json beside it. The lists of packages, with their
versions, are packages-debian.txt and packages-npm.txt.

    python3 -m demo_model.corpus.build --debian DIR --npm DIR --stdlib DIR --out corpus.jsonl
"""

import argparse
import gzip
import json
import os
import random
import re
import tarfile
from pathlib import Path

from demo_model.corpus.html_text import html_text
from demo_model.corpus.writer import CorpusWriter

# package, ends of file names, kind, most characters
DEBIAN = [
    ("python3.11-doc", (".rst.txt", ".txt"), "prose", None),
    ("postgresql-doc-15", (".html",), "prose", None),
    ("nodejs-doc", (".md", ".md.gz"), "prose", None),
    ("nodejs-doc", (".html",), "prose", None),
    ("sqlite3-doc", (".html",), "prose", 12_000_000),
    ("python-django-doc", (".html",), "prose", 12_000_000),
    ("python-sqlalchemy-doc", (".rst", ".txt"), "prose", None),
    ("python-sqlalchemy-doc", (".py",), "code", None),
]
DEBIAN_CODE = [("python3-networkx", 8_000_000), ("python3-sympy", 16_000_000)]
# Parts of the Rust documentation that are generated or only reference.
RUST_SKIPPED = set(
    "std core alloc src proc_macro test implementors error_codes error-index source-files search-index".split()
)
PERMISSIVE = re.compile(r"MIT|ISC|Apache-2|BSD|0BSD", re.I)
NPM_FILES = re.compile(r"\.(md|d\.ts|ts|js|mjs|d\.mts)$")
NPM_SKIPPED = re.compile(r"\.min\.|/locale|/i18n/|/umd/|/fesm2015/|CHANGELOG|HISTORY|changelog")
NPM_LARGEST_FILE = 1_500_000
NPM_LIMIT = 5_000_000


def read(path):
    """Text of a file, gzipped or not; empty when it is no UTF-8."""
    try:
        if path.endswith(".gz"):
            with gzip.open(path, "rt", encoding="utf-8") as f:
                return f.read()
        return Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError, EOFError):
        return ""


def files(root, ends):
    """Paths below a folder with one of the ends, in a fixed order, no links."""
    for folder, subfolders, names in os.walk(root):
        subfolders.sort()
        for name in sorted(names):
            path = os.path.join(folder, name)
            if name.endswith(ends) and not os.path.islink(path):
                yield path


def add_debian(writer, root):
    """Documentation and Python code of the Debian packages, each unpacked in a folder of its name."""
    for package, ends, kind, limit in DEBIAN:
        for path in files(os.path.join(root, package), ends):
            text = read(path)
            writer.add(
                package,
                os.path.relpath(path, root),
                kind,
                html_text(text) if ends == (".html",) else text,
                limit,
            )
    books = os.path.join(root, "rust-doc/usr/share/doc/rust-doc/html")
    for book in sorted(os.listdir(books)):
        if book in RUST_SKIPPED or not os.path.isdir(os.path.join(books, book)):
            continue
        for path in files(os.path.join(books, book), (".html",)):
            if "print.html" not in path:
                writer.add(
                    "rust-doc", os.path.relpath(path, root), "prose", html_text(read(path)), 14_000_000
                )


def add_python(writer, stdlib, debian_root):
    """The standard library (half of its tests), and two large libraries."""
    for path in files(stdlib, (".py",)):
        name = os.path.relpath(path, stdlib)
        if re.search(r"(^|/)(site-packages|lib2to3|idlelib)/", name):
            continue
        # Half of the tests, the same half every time.
        if re.search(r"(^|/)test/", name) and random.Random("python-stdlib/" + name).random() > 0.5:
            continue
        writer.add("cpython-stdlib", name, "code", read(path), 22_000_000)
    for package, limit in DEBIAN_CODE:
        for path in files(os.path.join(debian_root, package), (".py",)):
            writer.add(package, os.path.relpath(path, debian_root), "code", read(path), limit)


def npm_rank(name):
    """Readable sources first."""
    for rank, end in enumerate((".md", ".d.ts", ".ts")):
        if name.endswith(end):
            return rank, name
    return 3, name


def add_npm(writer, folder):
    """Sources and read-me files of npm tarballs with a permissive licence; returns their versions and licences."""
    licences = {}
    for tarball in sorted(Path(folder).glob("*.tgz")):
        with tarfile.open(tarball) as archive:
            members = [m for m in archive.getmembers() if m.isfile()]
            manifest = min(
                (m for m in members if m.name.endswith("/package.json")), key=lambda m: len(m.name)
            )
            package = json.load(archive.extractfile(manifest))
            licence = package.get("license") or package.get("licenses")
            licences[package["name"]] = [
                package["version"],
                licence if isinstance(licence, str) else json.dumps(licence),
            ]
            if not PERMISSIVE.search(str(licence)):
                print("left out for its licence:", tarball.name, licence)
                continue
            for member in sorted(members, key=lambda m: npm_rank(m.name)):
                name = member.name
                if not NPM_FILES.search(name) or NPM_SKIPPED.search(name) or member.size > NPM_LARGEST_FILE:
                    continue
                try:
                    text = archive.extractfile(member).read().decode("utf-8")
                except UnicodeDecodeError:
                    continue
                kind = "prose" if name.endswith(".md") else "code"
                writer.add("npm:" + package["name"], name, kind, text, NPM_LIMIT)
    return licences


def check_folders(args):
    """Stop when a source is missing, rather than build a smaller corpus."""
    packages = {package for package, *_ in DEBIAN + DEBIAN_CODE} | {"rust-doc"}
    wanted = [Path(args.debian, package) for package in sorted(packages)] + [
        Path(args.npm),
        Path(args.stdlib),
    ]
    missing = [str(path) for path in wanted if not path.is_dir()]
    if missing:
        raise SystemExit("missing folders: " + ", ".join(missing))


def main():
    """Build the corpus and print what each source gave."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--debian", required=True, help="folder with one unpacked package a subfolder")
    parser.add_argument("--npm", required=True, help="folder with npm tarballs")
    parser.add_argument("--stdlib", required=True, help="Lib folder of CPython")
    parser.add_argument("--out", required=True)
    args = parser.parse_args()
    check_folders(args)
    with open(args.out, "w", encoding="utf-8") as f:
        writer = CorpusWriter(f)
        add_debian(writer, args.debian)
        add_python(writer, args.stdlib, args.debian)
        licences = add_npm(writer, args.npm)
    report = {"stats": writer.statistics, "npm_licences": licences}
    Path(args.out).with_name("corpus-stats.json").write_text(json.dumps(report, indent=1))
    for source, counts in sorted(writer.statistics.items(), key=lambda item: -item[1]["chars"]):
        print(f"{source:28s} {counts['docs']:6d} documents {counts['chars'] / 1e6:8.2f} M characters")


if __name__ == "__main__":
    main()
