# SPDX-License-Identifier: GPL-3.0-or-later
"""What lines of a log of MirrorMaker 2 or Kafka Connect mean: pattern, cause, remedy.

The catalogue is ordered: the first entry that fits a line takes it, so causes stand before their consequences.
"""

from __future__ import annotations

from .log_access import ACCESS
from .log_cause import known

CATALOGUE = (
    *ACCESS,
    known(
        "record-too-large",
        "error",
        r"RecordTooLargeException|MESSAGE_TOO_LARGE|RecordBatchTooLargeException|larger than the max",
        "A record is larger than the mirror's producer sends or than the target's topic takes; the task stops there",
        "Raise tuning.max_record_bytes of the mirror and max.message.bytes of the target's topic, then start the "
        "task again",
    ),
    known(
        "timestamp-refused",
        "error",
        r"InvalidTimestampException|Timestamp .* out of range|InvalidRecordException",
        "The target refuses the record's time as too far from its own",
        "Set message.timestamp.before.max.ms and after.max.ms of the target's topic as wide as the source's",
    ),
    known(
        "not-authorized-transaction",
        "error",
        r"TransactionalIdAuthorizationException|TRANSACTIONAL_ID_AUTHORIZATION_FAILED",
        "The mirror's principal may not use its transactional ids on the target",
        "Allow WRITE and DESCRIBE on the transactional ids beginning with the worker's group",
    ),
    known(
        "not-authorized-group",
        "error",
        r"GroupAuthorizationException|GROUP_AUTHORIZATION_FAILED|Not authorized to access group",
        "The mirror's principal may not read or write this group",
        "Allow READ and DESCRIBE on the groups",
    ),
    known(
        "not-authorized-cluster",
        "error",
        r"ClusterAuthorizationException|CLUSTER_AUTHORIZATION_FAILED|Cluster authorization failed",
        "The mirror's principal may not create topics, or write idempotently, or alter the cluster",
        "Allow CREATE, DESCRIBE and IDEMPOTENT_WRITE on the cluster",
    ),
    known(
        "not-authorized-topic",
        "error",
        r"TopicAuthorizationException|TOPIC_AUTHORIZATION_FAILED|Not authorized to access "
        r"topics?|AuthorizationException",
        "The mirror's principal may not read the source's topic or write the target's",
        "Allow READ, DESCRIBE and DESCRIBE_CONFIGS on the source; WRITE, CREATE and ALTER on the target",
    ),
    known(
        "fenced",
        "warning",
        r"ProducerFencedException|InvalidProducerEpochException|fenced by|newer producer with the same transactionalId",
        "Two mirrors with one name run at the same time, or a node took the work of another over",
        "Once, after a restart, it is normal; again and again means two services with one name: stop one",
    ),
    known(
        "replication-factor",
        "error",
        r"InvalidReplicationFactorException|INVALID_REPLICATION_FACTOR",
        "A topic is to have more replicas than the target has brokers",
        "Set tuning.replication_factor of the mirror",
    ),
    known(
        "too-many-topics",
        "error",
        r"excessively large batch operation|Excessively large number of partitions",
        "The mirror asks for all missing topics at once, and a controller takes 10,000 records in one request",
        "Run the stage again: it creates missing ones first; add missing partitions to the copies yourself, in parts",
    ),
    known(
        "policy-violation",
        "error",
        r"PolicyViolationException|POLICY_VIOLATION",
        "The target's own policy refuses to create or alter a topic so",
        "Make topics beforehand as that policy wants them, or leave out what it refuses (config.properties.exclude)",
    ),
    known(
        "disk-full",
        "error",
        r"No space left on device|KafkaStorageException|DISK_ERROR",
        "A disk of the target, or of the mirror's host, is full or broken",
        "Make room; then restart what stopped",
    ),
    known(
        "log-directory",
        "error",
        r"Could not create (the )?(log )?director|(Unable|Failed) to create.*director|(mkdir|cannot "
        r"create).*([Pp]ermission denied|"
        r"Read-only file system)|AccessDeniedException|\(Permission denied\)|Cannot open file .*log",
        "A directory or log file cannot be made by the user the mirror runs as",
        "Give that user the directory, or set LOG_DIR to one it may write",
    ),
    known(
        "memory",
        "error",
        r"OutOfMemoryError|Java heap space|GC overhead",
        "The mirror has too little memory for what it buffers",
        "Raise its heap, or lower consumer.max.partition.fetch.bytes, producer.override.buffer.memory or tasks.max",
    ),
    known(
        "port-in-use",
        "error",
        r"Address already in use|BindException|Failed to bind",
        "The REST interface's port is taken",
        "Choose another rest port for this mirror",
    ),
    known(
        "recreated-topic",
        "error",
        r"topic ID changed from|[Rr]esetting the last seen epoch of partition .* since the associated topicId changed|"
        r"UnknownTopicIdException|INCONSISTENT_TOPIC_ID|UNKNOWN_TOPIC_ID",
        "A topic was deleted and made again: offsets of before mean nothing any more",
        "Stop the mirror, remove the topic's stored source offsets and the copy, and mirror it anew",
    ),
    known(
        "overtaken",
        "error",
        r"is out of range for partition|OffsetOutOfRangeException|out of range.*[Rr]esetting offset|"
        r"[Rr]esetting offset for partition .*because",
        "The source deleted records before they were copied, or the topic was made again; the mirror went on elsewhere",
        "Compare with the source's retention; prove the copy; raise retention.ms or tasks.max",
    ),
    known(
        "group-sync-blocked",
        "error",
        # The words are MirrorCheckpointTask's own for this error; for any other one it leaves the reason out.
        r"UnknownMemberIdException|UNKNOWN_MEMBER_ID|[Uu]nable to sync offsets? .* currently using this group|"
        r"Could not (alter|sync).*group",
        "A consumer of this group is running on the passive side; its positions are no longer brought over",
        "Stop that consumer, or exclude the group from the mirror",
    ),
    known(
        "group-sync-failed",
        "warning",
        r"[Uu]nable to sync offsets? for consumer group",
        "The target did not take the positions of this group, as when its broker was being started; the mirror tries "
        "again in each round",
        "Where it goes on, see the exception below the line",
    ),
    known(
        "unknown-topic",
        "warning",
        r"UnknownTopicOrPartitionException|UNKNOWN_TOPIC_OR_PARTITION|This server does not host this topic-partition",
        "A topic that the mirror works on does not exist (any more)",
        "Deleted on purpose: restart the mirror. Otherwise create it again, and see who deletes topics",
    ),
    known(
        "name-not-resolved",
        "error",
        r"UnknownHostException|Couldn't resolve server|No resolvable bootstrap|Name or service not known|nodename "
        r"nor servname",
        "The name of a broker, given or advertised, is not known where the mirror runs",
        "Correct the address, the name service, or the broker's advertised.listeners",
    ),
    known(
        "unreachable",
        "error",
        r"Connection to node -?\d+ .*could not be established|Bootstrap broker .* disconnected|Connection "
        r"refused|NoRouteToHost|"
        r"Node -?\d+ disconnected\.$",
        "A broker does not answer at the address given or advertised",
        "Check address, port and firewall; a node id above 0 means the advertised listener is wrong",
    ),
    known(
        "leader-missing",
        "warning",
        r"LEADER_NOT_AVAILABLE|LeaderNotAvailableException|NOT_LEADER_OR_FOLLOWER|NotLeaderOrFollowerException|COORDINATOR_NOT_AVAILABLE",
        "A partition has no leader just now, or the advertised listener leads nowhere",
        "For moments it is normal; lasting, look at the cluster's health",
    ),
    known(
        "not-enough-replicas",
        "error",
        r"NotEnoughReplicas",
        "The target has fewer replicas in sync than min.insync.replicas wants",
        "Bring its brokers back, or look at min.insync.replicas of the topic",
    ),
    known(
        "flush-timed-out",
        "warning",
        r"Failed to flush,? timed out|Failed to commit offsets|commit of .*offsets? .*timed out|Timed out waiting "
        r"to flush|"
        r"Commit of offsets timed out",
        "The target took too long to take what was read: positions are committed late, and after a crash more is "
        "copied again",
        "Look at the target's load; raise offset.flush.timeout.ms, or lower producer.override.batch.size",
    ),
    known(
        "expired",
        "error",
        r"Expiring \d+ record\(s\)",
        "Records could not be written to the target in the time allowed",
        "Look at the target's load and reachability",
    ),
    known(
        "timed-out",
        "warning",
        r"TimeoutException|Timed out waiting for a node assignment|TimedOut|timed out",
        "A cluster did not answer in time",
        "Look at its load and at the way between; if it never answered, compare port and security.protocol",
    ),
    known(
        "rebalances",
        "warning",
        r"\(Re-\)joining group|Rebalance started|is rebalancing|RebalanceInProgress|leaving the group due to "
        r"consumer poll timeout|"
        r"max\.poll\.interval\.ms|member .* failed, removing it",
        "The workers divide the work anew, again and again",
        "A few at the start are normal; else look for restarts, pauses of the Java process and a network that drops",
    ),
    known(
        "configuration",
        "error",
        r"ConfigException|Invalid value .* for configuration|Missing required configuration",
        "A setting has a value that Kafka does not take",
        "Correct the setting named in the line; the filter mirror_lint names what else is wrong",
    ),
    known(
        "task-failed",
        "error",
        r"Task threw an uncaught and unrecoverable exception|Task is being killed|WorkerSourceTask.* failed|Failed "
        r"to start (task|"
        r"connector)|Stopping due to error",
        "A connector or task stopped and does not start again by itself",
        "Remove the cause (see the lines before), then restart the mirror",
    ),
)
