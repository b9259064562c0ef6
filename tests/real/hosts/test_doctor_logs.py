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


DAMAGED = "-----BEGIN CERTIFICATE-----\nnot base64 at all\n-----END CERTIFICATE-----\n"
# What is wrong with the source's client: from the right client, the broker and its authority to the wrong client.
CLIENT_FAULTS = {
    "wrong-authority": lambda client, broker, authority: {**client, "ssl.ca.pem": Authority("another").pem},
    "name-not-in-certificate": lambda client, broker, authority: {
        **client,
        "bootstrap.servers": client["bootstrap.servers"].replace("127.0.0.1", "localhost"),
    },
    "tls-spoken-to-a-plain-port": lambda client, broker, authority: {**client, "bootstrap.servers": broker.bootstrap},
    "no-client-certificate": lambda client, broker, authority: {
        **client_of(broker, "tls", authority)[0],
        "bootstrap.servers": f"127.0.0.1:{broker.ports['MTLS']}",
    },
    "mechanism-not-offered": lambda client, broker, authority: {**client, "sasl.mechanism": "PLAIN"},
    "nobody-listens": lambda client, broker, authority: {**client, "bootstrap.servers": "127.0.0.1:9"},
    "name-not-known": lambda client, broker, authority: {**client, "bootstrap.servers": "no-such-broker.invalid:9092"},
    "damaged-truststore": lambda client, broker, authority: {**client, "ssl.ca.pem": DAMAGED},
}


@pytest.mark.parametrize("fault", sorted(FAULTS))
def test_the_cause_is_read_from_the_log(pair, tmp_path, fault):
    kafkas, authority = pair
    # An alias of its own: a worker goes on with the connectors that its group was given before.
    alias = fault.replace("-", "")
    with socket.socket() as taken:
        faulty = faulty_mirror(tmp_path, fault, alias, kafkas, authority, taken)
        faulty.start()
        try:
            until(
                lambda: any(
                    found.startswith(FAULTS[fault]) for found in checks(doctor(logs=[str(faulty.log)]), "error")
                ),
                f"{FAULTS[fault]} in:\n{faulty.tail(60)}",
                240,
                1,
            )
            assert 'p"a\\ss' not in str(doctor(logs=[str(faulty.log)]))
        except AssertionError:
            print(faulty.log.read_text()[-6000:])
            raise
        finally:
            faulty.kill()


def faulty_mirror(directory, fault, alias, kafkas, authority, taken):
    """A mirror with one fault. ``taken``: a socket that holds the port of the fault port-taken."""
    source, secret = admin(kafkas["source"], authority)
    target, dummy = admin(kafkas["target"], authority)
    secrets, override, mirror = {alias: dict(secret), "target": dict(secret)}, {}, {**MIRROR, "source": alias}
    if fault in CLIENT_FAULTS:
        source = CLIENT_FAULTS[fault](source, kafkas["source"], authority)
    elif fault == "wrong-password":
        secrets[alias] = {"sasl.password": "wrong"}
    elif fault == "no-rights":
        # On the target: on the source a mirror without rights sees no topics, and says nothing at all.
        target["sasl.username"] = "mirror"
    elif fault == "class-not-there":
        mirror["policy"] = "com.example.NoSuchPolicy"
    elif fault == "port-taken":
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        override["listeners"] = f"http://127.0.0.1:{taken.getsockname()[1]}"
    elif fault == "wrong-value":
        override[f"{alias}->target.offset.lag.max"] = "many"
    made = Mirror(directory, mirror, {alias: source, "target": target}, secrets, override)
    if fault == "secrets-file-not-there":
        made.secrets_file.unlink()
    return made
