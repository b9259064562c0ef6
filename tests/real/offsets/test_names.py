# SPDX-License-Identifier: GPL-3.0-or-later
"""The collection's rule for names is MirrorMaker 2's: both are asked about the same names."""

from __future__ import annotations

import itertools
import re

import pytest
import yaml

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._inventory.mirrors import (
    target_topics_pattern,
    topics_pattern,
)
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._mm2.mirror_config import checked
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._mm2.names import MirrorNames, compile_filter, is_own
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._mm2.properties import mirror_properties
from tests.support.kafka import ROOT
from tests.support.names_oracle import Question, ask

pytestmark = pytest.mark.real

WORDS = (
    "orders",
    "na",
    "eu",
    "heartbeats",
    "internal",
    "checkpoints",
    "mm2",
    "mm2-offsets",
    "replica",
    "__",
    "_schemas",
    "",
)
NAMES = sorted(
    {
        before + separator.join(words) + after
        for separator in (".", "_")
        for count in (1, 2, 3)
        for words in itertools.product(WORDS, repeat=count)
        for before in ("", ".", "__")
        for after in ("", ".")
        if any(words)
    }
    | {
        "x.internal",
        "x-internal",
        "mm2-x",
        "mm2.x.internal",
        "myheartbeats",
        "orders_heartbeats",
        "my.heartbeats.raw",
        "a..b",
        "eu.eu.x",
        "na.eu.x",
        ".eu.x",
    }
)
MIRRORS = [
    ("identity", ".", True),
    ("default", ".", True),
    ("default", "_", True),
    ("default", "_", False),
    ("identity", "_", True),
    ("default", "--", True),
]
# What the mirror is told, and what MirrorMaker 2 is told then.
PATTERNS = [
    ([".*"], []),
    ([r"orders.*", r"eu[._].*", "mm2.*"], []),
    ([".*"], [r".*-internal", r"orders\.na.*", "eu.*"]),
]


@pytest.fixture(scope="module")
def said(tmp_path_factory):
    """``{question: answer}`` about every name, under every mirror and pattern."""
    asked = [
        Question(
            policy,
            "na",
            "eu",
            separator,
            internal,
            ",".join(topics),
            ",".join(_mirror(policy, separator, topics, exclude)["topics_exclude"]),
            name,
        )
        for policy, separator, internal in MIRRORS
        for topics, exclude in PATTERNS
        for name in NAMES[:: 3 if topics == [".*"] and not exclude else 11]
    ]
    answers = ask(asked, tmp_path_factory.mktemp("oracle"))
    assert len(answers) == len(asked) > 5000
    return dict(zip(asked, answers, strict=True))


def _mirror(policy, separator, topics, exclude):
    return checked(
        {
            "name": "m",
            "source": "na",
            "target": "eu",
            "policy": policy,
            "separator": separator,
            "topics": topics,
            "topics_exclude": exclude,
        }
    )


def test_every_method_says_what_its_class_says(said):
    matchers = {}
    for one, answer in said.items():
        names = MirrorNames(one.source, one.target, one.policy, one.separator, one.internal_separator)
        matches = matchers.setdefault((one.topics, one.exclude), compile_filter(one.topics, one.exclude))
        assert matches(one.name) == answer.matches, one
        found = (
            names.is_internal(one.name),
            names.is_heartbeats(one.name),
            names.is_cycle(one.name),
            names.copy_of(one.name),
            names.topic_source(one.name),
            names.upstream_of(one.name),
        )
        assert found == (
            answer.internal,
            answer.heartbeats,
            answer.cycle,
            answer.remote,
            answer.topic_source,
            answer.upstream,
        ), one
        assert names.original_of(answer.remote) == one.name, one


def test_the_stages_pattern_takes_what_the_mirror_copies(said):
    """Of what MirrorMaker 2 copies, only heartbeats are not looked after: as they are emitted, and those that the
    mirror's patterns leave out.
    """
    patterns = {}
    for one, answer in said.items():
        if not one.internal_separator:
            continue
        key = (one.policy, one.separator, one.topics, one.exclude)
        if key not in patterns:
            mirror = _mirror(one.policy, one.separator, one.topics.split(","), one.exclude.split(","))
            patterns[key] = (re.compile(topics_pattern(mirror)), re.compile(target_topics_pattern(mirror)))
        ours, copies = patterns[key]
        wanted = answer.copied and answer.matches and one.name != "heartbeats"
        assert bool(ours.fullmatch(one.name)) == wanted, one
        assert bool(copies.fullmatch(answer.remote)) == wanted, one


def test_a_target_whose_alias_holds_the_separator(tmp_path):
    """No policy reads such an alias: what seems to come from there is copied, and looked after."""
    asked = [
        Question(policy, "na", target, separator, True, ".*", None, name)
        for policy in ("identity", "default")
        for target, separator in (("eu.x", "."), ("eu-x", "-"), ("eu-", "--"))
        for name in (f"{target}{separator}orders", f"{target}{separator}heartbeats", "orders")
    ]
    for question, answer in zip(asked, ask(asked, tmp_path), strict=True):
        names = MirrorNames(question.source, question.target, question.policy, question.separator)
        assert bool(re.fullmatch(names.data_pattern([".*"], []), question.name)) is answer.copied, question


def test_a_region_s_definition_holds_every_topic_that_may_be_a_user_s():
    pattern = yaml.safe_load((ROOT / "roles/definition/defaults/main.yml").read_text())["definition_topics"]
    ours = compile_filter(pattern)
    assert {name for name in NAMES if not ours(name)} == {name for name in NAMES if is_own(name)}


EXAMPLES = [
    (path.name, mirror)
    for path in sorted((ROOT / "examples" / "topologies").glob("*.yml"))
    for mirror in yaml.safe_load(path.read_text()).get("kafka_dr_mirrors") or []
]
# Names that every example's patterns, exclusions and aliases make something of.
USUAL = [
    "orders",
    "orders.a",
    "orders.scratch.a",
    "orders.heartbeats",
    "stock.a",
    "sales.eu",
    "prices.x",
    "x.internal",
    "x-internal",
    "mm2-x",
    "__x",
    "a.replica",
    "heartbeats",
    "mm2-offsets.europe.internal",
    "europe.checkpoints.internal",
    "_schemas",
]


def test_the_stages_pattern_of_every_example(tmp_path):
    """What is rendered for MirrorMaker 2 goes through its classes; what is made for the stages says the same."""
    asked, patterns = [], []
    for _file, mirror in EXAMPLES:
        made = mirror_properties(
            [mirror],
            {region: {"bootstrap.servers": "b:1"} for region in (mirror["source"], mirror["target"])},
            "/s",
            rest_port=8083,
        )
        flow, full = "{}->{}.".format(mirror["source"], mirror["target"]), checked(mirror)
        names = [*USUAL, *(mirror[side] + full["separator"] + name for side in ("source", "target") for name in USUAL)]
        asked += [
            Question(
                full["policy"],
                mirror["source"],
                mirror["target"],
                full["separator"],
                True,
                made[flow + "topics"],
                made[flow + "topics.exclude"],
                name,
            )
            for name in names
        ]
        patterns += [(re.compile(topics_pattern(mirror)), re.compile(target_topics_pattern(mirror)))] * len(names)
    for one, answer, (ours, copies) in zip(asked, ask(asked, tmp_path), patterns, strict=True):
        wanted = answer.copied and answer.matches and one.name != "heartbeats"
        assert (bool(ours.fullmatch(one.name)), bool(copies.fullmatch(answer.remote))) == (wanted, wanted), one


def test_what_is_nobodys_data_is_never_copied_as_data(said):
    """Without knowing a mirror, a survey leaves out only what no policy copies under its usual separator, and
    heartbeats.
    """
    for one, answer in said.items():
        if one.separator == ".":
            assert is_own(one.name) == (answer.internal or one.name == "heartbeats"), one


def test_names_that_look_internal_are_copied(said):
    for one, answer in said.items():
        if (
            one.name in ("x.internal", "x-internal", "mm2-x")
            and (one.topics, one.separator) == (".*", ".")
            and "-internal" not in one.exclude
        ):
            assert answer.copied and not is_own(one.name), one
