# SPDX-License-Identifier: GPL-3.0-or-later
"""Descriptions with a mistake in them: what people write at three in the morning, and what somebody writes who means harm.

Each case changes one place of a description that is well, and says the place, and words of what was expected and found.
"""

from __future__ import annotations

import copy

PEM = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"
SECRET = "t0p-s3cret-pa55word"
WELL: dict = {
    "north_america": {
        "kafka_dr_platform": "host",
        "kafka_dr_client": {
            "bootstrap.servers": "na-1:9093,na-2:9093",
            "security.protocol": "SASL_SSL",
            "sasl.mechanism": "SCRAM-SHA-512",
            "sasl.username": "kdr-stages",
            "ssl.ca.pem": PEM,
        },
        "kafka_dr_client_secrets": {"sasl.password": SECRET},
        "kafka_dr_users": [
            {"name": "kdr-stages", "purpose": "stages", "password": SECRET},
            {"name": "kdr-mirror", "purpose": "mirror", "password": SECRET},
            {
                "name": "shop",
                "purpose": "application",
                "password": SECRET,
                "acls": [{"resource": "topic", "name": "orders.", "pattern": "prefixed", "operations": ["READ", "DESCRIBE"]}],
            },
        ],
        "kafka_dr_topics": [{"name": "orders.new", "partitions": 3, "replication_factor": 3, "configs": {"retention.ms": -1}}],
        "kafka_dr_quotas": [{"entity": {"user": "shop"}, "limits": {"producer_byte_rate": 1048576}}],
        "kafka_dr_rebuild_directory": "/var/lib/kafka-dr/rebuild",
    },
    "europe": {
        "kafka_dr_platform": "host",
        "kafka_dr_client": {
            "bootstrap.servers": "[2001:db8::1]:9093",
            "security.protocol": "SASL_SSL",
            "sasl.mechanism": "SCRAM-SHA-512",
            "sasl.username": "kdr-stages",
            "ssl.ca.pem": PEM,
        },
        "kafka_dr_client_secrets": {"sasl.password": SECRET},
        "kafka_dr_users": [{"name": "kdr-stages", "purpose": "stages", "password": SECRET}, {"name": "shop", "purpose": "application", "password": SECRET}],
        "kafka_dr_mirror_directory": "/var/lib/kafka-mirror",
        "kafka_dr_kafka_home": "/opt/kafka",
        "kafka_dr_mirror_rest_port": 8083,
    },
    "asia": {
        "kafka_dr_platform": "kubernetes",
        "kafka_dr_kubernetes": {"context": "asia", "namespace": "kafka", "cluster": "main"},
        "kafka_dr_users": [{"name": "kdr-stages", "purpose": "stages"}],
    },
    "shop": {
        "kafka_dr_applications": [
            {
                "name": "shop",
                "kind": "process",
                "role": "consumer",
                "groups": ["shop"],
                "principals": ["shop"],
                "environment_file": "/etc/shop/kafka.env",
                "command": "/opt/shop/run",
                "stop_seconds": 5,
            }
        ]
    },
}
# Variables of all hosts.
EVERYWHERE: dict = {
    "kafka_dr_mirrors": [
        {
            "name": "backup",
            "source": "north_america",
            "target": "europe",
            "topics": ["orders\\..*"],
            "groups": ["shop.*"],
            "tuning": {"replication_factor": 3, "tasks_max": 2},
        }
    ],
    "kafka_dr_workdir": "/var/lib/kafka-dr",
    "kafka_dr_services": {"manager": "systemd"},
    "kafka_dr_rebuild_secret": SECRET,
    "kafka_dr_no_log": True,
}

MIRROR, CLIENT, USERS, TOPICS = "*.kafka_dr_mirrors.0", "north_america.kafka_dr_client", "north_america.kafka_dr_users", "north_america.kafka_dr_topics"
APPLICATION, KUBERNETES = "shop.kafka_dr_applications.0", "asia.kafka_dr_kubernetes"
BACK = {"name": "back", "source": "europe", "target": "north_america", "topics": ["orders\\..*"]}

# place, value, words of the one mistake that is told for it.
CASES: dict[str, tuple[str, object, tuple[str, ...]]] = {
    # Shapes.
    "users as a dictionary": (
        USERS,
        {"kdr-stages": SECRET},
        ("kafka_dr_users: expected a list, found a dictionary with the keys kdr-stages", "entry of a list"),
    ),
    "users as a text": (USERS, SECRET, ("kafka_dr_users: expected a list, found a text (not shown)",)),
    "users of texts": (USERS, [SECRET], ("kafka_dr_users[0]: expected a dictionary, found a text (not shown)",)),
    "a user without a purpose": (USERS, [{"name": "kdr-stages"}], ("kafka_dr_users[0].purpose: expected one of stages, mirror", "found nothing")),
    "a user of an unknown purpose": (USERS + ".0.purpose", "stage", ("found the text 'stage'", "Did you mean stages?")),
    "a user without a name": (USERS + ".0.name", None, ("kafka_dr_users[0].name: expected", "found nothing")),
    "a user's name as a number": (USERS + ".0.name", 2024, ("kafka_dr_users[0].name", "found the number 2024")),
    "a password as a number": (USERS + ".0.password", 12345678, ("kafka_dr_users[0].password: expected a text", "found a number (not shown)")),
    "a password as a list": (USERS + ".0.password", [SECRET], ("kafka_dr_users[0].password", "found a list of 1")),
    "a user twice": (USERS + ".1.name", "kdr-stages", ("kafka_dr_users[1].name: expected another name than that of entry 0",)),
    "a key that nobody reads": (USERS + ".0.pasword", SECRET, ("kafka_dr_users[0].pasword: expected no key but name", "Did you mean password?")),
    "operations as a text": (USERS + ".2.acls.0.operations", "READ", ("acls[0].operations: expected a list, found a text (not shown)", "[READ, DESCRIBE]")),
    "an unknown operation": (USERS + ".2.acls.0.operations", ["READS"], ("acls[0].operations[0]: expected one of ALL, READ", "Did you mean READ?")),
    "an operation in small letters": (USERS + ".2.acls.0.operations", ["read"], ("found the text 'read'",)),
    "no operations": (USERS + ".2.acls.0.operations", [], ("expected at least one entry, found an empty list",)),
    "an unknown resource": (USERS + ".2.acls.0.resource", "topics", ("expected one of topic, group, cluster, transactional_id", "Did you mean topic?")),
    "an unknown pattern": (USERS + ".2.acls.0.pattern", "prefix", ("Did you mean prefixed?",)),
    "rights as a dictionary": (USERS + ".2.acls", {"topic": "READ"}, ("kafka_dr_users[2].acls: expected a list, found a dictionary",)),
    "mirrors as a text": (
        "*.kafka_dr_mirrors",
        "north_america->europe",
        ("kafka_dr_mirrors: expected a list, found the text 'north_america->europe'", "entry of a list"),
    ),
    "mirrors as a dictionary": ("*.kafka_dr_mirrors", {"backup": {}}, ("kafka_dr_mirrors: expected a list, found a dictionary with the keys backup",)),
    "mirrors of texts": ("*.kafka_dr_mirrors", ["backup"], ("kafka_dr_mirrors[0]: expected a dictionary, found the text 'backup'",)),
    "topics as a number": (TOPICS, 7, ("kafka_dr_topics: expected a list, found the number 7",)),
    "topics of texts": (TOPICS, ["orders"], ("kafka_dr_topics[0]: expected a dictionary, found the text 'orders'",)),
    "a topic without partitions that are a number": (
        TOPICS + ".0.partitions",
        "three",
        ("partitions: expected a whole number from 1 to 100000, found the text 'three'",),
    ),
    "no partitions": (TOPICS + ".0.partitions", 0, ("expected a whole number from 1 to 100000, found the number 0",)),
    "half a partition": (TOPICS + ".0.partitions", 1.5, ("found the number 1.5",)),
    "partitions as true": (TOPICS + ".0.partitions", True, ("expected a whole number from 1 to 100000, found true",)),
    "configs as a list": (TOPICS + ".0.configs", ["retention.ms=1"], ("configs: expected a dictionary, found a list of 1",)),
    "a config as a list": (TOPICS + ".0.configs", {"cleanup.policy": ["compact"]}, ("configs['cleanup.policy']", "found a list of 1")),
    "a topic twice": (TOPICS, [{"name": "a"}, {"name": "a"}], ("kafka_dr_topics[1].name", "entry 0")),
    "the client as a text": (CLIENT, "na-1:9093", ("kafka_dr_client: expected a dictionary, found the text 'na-1:9093'", "bootstrap.servers")),
    "the client as a list": (CLIENT, [{"bootstrap.servers": "a:1"}], ("kafka_dr_client: expected a dictionary, found a list of 1",)),
    "the secrets as a text": ("north_america.kafka_dr_client_secrets", SECRET, ("kafka_dr_client_secrets: expected a dictionary, found a text (not shown)",)),
    "an unknown secret": (
        "north_america.kafka_dr_client_secrets",
        {"sasl_password": SECRET},
        ("sasl_password: expected no key but sasl.password", "Did you mean sasl.password?"),
    ),
    "a secret as a dictionary": ("north_america.kafka_dr_client_secrets", {"sasl.password": {"value": SECRET}}, ("found a dictionary with the keys value",)),
    "a platform that is none": (
        "north_america.kafka_dr_platform",
        "hosts",
        ("kafka_dr_platform: expected one of host, kubernetes, managed", "Did you mean host?"),
    ),
    "a platform as a list": ("north_america.kafka_dr_platform", ["host"], ("kafka_dr_platform", "found a list of 1")),
    "no platform": ("north_america.kafka_dr_platform", None, ("north_america: kafka_dr_platform: expected one of host, kubernetes, managed, found nothing",)),
    "super-users as a text": ("north_america.kafka_dr_super_users", "admin", ("kafka_dr_super_users: expected a list, found the text 'admin'",)),
    "services as a text": ("*.kafka_dr_services", "systemd", ("kafka_dr_services: expected a dictionary, found the text 'systemd'",)),
    "an unknown manager of services": ("*.kafka_dr_services", {"manager": "runit"}, ("manager: expected one of systemd, supervisord, found the text 'runit'",)),
    "a word for true": ("*.kafka_dr_no_log", "ja", ("kafka_dr_no_log: expected true or false, found the text 'ja'",)),
    "a working directory as a number": ("*.kafka_dr_workdir", 5, ("kafka_dr_workdir", "found the number 5")),
    "an empty working directory": ("*.kafka_dr_workdir", "", ("kafka_dr_workdir", "found an empty text")),
    # Mirrors.
    "a policy that is none": (MIRROR + ".policy", "identitty", ("kafka_dr_mirrors[0].policy: expected identity, default, or a Java class", "'identitty'")),
    "fewer tasks than none": (MIRROR + ".tuning.tasks_max", -4, ("tuning.tasks_max: expected a whole number from 1 to 1000, found the number -4",)),
    "tasks as a text": (MIRROR + ".tuning.tasks_max", "many", ("found the text 'many'",)),
    "a negative interval": (MIRROR + ".tuning.refresh_seconds", -30, ("refresh_seconds", "found the number -30")),
    "an interval in milliseconds": (MIRROR + ".tuning.refresh_seconds", 600000, ("expected a whole number from 1 to 86400, found the number 600000",)),
    "an unknown number to tune": (MIRROR + ".tuning.task_max", 2, ("tuning.task_max: expected no key but tasks_max", "Did you mean tasks_max?")),
    "an unknown compression": (MIRROR + ".tuning.compression", "brotli", ("compression: expected one of none, gzip",)),
    "tuning as a number": (MIRROR + ".tuning", 4, ("kafka_dr_mirrors[0].tuning: expected a dictionary, found the number 4",)),
    "exactly-once as a word": (MIRROR + ".exactly_once", "false", ("exactly_once: expected true or false, found the text 'false'",)),
    "a source that is no region": (
        MIRROR + ".source",
        "nort_america",
        ("source: expected a region, one of asia, europe, north_america, found the text 'nort_america'",),
    ),
    "a mirror into itself": (MIRROR + ".target", "north_america", ("target: expected another region than the source",)),
    "a mirror without a source": (MIRROR + ".source", None, ("kafka_dr_mirrors[0].source", "found nothing")),
    "a mirror of an unknown key": (MIRROR + ".topic", "orders", ("kafka_dr_mirrors[0].topic: expected no key but name", "Did you mean topics?")),
    "topics of a mirror as a number": (MIRROR + ".topics", 5, ("kafka_dr_mirrors[0].topics: expected a list of regular expressions, found the number 5",)),
    "topics of a mirror as a dictionary": (MIRROR + ".topics", {"orders": None}, ("topics: expected a list of regular expressions",)),
    "a pattern that cannot be read": (MIRROR + ".topics", ["orders(.*"], ("topics[0]: expected a regular expression, found 'orders(.*'",)),
    "a group's pattern that cannot be read": (MIRROR + ".groups", ["*"], ("groups[0]: expected a regular expression, found '*'",)),
    "an unknown side of the settings": (MIRROR + ".config", {"sources": {}}, ("config.sources: expected no key but source", "Did you mean source?")),
    "a setting as a list": (MIRROR + ".config", {"source": {"tasks.max": [1]}}, ("config.source['tasks.max']", "found a list of 1")),
    "two mirrors of a name": (
        "*.kafka_dr_mirrors.+",
        {"name": "backup", "source": "asia", "target": "europe", "topics": ["x"]},
        ("[1].name: expected another name",),
    ),
    "two mirrors of a pair": (
        "*.kafka_dr_mirrors.+",
        {"name": "two", "source": "north_america", "target": "europe", "topics": ["x"]},
        ("kafka_dr_mirrors[1]: expected one mirror from north_america to europe",),
    ),
    "a circle of two": ("*.kafka_dr_mirrors.+", BACK, ("expected no circle of mirrors that keep names", "north_america->europe", "one direction at a time")),
    "a setting that loses positions": (
        MIRROR + ".config",
        {"checkpoint": {"offset-syncs.topic.location": "source"}, "source": {"offset-syncs.topic.location": "source"}},
        ("kafka_dr_mirrors[0]", "offset-syncs.topic.location"),
    ),
    "a password among a mirror's settings": (
        MIRROR + ".config",
        {"source": {"consumer.sasl.jaas.config": SECRET}},
        ("config.source['consumer.sasl.jaas.config']", "no secret", "(not shown)"),
    ),
    # Clients.
    "no address": (CLIENT, {"security.protocol": "PLAINTEXT"}, ("bootstrap.servers']: expected host:port", "found nothing")),
    "an address without a port": (CLIENT + ".bootstrap|servers", "na-1", ("expected host:port, separated by commas", "'na-1'")),
    "an IPv6 address without brackets": (CLIENT + ".bootstrap|servers", "2001:db8::1:9093", ("an IPv6 address in brackets", "'2001:db8::1:9093'")),
    "a port that there is not": (CLIENT + ".bootstrap|servers", "na-1:99999", ("expected ports from 1 to 65535, found 99999",)),
    "addresses as a list": (CLIENT + ".bootstrap|servers", ["na-1:9093"], ("bootstrap.servers']", "found a list of 1")),
    "an unknown protocol": (CLIENT + ".security|protocol", "TLS", ("expected one of PLAINTEXT, SSL, SASL_PLAINTEXT, SASL_SSL, found the text 'TLS'",)),
    "an unknown mechanism": (CLIENT + ".sasl|mechanism", "SCRAM", ("expected one of PLAIN, SCRAM-SHA-256", "'SCRAM'")),
    "no mechanism": (CLIENT + ".sasl|mechanism", None, ("expected a mechanism, since security.protocol is SASL_SSL",)),
    "a mechanism without SASL": (CLIENT + ".security|protocol", "SSL", ("expected SASL_SSL, since sasl.mechanism is SCRAM-SHA-512, found SSL",)),
    "a key of Ansible's kind": (CLIENT + ".bootstrap_servers", "a:1", ("the key 'bootstrap_servers'", "Did you mean bootstrap.servers?")),
    "a password among what is printed": (CLIENT + ".sasl|password", SECRET, ("no secret in kafka_dr_client", "(not shown)", "kafka_dr_client_secrets")),
    "a private key among what is printed": (CLIENT + ".ssl|key|pem", SECRET, ("no secret in kafka_dr_client", "(not shown)")),
    "a JAAS line among what is printed": (CLIENT + ".sasl|jaas|config", SECRET, ("no secret in kafka_dr_client", "(not shown)")),
    "certificates that are not verified": (
        CLIENT + ".enable|ssl|certificate|verification",
        False,
        ("kafka_dr_unverified_tls: expected certificates to be verified",),
    ),
    "a password without TLS": (CLIENT + ".security|protocol", "SASL_PLAINTEXT", ("kafka_dr_unverified_tls", "SASL_PLAINTEXT sends a password")),
    "names that are not verified": (CLIENT + ".ssl|endpoint|identification|algorithm", "none", ("kafka_dr_unverified_tls", "identification.algorithm=none")),
    "an API server that is not verified": (KUBERNETES + ".validate_certs", False, ("asia: kafka_dr_unverified_tls", "validate_certs=false")),
    "an API server without TLS": (KUBERNETES + ".host", "http://api:6443", ("kafka_dr_unverified_tls", "host without TLS")),
    "a decision without a reason": (
        "north_america.kafka_dr_unverified_tls",
        True,
        ("kafka_dr_unverified_tls: expected the reason, in words on one line, found true",),
    ),
    "a token endpoint without TLS": (
        CLIENT + ".sasl|oauthbearer|token|endpoint|url",
        "http://sso/token",
        ("token.endpoint.url']: expected a URL that begins with https://",),
    ),
    # Regions on Kubernetes.
    "no namespace": (KUBERNETES, {"cluster": "main"}, ("kafka_dr_kubernetes.namespace", "found nothing")),
    "a namespace in large letters": (KUBERNETES + ".namespace", "Kafka", ("expected a name as Kubernetes takes it", "'Kafka'")),
    "a cluster that is a path": (KUBERNETES + ".cluster", "../main", ("kafka_dr_kubernetes.cluster", "'../main'")),
    "Kubernetes as a text": (KUBERNETES, "kafka/main", ("kafka_dr_kubernetes: expected a dictionary, found the text 'kafka/main'",)),
    "an unknown way to stop": (KUBERNETES + ".stop_by", "delete", ("stop_by: expected one of state, replicas",)),
    "a backup without a namespace": (KUBERNETES + ".backup", {"context": "eu"}, ("kafka_dr_kubernetes.backup.namespace", "found nothing")),
    "an unknown key of Kubernetes": (KUBERNETES + ".name_space", "kafka", ("name_space: expected no key but kubeconfig", "Did you mean namespace?")),
    # Machines.
    "a mirror's hosts as a text": ("europe.kafka_dr_mirror_hosts", "shop", ("kafka_dr_mirror_hosts: expected a list, found the text 'shop'",)),
    "a mirror's host that is none": (
        "europe.kafka_dr_mirror_hosts",
        ["nowhere"],
        ("kafka_dr_mirror_hosts[0]: expected a host of the inventory, found the text 'nowhere'",),
    ),
    "a mirror of two nodes that everybody reaches": (
        "europe.kafka_dr_mirror_hosts",
        ["europe", "shop"],
        ("kafka_dr_mirror_rest_open: expected the reason", "shop"),
    ),
    "no Kafka for the mirror": ("europe.kafka_dr_kafka_home", None, ("europe: kafka_dr_kafka_home: expected a path on europe",)),
    "a port of zero": ("europe.kafka_dr_mirror_rest_port", 0, ("kafka_dr_mirror_rest_port: expected a whole number from 1 to 65535, found the number 0",)),
    "a heap without a unit": ("europe.kafka_dr_mirror_heap", "lots", ("kafka_dr_mirror_heap: expected a size such as 1g, found the text 'lots'",)),
    "Connect without addresses": ("europe.kafka_dr_connect", {"group": "x"}, ("kafka_dr_connect.urls", "found nothing")),
    "a mirror on a Connect cluster that is not described": ("europe.kafka_dr_mirror_platform", "connect", ("kafka_dr_connect: expected the Connect cluster",)),
    "metrics without a jar": ("europe.kafka_dr_mirror_metrics", {"port": 9404}, ("kafka_dr_mirror_metrics.jar", "found nothing")),
    "a password to a Connect cluster without TLS": (
        "europe",
        {"kafka_dr_connect": {"urls": ["http://connect-1:8083"]}, "kafka_dr_connect_secrets": {"password": SECRET}},
        ("kafka_dr_unverified_tls", "urls without TLS, with a password"),
    ),
    # Applications.
    "an application of an unknown kind": (
        APPLICATION + ".kind",
        "docker",
        ("kind: expected one of process, systemd, kubernetes, hook, found the text 'docker'",),
    ),
    "an application of an unknown role": (APPLICATION + ".role", "reader", ("role: expected one of producer, consumer, both",)),
    "a negative time-out": (APPLICATION + ".stop_seconds", -1, ("stop_seconds: expected a whole number from 0 to 86400, found the number -1",)),
    "groups as a text": (APPLICATION + ".groups", "shop", ("groups: expected a list, found the text 'shop'",)),
    "no file that tells it its region": (APPLICATION + ".environment_file", None, ("environment_file: expected something, since shop is of kind process",)),
    "a principal whom nobody knows": (APPLICATION + ".principals", ["shpo"], ("principals[0]: expected a user of kafka_dr_users, found the text 'shpo'",)),
    "a machine that is none": (APPLICATION + ".host", "shop-9", ("host: expected a host of the inventory, found the text 'shop-9'",)),
    "a hook without tasks": (APPLICATION + ".kind", "hook", ("start_tasks: expected something, since shop is of kind hook",)),
    "an environment of a wrong name": (APPLICATION + ".environment", {"A-B": "1"}, ("environment['A-B']", "the key 'A-B'")),
    # Quotas.
    "quotas as a dictionary": ("north_america.kafka_dr_quotas", {"shop": 1}, ("kafka_dr_quotas: expected a list",)),
    "a quota of nobody": ("north_america.kafka_dr_quotas.0.entity", {}, ("entity: expected at least one of user, client-id, ip",)),
    "an unknown limit": ("north_america.kafka_dr_quotas.0.limits", {"producer_bytes": 1}, ("limits.producer_bytes: expected no key but producer_byte_rate",)),
    "a limit below nothing": (
        "north_america.kafka_dr_quotas.0.limits.producer_byte_rate",
        -1,
        ("producer_byte_rate: expected a number or nothing above 0, found the number -1",),
    ),
    # Names that mean harm.
    "a mirror's name that leaves its directory": (MIRROR + ".name", "../../etc", ("kafka_dr_mirrors[0].name: expected a name of letters", "'../../etc'")),
    "a mirror's name of two lines": (MIRROR + ".name", "a\n[program:evil]\ncommand=id", ("kafka_dr_mirrors[0].name", "a\\n[program:evil]\\ncommand=id")),
    "a mirror's name that is a template": (MIRROR + ".name", "{{ lookup('pipe', 'id') }}", ("kafka_dr_mirrors[0].name", "{ { lookup")),
    "a mirror's name with a line break behind it": (MIRROR + ".name", "backup\n", ("kafka_dr_mirrors[0].name", "'backup\\n'")),
    "a mirror's name that is an option": (MIRROR + ".name", "-rf", ("kafka_dr_mirrors[0].name", "'-rf'")),
    "a user's name with quotes": (USERS + ".0.name", 'a" password="b', ("kafka_dr_users[0].name: expected a name without quotes",)),
    "a user's name of two lines": (USERS + ".1.name", "kdr\nsuper.users=User:kdr", ("kafka_dr_users[1].name", "kdr\\nsuper.users")),
    "a topic's name that is a path": (TOPICS + ".0.name", "../orders", ("kafka_dr_topics[0].name", "as Kafka takes it, found the text '../orders'")),
    "a topic's name of dots": (TOPICS + ".0.name", "..", ("kafka_dr_topics[0].name",)),
    "a topic's name that is too long": (TOPICS + ".0.name", "x" * 250, ("kafka_dr_topics[0].name",)),
    "an application that is a second program": (APPLICATION + ".name", "shop]\n[program:evil", ("kafka_dr_applications[0].name", "shop]\\n[program:evil")),
    "a command of two lines": (APPLICATION + ".command", "/opt/run\nUser=root", ("kafka_dr_applications[0].command: expected a text on one line",)),
    "a file that leaves its directory": (
        APPLICATION + ".environment_file",
        "/etc/shop/../../root/.ssh/config",
        ("environment_file: expected an absolute path without '..'",),
    ),
    "a directory that runs a command": (
        "europe.kafka_dr_mirror_directory",
        "/var/lib/$(id)",
        ("kafka_dr_mirror_directory: expected an absolute path without '..'",),
    ),
    "a directory that is not absolute": ("europe.kafka_dr_mirror_directory", "mirror", ("kafka_dr_mirror_directory: expected an absolute path", "'mirror'")),
    "a directory above": ("north_america.kafka_dr_rebuild_directory", "/var/lib/..", ("kafka_dr_rebuild_directory",)),
    "a user that is an option": ("europe.kafka_dr_mirror_user", "-oProxyCommand=id", ("kafka_dr_mirror_user: expected the name of a user of the machine",)),
    "a ledger that is a path": ("*.kafka_dr_ledger_topic", "a/b", ("kafka_dr_ledger_topic",)),
    "options for Java of two lines": ("europe.kafka_dr_java_options", "-Da=b\nExecStartPre=/bin/id", ("kafka_dr_java_options: expected a text on one line",)),
    "a setting of two lines": (MIRROR + ".config", {"source": {"x": "1\neurope.security.protocol=PLAINTEXT"}}, ("config.source.x", "a text on one line")),
    "a host of the mirror that is a template": (
        "europe.kafka_dr_mirror_hosts",
        ["{{ lookup('pipe','id') }}"],
        ("kafka_dr_mirror_hosts[0]: expected the name of a host",),
    ),
    "an image that is none": (KUBERNETES + ".witness_image", "a b; id", ("witness_image: expected the name of an image",)),
}


def described(place: str, value: object) -> dict[str, dict]:
    """The description with one place changed; a place is host.variable.key… (* for all hosts, | for a dot within a key, + for a new entry)."""
    hosts = {name: copy.deepcopy({**EVERYWHERE, **one}) for name, one in WELL.items()}
    first, *keys = [one.replace("|", ".") for one in place.split(".")]
    if not keys:
        hosts[first].update(value)
    for name in (hosts if first == "*" else [first]) if keys else ():
        here: dict | list = hosts[name]
        for key in keys[:-1]:
            here = here[int(key)] if isinstance(here, list) else here.setdefault(key, {})
        if isinstance(here, list) and keys[-1] == "+":
            here.append(value)
        else:
            here[int(keys[-1]) if isinstance(here, list) else keys[-1]] = value
    return hosts
