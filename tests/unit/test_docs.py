# SPDX-License-Identifier: GPL-3.0-or-later
"""The pages of the documentation: those made from code are current, links lead to headings that are there, every page
can be reached.
"""

from __future__ import annotations

import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
WIDTH = 120
LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")


sys.path.append(str(ROOT / "tests" / "judges"))
reference = importlib.import_module("reference")


def without_code(text: str) -> str:
    return re.sub(r"```.*?```|`[^`\n]*`", "", text, flags=re.S)


def anchors(path: Path) -> set[str]:
    """Names that headings get where Markdown is shown on the forges."""
    heads = re.findall(r"^#+ +(.+)$", re.sub(r"```.*?```", "", path.read_text(), flags=re.S), re.M)
    return {re.sub(r"[^\w\- ]", "", one.lower()).strip().replace(" ", "-") for one in heads}


def links(path: Path):
    for target in LINK.findall(without_code(path.read_text())):
        if not target.startswith(("http:", "https:", "mailto:")):
            place, dummy, anchor = target.partition("#")
            yield target, (path.parent / place).resolve() if place else path, anchor


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_to_pages_and_headings_that_are_there(page):
    dead = [
        target
        for target, place, anchor in links(page)
        if not place.exists() or (anchor and place.suffix == ".md" and anchor not in anchors(place))
    ]
    assert not dead


def test_every_page_can_be_reached_from_the_readme():
    seen, waiting = set(), [ROOT / "README.md"]
    while waiting:
        page = waiting.pop()
        if page not in seen and page.suffix == ".md":
            seen.add(page)
            waiting += [place for dummy, place, dummy in links(page) if place.exists()]
    assert not [str(one.relative_to(ROOT)) for one in PAGES if one not in seen]


def test_the_page_of_contents_names_every_role_module_and_playbook():
    named = set(re.findall(r"`(\w+)`", (ROOT / "docs" / "contents.md").read_text()))
    roles = {path.name for path in (ROOT / "roles").iterdir()}
    files = [*(ROOT / "plugins" / "modules").glob("*.py"), *(ROOT / "playbooks").glob("*.yml")]
    there = roles | {path.stem for path in files} - {"__init__"}
    assert there and not there - named


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_prose_wraps_at_the_width_of_code(page):
    prose = re.sub(r"```.*?```", "", page.read_text(), flags=re.S).splitlines()
    assert not [line for line in prose if len(line) > WIDTH and not line.lstrip().startswith("|")]


def test_pytest_on_a_page_selects_tests():
    found = [
        (page.name, name, word)
        for page in PAGES
        for name, word in re.findall(r"pytest (tests/\S+\.py) -k (\w+)", page.read_text())
        if not re.search(rf"^def test_\w*{word}", (ROOT / name).read_text(), re.MULTILINE)
    ]
    assert not found


def code(page: Path) -> set[str]:
    """What stands between backticks on one line."""
    return set(re.findall(r"`([^`\n]+)`", page.read_text()))


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_files_and_make_targets_that_a_page_names_are_there(page):
    tops = "|".join(path.name for path in ROOT.iterdir() if path.is_dir() and path.name not in ("build", "changelogs"))
    places = {word for word in code(page) if re.fullmatch(rf"(?:{tops})/[\w./-]+|_[a-z0-9]+/\w+\.py", word)}
    # From the checkout, from the rooms, or from any role.
    bases = (ROOT, ROOT / "plugins", ROOT / "plugins" / "module_utils", ROOT / "roles" / "kafka")
    missing = {word for word in places if not any((base / word).exists() for base in bases)}
    targets = {
        found.group(1) for word in code(page) if (found := re.match(r"make ([a-z]+(?:-[a-z]+)*)(?![a-z-])", word))
    }
    made = set(re.findall(r"^([a-z][a-z-]*):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert not missing and not targets - made


def test_pages_made_from_code_are_current():
    done = subprocess.run(
        [sys.executable, str(ROOT / "tests" / "judges" / "reference.py")], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_every_rule_of_the_lint_is_on_its_page():
    page = (ROOT / "docs" / "doctor.md").read_text()
    sources = [path.read_text() for path in (ROOT / "plugins" / "module_utils" / "_lint").glob("*.py")]
    # Of a name that goes on with a setting only the beginning is in the source.
    rules = {rule for source in sources for rule in re.findall(r'finding\(\s*"([a-z-]+[a-z])"', source)}
    assert len(rules) > 40
    assert not {rule for rule in rules if f"`{rule}`" not in page}


def test_every_finding_of_the_doctor_is_among_the_troubles():
    """Counted in the sources by their words, so that a form that the generator does not know is missed by it and not by
    this.
    """
    text = (ROOT / "docs" / "troubleshooting.md").read_text()
    sources = [path.read_text() for path in (ROOT / "plugins" / "module_utils" / "_doctor").glob("checks_*.py")]
    checks = {one for source in sources for one in re.findall(r'finding\(\s*"([a-z-]+)"', source)}
    room = ROOT / "plugins" / "module_utils" / "_doctor"
    causes = {
        cause
        for name in ("log_access.py", "log_catalogue.py")
        for cause in re.findall(r'known\(\s*"([a-z-]+)"', (room / name).read_text())
    }
    assert len(checks) > 20 and len(causes) > 10
    assert not [one for one in [*checks, *(f"log-{one}" for one in causes)] if f"| `{one}" not in text]


def test_variables_that_pages_name_are_there():
    """A variable of a role that a page or an example of the README sets has to be one."""
    known = {
        name
        for path in (ROOT / "roles").glob("*/meta/argument_specs.yml")
        for name in re.findall(r"^ +(\w+):", path.read_text(), re.M)
    }
    roles = {path.parents[1].name for path in (ROOT / "roles").glob("*/meta/argument_specs.yml")}
    unknown = {}
    for page in PAGES:
        for name in re.findall(r"-e '?\"?(\w+)=", page.read_text()):
            role = next((one for one in sorted(roles, key=len, reverse=True) if name.startswith(one + "_")), None)
            if role and name not in known:
                unknown.setdefault(str(page.relative_to(ROOT)), []).append(name)
    assert not unknown


def test_the_generator_knows_ansibles_own_mark_up():
    assert reference.marked("V(a|b) of C(x), <y>") == "`a\\|b` of `x`, &lt;y>"


def test_the_page_on_security_says_the_rights_that_are_given():
    """Each purpose's operations on topics, as the collection works them out, stand in its row."""
    from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._mm2.access import service_acls

    page = (ROOT / "docs" / "security.md").read_text()
    mirror = {"name": "m", "source": "a", "target": "b", "topics": [r"orders\..*"], "groups": ["x"]}
    for purpose in ("mirror", "proof", "witness", "stages"):
        row = next(line for line in page.splitlines() if line.startswith(f"| `{purpose}` |"))
        given = {
            operation
            for side in ("source", "target")
            for one in service_acls("x", purpose, mirror, side)
            for operation in one["operations"]
        }
        assert given <= set(re.findall(r"[A-Z_]{4,}", row)), purpose
        if purpose != "stages":
            assert set(re.findall(r"[A-Z_]{4,}", row)) <= given, purpose
