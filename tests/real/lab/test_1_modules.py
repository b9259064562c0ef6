# SPDX-License-Identifier: GPL-3.0-or-later
"""The modules on a cluster with TLS, SCRAM and an authorizer: create, again, change, check, remove."""

from __future__ import annotations

import pytest

from tests.real.lab.playing import SOURCE, TARGET

pytestmark = pytest.mark.real
TOPIC = {"name": "modules.one", "partitions": 2, "replication_factor": 1, "configs": {"retention.ms": -1}}
ACL = {
    "principal": "somebody",
    "resource": "topic",
    "name": "modules.",
    "pattern": "prefixed",
    "operations": ["READ", "DESCRIBE"],
}


def test_topics(ground):
    told = ground.module("topics", check=True, topics=[TOPIC])
    assert (
        told["changed"] and told["created"] == ["modules.one"] and told["diff"]["before"] == {} and told["topics"] == {}
    )
    made = ground.module("topics", topics=[TOPIC])
    assert made["diff"] == told["diff"] and made["topics"]["modules.one"]["partitions"] == 2
    again = ground.module("topics", topics=[TOPIC])
    assert not again["changed"] and again["diff"]["before"] == again["diff"]["after"]
    wider = dict(TOPIC, partitions=3, configs={"retention.ms": 1000, "cleanup.policy": "compact"})
    told = ground.module("topics", check=True, topics=[wider])
    assert told["altered"] == ["modules.one"] and told["topics"]["modules.one"]["partitions"] == 2
    made = ground.module("topics", topics=[wider])
    assert made["diff"] == told["diff"] and made["topics"]["modules.one"]["partitions"] == 3
    assert made["diff"]["after"]["modules.one"]["configs"] == {"retention.ms": "1000", "cleanup.policy": "compact"}
    less = ground.module("topics", topics=[dict(TOPIC, partitions=1)])
    assert less["failed"] and less["error"] == "refused" and "more partitions than described" in less["msg"]
    removed = ground.module(
        "topics", topics=[dict(TOPIC, configs={"cleanup.policy": None, "retention.ms": 1000}, partitions=None)]
    )
    assert removed["changed"] and "cleanup.policy" not in removed["diff"]["after"]["modules.one"]["configs"]
    assert ground.module("topics", check=True, topics=[TOPIC], state="absent")["deleted"] == ["modules.one"]
    assert ground.module("topics", topics=[TOPIC], state="absent")["deleted"] == ["modules.one"]
    assert not ground.module("topics", topics=[TOPIC], state="absent")["changed"]


def test_acls(ground):
    told = ground.module("acls", check=True, acls=[ACL])
    assert told["changed"] and len(told["added"]) == 2 and told["diff"]["before"] == []
    assert ground.module("acls", acls=[ACL])["diff"] == told["diff"]
    assert not ground.module("acls", acls=[ACL])["changed"]
    exact = ground.module("acls", acls=[dict(ACL, operations=["READ"])], state="exact")
    assert exact["removed"] == ["User:somebody ALLOW DESCRIBE topic:modules. PREFIXED"] and not exact["added"]
    gone = ground.module("acls", acls=[ACL], state="absent")
    assert gone["changed"] and gone["removed_acls"][0]["operations"] == ["READ"] and gone["diff"]["after"] == []
    assert not ground.module("acls", acls=[ACL], state="absent")["changed"]


def test_scram_users(ground):
    user = {"name": "somebody", "password": "first-password-1"}
    assert ground.module("scram_users", check=True, users=[user])["created"] == ["somebody"]
    assert ground.module("scram_users", users=[user])["created"] == ["somebody"]
    again = ground.module("scram_users", users=[user])
    assert not again["changed"]
    other = dict(user, password="second-password-2")
    rotated = ground.module("scram_users", users=[other])
    assert rotated["rotated"] == ["somebody"] and "second-password-2" not in str(rotated)
    assert not ground.module("scram_users", users=[other])["changed"]
    assert ground.module("scram_users", users=[user], state="absent")["deleted"] == ["somebody"]
    assert not ground.module("scram_users", users=[user], state="absent")["changed"]
    nameless = ground.module("scram_users", users=[{"name": "x"}])
    assert nameless["failed"] and nameless["error"] == "usage"


def test_client_quotas(ground):
    wanted = [
        {"entity": {"user": "departures-producer"}, "limits": {"producer_byte_rate": 5000000}},
        {"entity": {"user": None}, "limits": {"request_percentage": 50.5}},
        {
            "entity": {"user": "somebody", "client-id": None},
            "limits": {"consumer_byte_rate": 1000, "controller_mutation_rate": 2},
        },
        {"entity": {"ip": "10.0.0.1"}, "limits": {"connection_creation_rate": 7}},
    ]
    told = ground.module("client_quotas", check=True, quotas=wanted)
    assert (
        told["changed"]
        and len(told["altered"]) == 4
        and told["diff"]["before"] == {}
        and ground.module("cluster_info", read=["quotas"])["quotas"] == []
    )
    assert ground.module("client_quotas", quotas=wanted)["diff"] == told["diff"]
    read = ground.module("cluster_info", read=["quotas"])["quotas"]
    assert (
        sorted(map(str, read)) == sorted(map(str, wanted))
        and not ground.module("client_quotas", quotas=read)["changed"]
    )
    exact = ground.module(
        "client_quotas", quotas=[{"entity": wanted[2]["entity"], "limits": {"consumer_byte_rate": 1000}}], state="exact"
    )
    assert exact["diff"]["after"] == {"user 'somebody', default client-id": {"consumer_byte_rate": 1000}}
    nowhere = ground.module(
        "client_quotas",
        check=True,
        quotas=[{"entity": {"ip": "no address"}, "limits": {"connection_creation_rate": 7}}],
    )
    assert nowhere["failed"] and "ip 'no address'" in nowhere["msg"]
    none = [{"entity": one["entity"]} for one in wanted]
    assert len(ground.module("client_quotas", quotas=none, state="absent")["altered"]) == 4
    assert not ground.module("client_quotas", quotas=none, state="absent")["changed"]


def test_client_quotas_without_the_right(ground):
    # Commas and equals signs of a name are written otherwise in SCRAM (RFC 5802).
    user = {"name": "some=body, else", "password": "a-password-of-1"}
    mine = {
        "client": {**ground.client(TARGET), "sasl.username": user["name"]},
        "client_secrets": {"sasl.password": user["password"]},
    }
    one = {"entity": {"user": "somebody"}, "limits": {"producer_byte_rate": 1}}
    ground.module("scram_users", users=[user])
    blind = ground.module("cluster_info", read=["quotas"], **mine)
    assert blind["failed"] and blind["error"] == "authorization"
    assert "Give the principal some=body, else the ACL DESCRIBE_CONFIGS on resource cluster" in blind["msg"]
    rights = {"principal": user["name"], "resource": "cluster", "operations": ["DESCRIBE_CONFIGS"]}
    ground.module("acls", acls=[rights])
    for check in (True, False):
        bound = ground.module("client_quotas", check=check, quotas=[one], **mine)
        assert bound["failed"] and "the ACL ALTER_CONFIGS on resource cluster" in bound["msg"]
    assert ground.module("cluster_info", read=["quotas"], **mine)["quotas"] == []
    ground.module("acls", acls=[rights], state="absent")
    ground.module("scram_users", users=[user], state="absent")


def test_ledger(ground):
    place = {"topic": "__kafka_dr_modules", "region": SOURCE}
    entry = {"stage": "resume", "about": "a to b", "replication_factor": 1, **place}
    assert ground.module("ledger_info", **place)["active_region"] == ""
    assert ground.module("ledger_entry", check=True, run="1", step="stage", state="started", after="", **entry)[
        "changed"
    ]
    assert ground.module("ledger_info", **place)["run"] == ""
    first = ground.module("ledger_entry", run="1", step="stage", state="started", after="", **entry)
    assert first["changed"]
    stale = ground.module("ledger_entry", run="2", step="stage", state="started", after="", **entry)
    assert stale["failed"] and stale["error"] == "refused" and "has changed since this run read it" in stale["msg"]
    second = ground.module(
        "ledger_entry",
        run="1",
        step="ends",
        state="done",
        found={"n": 7},
        after=first["known"]["head"]["hash"],
        **entry,
    )
    third = ground.module(
        "ledger_entry", run="2", step="stage", state="started", after=second["known"]["head"]["hash"], **entry
    )
    late = ground.module(
        "ledger_entry", run="1", step="positions", state="done", after=third["known"]["head"]["hash"], **entry
    )
    assert late["failed"] and late["error"] == "refused" and "no longer owns the ledger" in late["msg"]
    known = ground.module("ledger_info", **place)
    assert (
        known["open"]
        and known["run"] == "2"
        and known["done"]["resume"]["ends"]["found"] == {"n": 7}
        and "positions" not in known["done"]["resume"]
    )
    ground.module("topics", topics=[{"name": "__kafka_dr_modules"}], state="absent", region=SOURCE)


def test_cluster_info(ground):
    read = ground.module(
        "cluster_info", read=["topics", "configs", "offsets", "groups"], until_topics=["no.such.topic"]
    )
    assert (
        not read["changed"] and read["reachable"] and not read["ready"] and read["waiting_for"] == "topic no.such.topic"
    )
    assert ground.module("cluster_info", topics="[")["error"] == "usage"


def test_cluster_info_tells_causes_apart(ground):
    from kafka_dr_lab.ports import free_ports

    nobody = {**ground.client(SOURCE), "bootstrap.servers": f"127.0.0.1:{free_ports(1)[0]}"}
    far = ground.module("cluster_info", client=nobody, allow_unreachable=True, timeout=5)
    assert not far["reachable"] and far["error"] == "unreachable" and not far["ready"]
    wrong = ground.module("cluster_info", client_secrets={"sasl.password": "wrong"}, allow_unreachable=True, timeout=5)
    assert wrong["reachable"] and wrong["error"] == "authentication" and "password" in wrong["reason"]


FENCED = {"name": "fenced, one", "password": "fenced-password-1"}


def _rights(principal, *rights):
    """ACLs of ``(resource, name, pattern, operation)`` each."""
    return [
        {"principal": principal, "resource": resource, "name": name, "pattern": pattern, "operations": [operation]}
        for resource, name, pattern, operation in rights
    ]


@pytest.fixture()
def open_topic(ground):
    """A topic, a user with rights of every kind that no inventory lists, and what is beside it."""
    ground.module("topics", topics=[dict(TOPIC, name="fence.one")])
    ground.module("scram_users", users=[FENCED])
    yield _rights(
        FENCED["name"],
        ("topic", "*", "literal", "ALL"),
        ("topic", "fence.", "prefixed", "WRITE"),
        ("topic", "fence.one", "literal", "READ"),
        ("group", "*", "literal", "READ"),
        ("cluster", None, "literal", "CREATE"),
        ("transactional_id", "f", "prefixed", "WRITE"),
    )
    everything = [
        one
        for one in ground.module("cluster_info", read=["acls"])["acls"]
        if one["principal"] in ("User:*", "User:stranger", "User:fenced, one")
    ]
    ground.module("acls", acls=everything, state="absent")
    ground.module("scram_users", users=[FENCED], state="absent")
    ground.module("topics", topics=[{"name": "fence.one"}], state="absent")


def test_a_fence_takes_every_allow_and_nothing_else(ground, open_topic):
    denied = dict(_rights(FENCED["name"], ("topic", "fence.one", "literal", "DELETE"))[0], permission="deny")
    other = _rights("stranger", ("topic", "fence.one", "literal", "WRITE"))
    ground.module("acls", acls=[*open_topic, denied, *other])
    before = ground.module("fence_info", topics=r"fence\..*", principals=[FENCED], known=["kdr-stages"])
    assert (
        len(before["rights"]) == 6
        and before["asked"] == {"User:fenced, one": 1}
        and list(before["unfenceable"]) == ["User:stranger"]
    )
    told = ground.module("acls", check=True, principals=[FENCED["name"]], state="absent")
    assert told["changed"] and len(told["removed_acls"]) == 6
    assert ground.module("fence_info", topics=r"fence\..*", principals=[FENCED])["rights"] == before["rights"]
    taken = ground.module("acls", principals=[FENCED["name"]], state="absent")
    assert (
        sorted(map(str, taken["removed_acls"])) == sorted(map(str, before["rights"])) and taken["diff"] == told["diff"]
    )
    assert taken["diff"]["after"] == ["User:fenced, one DENY DELETE topic:fence.one LITERAL"]
    asked = {"topics": r"fence\..*", "principals": [FENCED], "known": ["kdr-stages"], "fenced": True}
    shown = ground.module("fence_info", **asked)
    assert [sentence.partition(" ")[0] for sentence in shown["left"]] == ["User:stranger"] and not shown["ready"], shown
    shown = ground.module("fence_info", **asked, accepted=["User:stranger"])
    assert shown["ready"] and shown["rights"] == []
    assert not ground.module("acls", principals=[FENCED["name"]], state="absent")["changed"]
    back = ground.module("acls", acls=taken["removed_acls"])
    assert sorted(back["added"]) == sorted(taken["removed"])
    assert ground.module("fence_info", topics=r"fence\..*", principals=[FENCED])["rights"] == before["rights"]
    wrong = ground.module("acls", principals=[FENCED["name"]])
    assert wrong["failed"] and wrong["error"] == "usage"


def test_what_a_fence_cannot_reach_is_named(ground, open_topic):
    ground.module("acls", acls=_rights("*", ("topic", "fence.", "prefixed", "WRITE")))
    asked = {"topics": r"fence\..*", "principals": [FENCED], "known": ["kdr-stages"]}
    # No ACL is the user's own, and yet a broker tells it that it may write.
    shown = ground.module("fence_info", **asked, fenced=True)
    assert not shown["ready"] and shown["rights"] == []
    assert any("lets User:fenced, one WRITE fence.one" in sentence for sentence in shown["left"]), shown["left"]
    assert shown["unfenceable"] == {"User:*": "everybody has ALLOW WRITE topic:fence. PREFIXED"}
    assert ground.module("fence_info", **asked, fenced=True, accepted=["User:*"])["ready"]
    # Brokers say of super.users only that it is set.
    admin = {"name": "admin", "password": ground.secrets["lab_clusters"][TARGET]["admin_password"]}
    above = ground.module("fence_info", topics=r"fence\..*", principals=[admin])
    assert above["settings"]["super.users"] == "hidden" and "is a super-user" in above["unfenceable"]["User:admin"]
    blind = ground.module(
        "fence_info",
        topics=r"fence\..*",
        principals=[{"name": "admin", "password": "wrong-password"}, {"name": "unheard"}],
    )
    assert "User:admin, User:unheard could not be asked" in blind["unfenceable"]["super.users"] and blind["asked"] == {}
    assert "allow.everyone.if.no.acl.found" in blind["unfenceable"]
    read = ground.module(
        "fence_info",
        topics=r"fence\..*",
        principals=[{"name": "unheard"}],
        super_users=["User:admin", "unheard", "User:backdoor"],
        above=["admin"],
        allow_everyone=False,
    )
    assert "the inventory does not describe it" in read["unfenceable"]["User:backdoor"]
    assert (
        "User:unheard" in read["unfenceable"]
        and "User:admin" not in read["unfenceable"]
        and not {"super.users", "allow.everyone.if.no.acl.found"} & set(read["unfenceable"])
    )
