# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to this collection: may change at any time, do not use from elsewhere.
"""One client description in librdkafka keys, said again in the keys of Kafka's Java clients."""

from __future__ import annotations

from .._errors import UsageError

PLAIN_KEYS = ("bootstrap.servers", "security.protocol", "sasl.mechanism", "ssl.endpoint.identification.algorithm", "client.id")
LOGIN_MODULES = {
    "SCRAM-SHA-512": "org.apache.kafka.common.security.scram.ScramLoginModule",
    "SCRAM-SHA-256": "org.apache.kafka.common.security.scram.ScramLoginModule",
    "PLAIN": "org.apache.kafka.common.security.plain.PlainLoginModule",
}


def java_client(client, secret):
    """Java client properties.

    :param client: librdkafka keys without secrets.
    :param secret: function from a secret's librdkafka key to how it is referred to.
    :raises UsageError: a mechanism this cannot say in Java.
    """
    made = {}
    for key in PLAIN_KEYS:
        value = client.get(key, client.get("sasl.mechanisms") if key == "sasl.mechanism" else None)
        if value is not None:
            made[key] = str(value)
    protocol = str(client.get("security.protocol", "plaintext")).upper()
    made["security.protocol"] = protocol
    if protocol.endswith("SSL"):
        made.update(_tls(client, secret))
    if protocol.startswith("SASL"):
        made["sasl.jaas.config"] = _jaas(client, made.get("sasl.mechanism"), secret)
    return made


def _tls(client, secret):
    made = {}
    if client.get("ssl.ca.pem"):
        made["ssl.truststore.type"] = "PEM"
        made["ssl.truststore.certificates"] = client["ssl.ca.pem"]
    elif client.get("ssl.ca.location"):
        made["ssl.truststore.type"] = "PEM"
        made["ssl.truststore.location"] = client["ssl.ca.location"]
    if client.get("ssl.certificate.pem"):
        made["ssl.keystore.type"] = "PEM"
        made["ssl.keystore.certificate.chain"] = client["ssl.certificate.pem"]
        made["ssl.keystore.key"] = secret("ssl.key.pem")
        if client.get("ssl.key.encrypted"):
            made["ssl.key.password"] = secret("ssl.key.password")
    return made


def _jaas(client, mechanism, secret):
    if mechanism not in LOGIN_MODULES:
        raise UsageError("The SASL mechanism of %s cannot be given to MirrorMaker 2" % client.get("bootstrap.servers"),
                         expected="one of %s" % ", ".join(sorted(LOGIN_MODULES)), found=mechanism)
    return '%s required username="%s" password="%s";' % (LOGIN_MODULES[mechanism], client.get("sasl.username"), secret("sasl.password"))
