# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import UsageError
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._mm2.properties import (
    mirror_properties,
    mirror_secrets,
    parse_properties,
    pattern_text,
    render_properties,
)

MIRROR = {"name": "backup", "source": "a", "target": "b"}
SCRAM = {
    "bootstrap.servers": "a:9093",
    "security.protocol": "sasl_ssl",
    "sasl.mechanism": "SCRAM-SHA-512",
    "sasl.username": "mirror",
    "ssl.ca.pem": "PEM",
}
CLIENTS = {"a": SCRAM, "b": {"bootstrap.servers": "b:9092"}, "c": {"bootstrap.servers": "c:9092"}}


def rendered(mirrors=None, **more):
    return mirror_properties(mirrors or MIRROR, CLIENTS, "/etc/secrets", **more)


def test_no_secret_is_in_the_file_only_its_reference():
    made = rendered()
    assert 'password="${file:/etc/secrets:a.sasl.password}"' in made["a.sasl.jaas.config"]
    assert mirror_secrets({"a": {"sasl.password": "pw"}, "b": None}) == {"a.sasl.password": "pw"}


def test_exactly_once_has_the_targets_prefix_since_without_it_nothing_happens():
    made = rendered()
    assert made["b.exactly.once.source.support"] == "enabled"
    assert "exactly.once.source.support" not in made
    assert made["dedicated.mode.enable.internal.rest"] == "true"
    assert made["a->b.consumer.isolation.level"] == "read_committed"


def test_without_exactly_once_the_producer_is_idempotent_and_no_rest_is_opened():
    made = rendered({**MIRROR, "exactly_once": False})
    assert made["a->b.producer.override.enable.idempotence"] == "true"
    assert "b.exactly.once.source.support" not in made and "listeners" not in made


def test_where_plugins_are_is_told_to_the_worker_and_to_the_rest_server_of_the_process():
    made = rendered({**MIRROR, "config": {"worker": {"plugin.discovery": "service_load"}}})
    assert made["b.plugin.discovery"] == made["plugin.discovery"] == "service_load"


def test_a_flow_that_nobody_asked_for_is_named_and_off():
    made = rendered()
    assert made["b->a.enabled"] == "false" and made["b->a.emit.heartbeats.enabled"] == "false"


def test_several_mirrors_in_one_process():
    made = rendered([{**MIRROR, "target": "c"}, {"name": "second", "source": "b", "target": "c"}])
    assert made["clusters"] == "a, c, b"
    assert made["a->c.enabled"] == made["b->c.enabled"] == "true"


@pytest.mark.parametrize(
    "mirrors, words",
    [
        ([MIRROR, {**MIRROR, "name": "again"}], "Two mirrors copy a->b"),
        (
            [{**MIRROR, "target": "c"}, {"name": "two", "source": "b", "target": "c", "tuning": {"flush_ms": 1}}],
            "disagree about offset.flush",
        ),
        (
            {**MIRROR, "config": {"source": {"replication.policy.class": "x"}}},
            "disagree about replication.policy.class",
        ),
        ({**MIRROR, "target": "nowhere"}, "No Kafka client is described for region nowhere"),
        ({**MIRROR, "topics": ["a{1,2}"]}, "comma"),
        ({**MIRROR, "groups": ["a("]}, "regular expression"),
        ({**MIRROR, "topics": ["orders", "[a-m&&[^c]]+"]}, "a set within a set, which Java reads in another way"),
        ({**MIRROR, "topics": ["[[a-c][x-z]]+"]}, "a set within a set"),
        ({**MIRROR, "topics": ["(?i)orders.*"]}, "global flags"),
        ({**MIRROR, "topics": ["x)|(y"]}, "unbalanced"),
        ({**MIRROR, "topics_exclude": [r"(a)x\1"]}, "a reference to a group"),
        ({**MIRROR, "topics": ["(?P<shop>a)b"]}, "a group that Java does not know"),
        ({**MIRROR, "topics": ["orders.{x}"]}, "a brace that Java refuses"),
        ({**MIRROR, "topics": ["orders", "[a-z[0-9]]+"]}, "a set within a set"),
        ({**MIRROR, "groups": ["a{2147483648}"]}, "a count that Java refuses"),
        ({**MIRROR, "topics": [r"a\0"]}, "an octal number"),
        ({**MIRROR, "topics": [r"top\0141"]}, "an octal number"),
        ({**MIRROR, "topics": [r"a\0377"]}, "an octal number"),
        ({**MIRROR, "topics": [r"a\U00000041"]}, "an escape that Java reads in another way"),
        ({**MIRROR, "groups": [r"a\v"]}, "an escape that Java reads in another way"),
        ({**MIRROR, "topics": ["a{\u0663}"]}, "a brace that Java refuses"),
        ({**MIRROR, "topics": ["(?x:a[b c])"]}, "a group that Java does not know"),
        ({**MIRROR, "topics": ["(" * 3000 + ")" * 3000]}, "regular expression"),
        ({**MIRROR, "groups": [r"[{}]\{a}{2}{"]}, "a brace that Java refuses"),
        ({**MIRROR, "topics": ["a(?#those of the shop)b", "(?i-s:c)"]}, "a group that Java does not know"),
    ],
)
def test_refuses_what_one_process_cannot_do(mirrors, words):
    with pytest.raises(UsageError, match=words):
        rendered(mirrors)


def test_a_comma_in_a_pattern_does_not_make_two_patterns():
    assert pattern_text("a,b", "x") == "a\\x2cb"
    assert pattern_text(r"(?i:a)[.&]\\1\d\\.", "x") == r"(?i:a)[.&]\\1\d\\."
    assert rendered({**MIRROR, "topics": ["a[,]b", "c"]})["a->b.topics"] == "a[\\x2c]b,c"


@given(st.dictionaries(st.text(min_size=1), st.text()))
def test_whatever_is_rendered_reads_back_the_same(values):
    text = render_properties(values)
    assert text.isascii()
    assert parse_properties(text) == values


@pytest.mark.parametrize(
    "text, expected",
    [
        ("# a comment\n! another\n\na=b\n", {"a": "b"}),
        ("a = b ", {"a": "b "}),
        ("a:b", {"a": "b"}),
        ("a b c", {"a": "b c"}),
        ("a=b\\\n   c", {"a": "bc"}),
        ("a=b\\\\\nc=d", {"a": "b\\", "c": "d"}),
        ("a\\=b=\\u00e9", {"a=b": "é"}),
        ("a=1\na=2", {"a": "2"}),
        ("lonely", {"lonely": ""}),
        ("a=# no comment", {"a": "# no comment"}),
    ],
)
def test_reads_properties_as_java_does(text, expected):
    assert parse_properties(text) == expected


@pytest.mark.parametrize("pattern", [r"a\041", r"a\0400", r"a\00", r"a\07b", r"a\\0", r"a\x41", "a{3}", r"a\\U"])
def test_takes_what_java_reads_alike(pattern):
    assert rendered({**MIRROR, "topics": [pattern]})["a->b.topics"] == pattern
