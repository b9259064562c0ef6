# SPDX-License-Identifier: GPL-3.0-or-later
"""Let antsibull-docs judge the documentation of every plugin and role, and build its pages with Sphinx, where a warning
is an error.

The pages are left in ``build/docsite/html``.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import tempfile
from pathlib import Path

from places import JUDGES, ROOT, copied, environment, plain, run

NAME = "streamsafe.kafka_dr"


def main() -> int:
    tools = environment("docs", JUDGES / "requirements-docs.txt")
    with tempfile.TemporaryDirectory(prefix="kafka-dr-docs-") as base:
        place = copied(Path(base))
        site, pages = Path(base) / "site", Path(base) / "pages"
        env = {**plain(), "ANSIBLE_COLLECTIONS_PATH": base, "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}"}
        for directory in (site, pages):
            directory.mkdir(mode=0o755)
        strict = ("--use-current", "--fail-on-error")
        steps = (
            ("lint-collection-docs", "--plugin-docs", "--validate-collection-refs", "self", "--skip-rstcheck", place),
            ("sphinx-init", *strict, "--dest-dir", site, NAME),
            ("--config-file", site / "antsibull-docs.cfg", "collection", *strict, "--dest-dir", pages, NAME),
        )
        if any(run(tools / "antsibull-docs", *words, env=env) for words in steps):
            return 1
        shutil.copytree(site / "rst", pages, dirs_exist_ok=True)
        # Other projects' pages are not downloaded: a verdict must not depend on the network.
        with (site / "conf.py").open("a") as file:
            file.write("\nintersphinx_mapping = {}\n")
        foreign(pages)
        html = ROOT / "build" / "docsite" / "html"
        shutil.rmtree(html.parent, ignore_errors=True)
        options = ("-q", "-W", "--keep-going", "-j", "2", "-b", "html", "-c", site)
        failed = run(tools / "sphinx-build", *options, pages, html, env=env)
        missing = [name for name in expected(place) if not list(html.rglob(name))]
        print(f"{len(list(html.rglob('*.html')))} pages; missing: {', '.join(missing) or 'none'}", flush=True)
        return 1 if failed or missing else 0


def foreign(pages: Path) -> None:
    """A page with the labels of Ansible's own documentation that the pages refer to, since that documentation is not
    asked.
    """
    texts = [path.read_text() for path in pages.rglob("*.rst")]
    used = {one for text in texts for one in re.findall(r":ref:`(?:[^`<]*<)?([^>`<]+)>?`", text)}
    there = {one for text in texts for one in re.findall(r"^ *\.\. _([^:]+):", text, re.M)}
    labels = sorted(one for one in used - there if not one.startswith("ansible_collections.streamsafe.kafka_dr."))
    text = "".join(f".. _{one}:\n\n{one}\n{'-' * len(one)}\n\n" for one in labels)
    (pages / "ansible.rst").write_text(":orphan:\n\nAnsible's own pages\n===================\n\n" + text)


def expected(place: Path) -> list[str]:
    """Names of the pages that there must be: one for each module, filter, role and callback."""
    found = [
        f"{one.stem}_module.html" for one in (place / "plugins" / "modules").glob("*.py") if one.stem != "__init__"
    ]
    found += [f"{one.stem}_filter.html" for one in (place / "plugins" / "filter").glob("*.yml")]
    found += [f"{one.name}_role.html" for one in (place / "roles").iterdir() if one.is_dir()]
    return sorted([*found, "stage_callback.html"])


if __name__ == "__main__":
    sys.exit(main())
