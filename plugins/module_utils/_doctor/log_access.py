# SPDX-License-Identifier: GPL-3.0-or-later
"""Lines of a log about secrets, plugins, TLS and the login; the first part of the catalogue."""

from __future__ import annotations

from .log_cause import known

ACCESS = (
    known(
        "secrets-file",
        "error",
        r"(NoSuchFileException|FileNotFoundException|Could not read properties from file).*",
        "A file that the configuration names, such as the secrets file, is not there or not readable for the user "
        "the mirror runs as",
        "Write the file with mode 0600 for that user, and name it by its whole path",
    ),
    known(
        "plugin-missing",
        "error",
        r"ClassNotFoundException|Failed to find any class that implements|Class [\w.$]+ could not be "
        r"found|NoClassDefFoundError",
        "A class named in the configuration (replication policy, connector, converter) is not on the class path or "
        "plugin path of the "
        "worker",
        "Install its jar on every worker, or name the class that Kafka ships",
    ),
    known(
        "truststore",
        "error",
        r"keystore password was incorrect|Keystore was tampered with|keystore.*password was incorrect|Invalid "
        r"PEM|Failed to load (SSL|PEM)|"
        r"Failed to load.*(store|PEM)|No matching .* entries in PEM|toDerInputStream|Failed to create new "
        r"KafkaAdminClient.*[Ss]sl",
        "The truststore or keystore cannot be opened: wrong password, wrong type or a damaged file",
        "Correct type and password of the store, or give PEM",
    ),
    known(
        "tls-untrusted",
        "error",
        r"PKIX path|unable to find valid certification path|certificate_unknown|unknown_ca|CertPathValidatorException",
        "The broker's certificate is signed by an authority that the truststore does not hold, or has run out",
        "Put the authority's certificate into ssl.ca.pem; on Strimzi that of the cluster CA",
    ),
    known(
        "tls-name",
        "error",
        r"No subject alternative|No name matching|doesn't match (any of )?the (subject|certificate)",
        "The broker's certificate does not hold the name that we connect to",
        "Connect by a name in the certificate, or add the name to it; leave the check on",
    ),
    known(
        "tls-certificate-required",
        "error",
        r"certificate_required|bad_certificate|handshake_failure.*|null cert chain",
        "The broker wants a client certificate and does not get one that it accepts",
        "Give ssl.certificate.pem and the key, signed by the clients' authority",
    ),
    known(
        "tls-mismatch",
        "error",
        r"Unrecognized SSL message|plaintext connection\?|Unsupported or unrecognized SSL|"
        r"Unexpected Kafka request of type METADATA during SASL|terminated during authentication|SSL peer shut down "
        r"incorrectly",
        "TLS, or SASL, is spoken on one side only",
        "Compare security.protocol with the listener's port",
    ),
    known(
        "tls-handshake",
        "error",
        r"SSL handshake failed|SslAuthenticationException|SSLHandshakeException",
        "The TLS handshake failed; the other side's log may say more",
        "Compare the versions, the ciphers and the certificates of both sides",
    ),
    known(
        "sasl-refused",
        "error",
        r"SaslAuthenticationException|Authentication failed(?: during authentication)? due to invalid "
        r"credentials|Authentication failed:|"
        r"invalid credentials|Authentication failed, invalid",
        "The broker does not accept user and password (or token)",
        "Correct sasl.username and the password in the secrets file; the user must exist on that cluster",
    ),
    known(
        "sasl-mechanism",
        "error",
        r"Client SASL mechanism '?[\w-]+'? not enabled|UnsupportedSaslMechanism|IllegalSaslState",
        "The listener does not offer this SASL mechanism",
        "Compare sasl.mechanism with the listener",
    ),
    known(
        "jaas",
        "error",
        r"JAAS config|Could not find a 'KafkaClient' entry|Login module .* not|LoginException|not allowed "
        r"by.*oauthbearer|"
        r"oauthbearer\.allowed\.urls",
        "The login cannot be begun: the JAAS line is broken, or the token's address is not allowed",
        "Escape quotes and backslashes; for OAUTHBEARER start Java with "
        "-Dorg.apache.kafka.sasl.oauthbearer.allowed.urls",
    ),
)
