# SPDX-License-Identifier: GPL-3.0-or-later
"""What every module's ``main`` does: build the module, check libraries, call the work, catch once."""

from __future__ import annotations

import importlib
import traceback
from collections.abc import Callable, Iterable
from typing import Any

from ansible.module_utils.basic import AnsibleModule, missing_required_lib

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import KafkaDrError, UsageError
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._specs import NEEDED
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._values.client_secrets import secrets_in
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._values.security import warnings

# Client quotas: these messages came with version 3.
QUOTAS = "kafka.protocol.admin.client_quotas"
# What to install, where it is not called as what is imported.
PACKAGES = {"confluent_kafka": "confluent-kafka", QUOTAS: "kafka-python, version 3"}


def run_module(
    argument_spec: dict[str, Any],
    work: Callable[[dict[str, Any], bool], dict[str, Any]],
    requires: Iterable[str] | Callable[[dict[str, Any]], Iterable[str]] = ("confluent_kafka",),
    needs: Iterable[str] = NEEDED,
    **relations: Any,
) -> None:
    """Run ``work(params, check_mode)`` as an Ansible module.

    :param work: returns the result's keys, ``changed`` and ``diff`` among them; raises :class:`KafkaDrError`.
    :param requires: import names of the third-party libraries that the work needs, or a function that tells them from
        the parameters.
    :param needs: options without which the call is refused, where the module has them; see :data:`NEEDED`.
    :param relations: ``required_if`` and its siblings, as for ``AnsibleModule``.
    """
    module = AnsibleModule(argument_spec=argument_spec, supports_check_mode=True, **relations)
    missing = [name for name in needs if name in argument_spec and module.params[name] is None]
    if missing:
        module.fail_json(msg=f"missing required arguments: {', '.join(missing)}")
    for library in requires(module.params) if callable(requires) else requires:
        try:
            importlib.import_module(library)
        except ImportError:
            module.fail_json(msg=missing_required_lib(PACKAGES.get(library, library)), exception=traceback.format_exc())
    try:
        refuse_secrets(module)
        warn_of_unverified(module)
        result = work(module.params, module.check_mode)
    except KafkaDrError as error:
        module.fail_json(msg=str(error), exception=traceback.format_exc(), **error.to_result())
    result.setdefault("changed", False)
    module.exit_json(**result)


def clients_of(params: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Options that describe a Kafka client, without the secrets beside them."""
    return {
        option: value
        for option, value in params.items()
        if isinstance(value, dict) and (option == "client" or option.endswith("_client"))
    }


def warn_of_unverified(module: AnsibleModule) -> None:
    """Say which connections are not verified. A stage refuses them, or prints and records the inventory's reason; a
    module by itself knows no inventory.
    """
    clients = clients_of(module.params).items()
    for text in warnings({**client, **(module.params.get(option + "_secrets") or {})} for option, client in clients):
        module.warn(text)


def refuse_secrets(module: AnsibleModule) -> None:
    """Refuse a client with secrets in it: Ansible prints that option. The refusal itself, and the arguments beside it,
    no longer show them.

    :raises UsageError: an option has some.
    """
    found = []
    for option, value in clients_of(module.params).items():
        for key, secret in secrets_in(value).items():
            module.no_log_values.add(str(secret))
            found.append(f"{key} in {option}")
    if found:
        places = sorted({place.rpartition(" in ")[2] + "_secrets" for place in found})
        raise UsageError(
            "An option that Ansible prints holds a secret",
            expected=f"secrets in {', '.join(places)} only",
            found=", ".join(found),
            remedy=(
                "Move it there (kafka_dr_client_secrets of the region), in a vault, and change it: it may stand "
                "in logs already"
            ),
        )
