# SPDX-License-Identifier: GPL-3.0-or-later
"""Mirrors that cannot work, started for real: the doctor reads the cause out of what MirrorMaker 2 itself wrote."""

from __future__ import annotations

import socket

import pytest

from .doctor import checks, doctor
from .mirrors import Mirror, create, send, until
from .secured import Authority, client_of, make_users, secured_kafka

pytestmark = pytest.mark.full

MIRROR = {
    "name": "faulty",
    "target": "target",
    "topics": ["fault.*"],
    "groups": ["none"],
    "tuning": {"replication_factor": 1},
}


@pytest.fixture(scope="module")
def pair(tmp_path_factory):
    authority, base = Authority(), tmp_path_factory.mktemp("guarded")
    kafkas = {name: secured_kafka(base / name, name, authority, authorizer=True) for name in ("source", "target")}
    for one in kafkas.values():
        one.start(wait=0)
    for one in kafkas.values():
        one.await_ready()
        make_users(one, "mirror", "admin")
    create(kafkas["source"].client, "fault.items")
    send(kafkas["source"].client, "fault.items", [b"x"])
    yield kafkas, authority
    for one in kafkas.values():
        one.stop(5)


def admin(kafka, authority):
    client, secrets = client_of(kafka, "scram-sha-512", authority)
    return {**client, "sasl.username": "admin"}, secrets


FAULTS = {
    "wrong-password": "log-sasl-refused",
    "wrong-authority": "log-tls-untrusted",
    "name-not-in-certificate": "log-tls-name",
    "tls-spoken-to-a-plain-port": "log-tls-mismatch",
    "no-client-certificate": "log-tls-certificate-required",
    "mechanism-not-offered": "log-sasl-mechanism",
    "no-rights": "log-not-authorized-",
    "class-not-there": "log-plugin-missing",
    "secrets-file-not-there": "log-secrets-file",
    "nobody-listens": "log-unreachable",
    "name-not-known": "log-name-not-resolved",
    "port-taken": "log-port-in-use",
    "damaged-truststore": "log-truststore",
    "wrong-value": "log-configuration",
}


@pytest.mark.parametrize("fault", sorted(FAULTS))
def test_the_cause_is_read_from_the_log(pair, tmp_path, fault):
    kafkas, authority = pair
    source, secret = admin(kafkas["source"], authority)
    target, dummy = admin(kafkas["target"], authority)
    # An alias of its own: a worker goes on with the connectors that its group was given before.
    alias = fault.replace("-", "")
    secrets, override, mirror = {alias: dict(secret), "target": dict(secret)}, {}, {**MIRROR, "source": alias}
    taken = socket.socket()
    if fault == "wrong-password":
        secrets[alias] = {"sasl.password": "wrong"}
    elif fault == "wrong-authority":
        source["ssl.ca.pem"] = Authority("another").pem
    elif fault == "name-not-in-certificate":
        source["bootstrap.servers"] = source["bootstrap.servers"].replace("127.0.0.1", "localhost")
    elif fault == "tls-spoken-to-a-plain-port":
        source["bootstrap.servers"] = kafkas["source"].bootstrap
    elif fault == "no-client-certificate":
        source = {
            **client_of(kafkas["source"], "tls", authority)[0],
            "bootstrap.servers": f"127.0.0.1:{kafkas['source'].ports['MTLS']}",
        }
    elif fault == "mechanism-not-offered":
        source["sasl.mechanism"] = "PLAIN"
    elif fault == "no-rights":
        # On the target: on the source a mirror without rights sees no topics, and says nothing at all.
        target["sasl.username"] = "mirror"
    elif fault == "class-not-there":
        mirror["policy"] = "com.example.NoSuchPolicy"
    elif fault == "nobody-listens":
        source["bootstrap.servers"] = "127.0.0.1:9"
    elif fault == "name-not-known":
        source["bootstrap.servers"] = "no-such-broker.invalid:9092"
    elif fault == "port-taken":
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        override["listeners"] = f"http://127.0.0.1:{taken.getsockname()[1]}"
    elif fault == "damaged-truststore":
        source["ssl.ca.pem"] = "-----BEGIN CERTIFICATE-----\nnot base64 at all\n-----END CERTIFICATE-----\n"
    elif fault == "wrong-value":
        override[f"{alias}->target.offset.lag.max"] = "many"
    one = Mirror(tmp_path, mirror, {alias: source, "target": target}, secrets, override)
    if fault == "secrets-file-not-there":
        one.secrets_file.unlink()
    one.start()
    try:
        until(
            lambda: any(found.startswith(FAULTS[fault]) for found in checks(doctor(logs=[str(one.log)]), "error")),
            f"{FAULTS[fault]} in:\n{one.tail(60)}",
            240,
            1,
        )
        assert 'p"a\\ss' not in str(doctor(logs=[str(one.log)]))
    except AssertionError:
        print(one.log.read_text()[-6000:])
        raise
    finally:
        one.kill()
        taken.close()
