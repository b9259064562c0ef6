# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to this collection: may change at any time, do not use from elsewhere.
"""What lines of a log of MirrorMaker 2 or Kafka Connect mean: pattern, cause, remedy.

The catalogue is ordered: the first entry that fits a line takes it, so causes stand before their consequences.
"""

from __future__ import annotations

import re
from typing import NamedTuple


class Known(NamedTuple):
    """One entry: what a line looks like, and what it means."""

    name: str
    severity: str
    pattern: re.Pattern
    cause: str
    remedy: str


def _known(name, severity, pattern, cause, remedy):
    return Known(name, severity, re.compile(pattern), cause, remedy)


CATALOGUE = (
    _known("secrets-file", "error",
           r"(NoSuchFileException|FileNotFoundException|Could not read properties from file).*",
           "A file that the configuration names, such as the secrets file, is not there or not readable for the user the mirror runs as",
           "Write the file with mode 0600 for that user, and name it by its whole path"),
    _known("plugin-missing", "error",
           r"ClassNotFoundException|Failed to find any class that implements|Class [\w.$]+ could not be found|NoClassDefFoundError",
           "A class named in the configuration (replication policy, connector, converter) is not on the class path or plugin path of the "
           "worker",
           "Install its jar on every worker, or name the class that Kafka ships"),
    _known("truststore", "error",
           r"keystore password was incorrect|Keystore was tampered with|keystore.*password was incorrect|Invalid PEM|Failed to load (SSL|PEM)|"
           r"Failed to load.*(store|PEM)|No matching .* entries in PEM|toDerInputStream|Failed to create new KafkaAdminClient.*[Ss]sl",
           "The truststore or keystore cannot be opened: wrong password, wrong type or a damaged file",
           "Correct type and password of the store, or give PEM"),
    _known("tls-untrusted", "error",
           r"PKIX path|unable to find valid certification path|certificate_unknown|unknown_ca|CertPathValidatorException",
           "The broker's certificate is signed by an authority that the truststore does not hold, or has run out",
           "Put the authority's certificate into ssl.ca.pem; on Strimzi that of the cluster CA"),
    _known("tls-name", "error",
           r"No subject alternative|No name matching|doesn't match (any of )?the (subject|certificate)",
           "The broker's certificate does not hold the name that we connect to",
           "Connect by a name in the certificate, or add the name to it; leave the check on"),
    _known("tls-certificate-required", "error",
           r"certificate_required|bad_certificate|handshake_failure.*|null cert chain",
           "The broker wants a client certificate and does not get one that it accepts",
           "Give ssl.certificate.pem and the key, signed by the clients' authority"),
    _known("tls-mismatch", "error",
           r"Unrecognized SSL message|plaintext connection\?|Unsupported or unrecognized SSL|"
           r"Unexpected Kafka request of type METADATA during SASL|terminated during authentication|SSL peer shut down incorrectly",
           "TLS, or SASL, is spoken on one side only",
           "Compare security.protocol with the listener's port"),
    _known("tls-handshake", "error",
           r"SSL handshake failed|SslAuthenticationException|SSLHandshakeException",
           "The TLS handshake failed; the other side's log may say more",
           "Compare the versions, the ciphers and the certificates of both sides"),
    _known("sasl-refused", "error",
           r"SaslAuthenticationException|Authentication failed(?: during authentication)? due to invalid credentials|Authentication failed:|"
           r"invalid credentials|Authentication failed, invalid",
           "The broker does not accept user and password (or token)",
           "Correct sasl.username and the password in the secrets file; the user must exist on that cluster"),
    _known("sasl-mechanism", "error",
           r"Client SASL mechanism '?[\w-]+'? not enabled|UnsupportedSaslMechanism|IllegalSaslState",
           "The listener does not offer this SASL mechanism",
           "Compare sasl.mechanism with the listener"),
    _known("jaas", "error",
           r"JAAS config|Could not find a 'KafkaClient' entry|Login module .* not|LoginException|not allowed by.*oauthbearer|"
           r"oauthbearer\.allowed\.urls",
           "The login cannot be begun: the JAAS line is broken, or the token's address is not allowed",
           "Escape quotes and backslashes; for OAUTHBEARER start Java with -Dorg.apache.kafka.sasl.oauthbearer.allowed.urls"),
    _known("record-too-large", "error",
           r"RecordTooLargeException|MESSAGE_TOO_LARGE|RecordBatchTooLargeException|larger than the max",
           "A record is larger than the mirror's producer sends or than the target's topic takes; the task stops there",
           "Raise tuning.max_record_bytes of the mirror and max.message.bytes of the target's topic, then start the task again"),
    _known("timestamp-refused", "error",
           r"InvalidTimestampException|Timestamp .* out of range|InvalidRecordException",
           "The target refuses the record's time as too far from its own",
           "Set message.timestamp.before.max.ms and after.max.ms of the target's topic as wide as the source's"),
    _known("not-authorized-transaction", "error",
           r"TransactionalIdAuthorizationException|TRANSACTIONAL_ID_AUTHORIZATION_FAILED",
           "The mirror's principal may not use its transactional ids on the target",
           "Allow WRITE and DESCRIBE on the transactional ids beginning with the worker's group"),
    _known("not-authorized-group", "error",
           r"GroupAuthorizationException|GROUP_AUTHORIZATION_FAILED|Not authorized to access group",
           "The mirror's principal may not read or write this group",
           "Allow READ and DESCRIBE on the groups"),
    _known("not-authorized-cluster", "error",
           r"ClusterAuthorizationException|CLUSTER_AUTHORIZATION_FAILED|Cluster authorization failed",
           "The mirror's principal may not create topics, or write idempotently, or alter the cluster",
           "Allow CREATE, DESCRIBE and IDEMPOTENT_WRITE on the cluster"),
    _known("not-authorized-topic", "error",
           r"TopicAuthorizationException|TOPIC_AUTHORIZATION_FAILED|Not authorized to access topics?|AuthorizationException",
           "The mirror's principal may not read the source's topic or write the target's",
           "Allow READ, DESCRIBE and DESCRIBE_CONFIGS on the source; WRITE, CREATE and ALTER on the target"),
    _known("fenced", "warning",
           r"ProducerFencedException|InvalidProducerEpochException|fenced by|newer producer with the same transactionalId",
           "Two mirrors with one name run at the same time, or a node took the work of another over",
           "Once, after a restart, it is normal; again and again means two services with one name: stop one"),
    _known("replication-factor", "error",
           r"InvalidReplicationFactorException|INVALID_REPLICATION_FACTOR",
           "A topic is to have more replicas than the target has brokers",
           "Set tuning.replication_factor of the mirror"),
    _known("policy-violation", "error",
           r"PolicyViolationException|POLICY_VIOLATION",
           "The target's own policy refuses to create or alter a topic so",
           "Make topics beforehand as that policy wants them, or leave out what it refuses (config.properties.exclude)"),
    _known("disk-full", "error",
           r"No space left on device|KafkaStorageException|DISK_ERROR",
           "A disk of the target, or of the mirror's host, is full or broken",
           "Make room; then restart what stopped"),
    _known("log-directory", "error",
           r"Could not create (the )?(log )?director|(Unable|Failed) to create.*director|(mkdir|cannot create).*([Pp]ermission denied|"
           r"Read-only file system)|AccessDeniedException|\(Permission denied\)|Cannot open file .*log",
           "A directory or log file cannot be made by the user the mirror runs as",
           "Give that user the directory, or set LOG_DIR to one it may write"),
    _known("memory", "error",
           r"OutOfMemoryError|Java heap space|GC overhead",
           "The mirror has too little memory for what it buffers",
           "Raise its heap, or lower consumer.max.partition.fetch.bytes, producer.override.buffer.memory or tasks.max"),
    _known("port-in-use", "error",
           r"Address already in use|BindException|Failed to bind",
           "The REST interface's port is taken",
           "Choose another rest port for this mirror"),
    _known("recreated-topic", "error",
           r"topic ID changed from|[Rr]esetting the last seen epoch of partition .* since the associated topicId changed|"
           r"UnknownTopicIdException|INCONSISTENT_TOPIC_ID|UNKNOWN_TOPIC_ID",
           "A topic was deleted and made again: offsets of before mean nothing any more",
           "Stop the mirror, remove the topic's stored source offsets and the copy, and mirror it anew"),
    _known("overtaken", "error",
           r"is out of range for partition|OffsetOutOfRangeException|out of range.*[Rr]esetting offset|"
           r"[Rr]esetting offset for partition .*because",
           "The source deleted records before they were copied, or the topic was made again; the mirror went on elsewhere",
           "Compare with the source's retention; prove the copy; raise retention.ms or tasks.max"),
    _known("group-sync-blocked", "error",
           r"UnknownMemberIdException|UNKNOWN_MEMBER_ID|[Uu]nable to sync offsets? for consumer group|Could not (alter|sync).*group",
           "A consumer of this group is running on the passive side; its positions are no longer brought over",
           "Stop that consumer, or exclude the group from the mirror"),
    _known("unknown-topic", "warning",
           r"UnknownTopicOrPartitionException|UNKNOWN_TOPIC_OR_PARTITION|This server does not host this topic-partition",
           "A topic that the mirror works on does not exist (any more)",
           "Deleted on purpose: restart the mirror. Otherwise create it again, and see who deletes topics"),
    _known("name-not-resolved", "error",
           r"UnknownHostException|Couldn't resolve server|No resolvable bootstrap|Name or service not known|nodename nor servname",
           "The name of a broker, given or advertised, is not known where the mirror runs",
           "Correct the address, the name service, or the broker's advertised.listeners"),
    _known("unreachable", "error",
           r"Connection to node -?\d+ .*could not be established|Bootstrap broker .* disconnected|Connection refused|NoRouteToHost|"
           r"Node -?\d+ disconnected\.$",
           "A broker does not answer at the address given or advertised",
           "Check address, port and firewall; a node id above 0 means the advertised listener is wrong"),
    _known("leader-missing", "warning",
           r"LEADER_NOT_AVAILABLE|LeaderNotAvailableException|NOT_LEADER_OR_FOLLOWER|NotLeaderOrFollowerException|COORDINATOR_NOT_AVAILABLE",
           "A partition has no leader just now, or the advertised listener leads nowhere",
           "For moments it is normal; lasting, look at the cluster's health"),
    _known("not-enough-replicas", "error",
           r"NotEnoughReplicas",
           "The target has fewer replicas in sync than min.insync.replicas wants",
           "Bring its brokers back, or look at min.insync.replicas of the topic"),
    _known("flush-timed-out", "warning",
           r"Failed to flush,? timed out|Failed to commit offsets|commit of .*offsets? .*timed out|Timed out waiting to flush|"
           r"Commit of offsets timed out",
           "The target took too long to take what was read: positions are committed late, and after a crash more is copied again",
           "Look at the target's load; raise offset.flush.timeout.ms, or lower producer.override.batch.size"),
    _known("expired", "error",
           r"Expiring \d+ record\(s\)",
           "Records could not be written to the target in the time allowed",
           "Look at the target's load and reachability"),
    _known("timed-out", "warning",
           r"TimeoutException|Timed out waiting for a node assignment|TimedOut|timed out",
           "A cluster did not answer in time",
           "Look at its load and at the way between; if it never answered, compare port and security.protocol"),
    _known("rebalances", "warning",
           r"\(Re-\)joining group|Rebalance started|is rebalancing|RebalanceInProgress|leaving the group due to consumer poll timeout|"
           r"max\.poll\.interval\.ms|member .* failed, removing it",
           "The workers divide the work anew, again and again",
           "A few at the start are normal; else look for restarts, pauses of the Java process and a network that drops"),
    _known("configuration", "error",
           r"ConfigException|Invalid value .* for configuration|Missing required configuration",
           "A setting has a value that Kafka does not take",
           "Correct the setting named in the line; the filter mirror_lint names what else is wrong"),
    _known("task-failed", "error",
           r"Task threw an uncaught and unrecoverable exception|Task is being killed|WorkerSourceTask.* failed|Failed to start (task|"
           r"connector)|Stopping due to error",
           "A connector or task stopped and does not start again by itself",
           "Remove the cause (see the lines before), then restart the mirror"),
)
