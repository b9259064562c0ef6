# SPDX-License-Identifier: GPL-3.0-or-later
"""How a region's cluster is reached: the Kafka client, its secrets, and the connection to Kubernetes."""

from __future__ import annotations

from ..._values.client_secrets import SECRETS
from ..._values.security import MECHANISMS, PROTOCOLS
from ..kinds import NODE, choice, flag, kubernetes_name, listing, long_text, mapping, record, secret, setting, text

# host:port, where an IPv6 address stands in brackets.
SERVER = r"(?:[A-Za-z0-9_]+://)?(?:\[[0-9A-Fa-f:.%]+\]|[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?):[0-9]{1,5}"
SERVERS = rf"^\s*{SERVER}\s*(?:,\s*{SERVER}\s*)*$"
CONNECTION: dict[str, NODE] = {
    "kubeconfig": text("Path of a kubeconfig on the controller"),
    "context": text("Context of the kubeconfig"),
    "host": text("URL of the API server", r"^https?://[^\s\x00-\x1f\x7f]+$", "a URL that begins with https://"),
    "api_key": secret("Token of an account"),
    "ca_cert": text("Path of the API server's certificate authority on the controller"),
    "client_cert": text("Path of a client certificate"),
    "client_key": text("Path of its key"),
    "validate_certs": flag("Whether the API server's certificate is verified; false needs C(kafka_dr_unverified_tls)"),
    "proxy": text("URL of an HTTP proxy"),
}
CONNECTED: dict[str, NODE] = {**CONNECTION, "namespace": kubernetes_name("The namespace")}


def word(description: str, *values: str) -> NODE:
    """One of some words that librdkafka takes in large and small letters."""
    spellings = "|".join(
        "".join(f"[{char}{char.lower()}]" if char.isalpha() else char for char in value) for value in values
    )
    return text(description, f"^(?:{spellings})$", f"one of {', '.join(values)}")


CLIENT = mapping(
    "The client, in librdkafka's keys, without secrets. On Kubernetes it is learnt from the Kafka resource at the "
    "start of a stage",
    setting(),
    r"^[a-z0-9]+(\.[a-z0-9_-]+)*$",
    x_where="region",
    x_what="a dictionary of librdkafka's keys",
    x_remedy="Write {bootstrap.servers: 'host:9093', security.protocol: SASL_SSL, …}",
    required=["bootstrap.servers"],
    properties={
        "bootstrap.servers": text(
            "Addresses of brokers",
            SERVERS,
            "host:port, separated by commas; an IPv6 address in brackets, as in [::1]:9093",
        ),
        "security.protocol": word("How to connect", *PROTOCOLS),
        "sasl.mechanism": word("How to authenticate", *MECHANISMS),
        "sasl.mechanisms": word("How to authenticate; the same as sasl.mechanism", *MECHANISMS),
        "sasl.username": text("The stages' user"),
        "ssl.ca.pem": long_text("Certificate authorities in PEM"),
        "ssl.certificate.pem": long_text("The client's certificate in PEM"),
        "https.ca.pem": long_text("Certificate authorities of the token endpoint in PEM"),
        "sasl.oauthbearer.token.endpoint.url": text(
            "Where tokens come from",
            r"^(https://|http://(127\.0\.0\.1|localhost|\[::1\])[:/])[^\s\x00-\x1f\x7f]+$",
            "a URL that begins with https:// (http:// on loopback only)",
            x_remedy="A token endpoint gets the client's secret; give its TLS address",
        ),
    },
)
CLIENT_SECRETS = record(
    "The secret keys of the client. Where it has none, C({})",
    {key: secret() for key in SECRETS},
    x_where="region",
    x_secret=True,
    x_what=f"a dictionary of {', '.join(SECRETS[:3])}",
)

KUBERNETES = record(
    "Connection and names, see [kubernetes.md](kubernetes.md)",
    {
        **CONNECTED,
        "cluster": kubernetes_name("Name of the Kafka resource"),
        "listener": text("Listener that the stages connect to; not needed where there is one"),
        "group": text("API group of the operator"),
        "stop_by": choice("How a mirror is stopped", "state", "replicas"),
        "mirror_bootstrap": text(
            "Address that the mirror uses from inside",
            SERVERS,
            "host:port, separated by commas; an IPv6 address in brackets, as in [::1]:9093",
        ),
        "authorization": text("Kind of authorization in KafkaUsers; empty for a cluster without", minLength=0),
        "mirror_fields": mapping("Anything else for the mirror's resource"),
        "authorities_from": record(
            "Where certificate authorities of a new cluster come from",
            {**CONNECTED, "prefix": text(minLength=0), "cluster": kubernetes_name()},
            ("namespace",),
        ),
        "witness_image": text(
            "Image that the position witness runs in", r"^[A-Za-z0-9][A-Za-z0-9._:/@-]*$", "the name of an image"
        ),
        "backup": record("Where what the region is made again from is kept", CONNECTED, ("namespace",)),
    },
    ("namespace",),
    x_where="region",
    x_remedy="Write {context: …, namespace: …, cluster: …}",
)
DEPLOYMENT = record(
    "A mirror as a Deployment, see [kubernetes.md](kubernetes.md#without-an-operator)",
    {
        **CONNECTED,
        "image": KUBERNETES["properties"]["witness_image"],
        "witness_image": KUBERNETES["properties"]["witness_image"],
        "fields": mapping("Anything else for the Deployment"),
    },
    ("image",),
    x_where="target region",
)
CONNECT = record(
    "A Kafka Connect cluster that runs the mirror, see [hosts.md](hosts.md#on-an-existing-kafka-connect-cluster)",
    {
        "urls": listing(
            "Addresses of the workers",
            text("", r"^https?://[^\s\x00-\x1f\x7f]+$", "a URL such as https://connect-1:8083"),
            minItems=1,
        ),
        "group": text("C(group.id) of the workers"),
        "username": text("User of the REST interface"),
        "ca_pem": long_text("Certificate authority of the workers in PEM"),
        "certificate_pem": long_text("The client's certificate in PEM"),
        "secret_reference": text("How the workers are told a secret", x_expected="a text with ${ and {key}"),
        "own_client": flag("Whether records are written as the mirror's own principal"),
    },
    ("urls",),
    x_where="target region",
)
CONNECT_SECRETS = record(
    "Secrets for the Connect cluster",
    {"password": secret(), "key_pem": secret(), "key_password": secret()},
    x_where="target region",
    x_secret=True,
)
