# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Ask machines whether they answer, over the connections and with the privileges that tasks delegated to them use.

In the controller's process, where connections are.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ansible import constants
from ansible.errors import AnsibleActionFail, AnsibleConnectionFailure
from ansible.module_utils.parsing.convert_bool import boolean
from ansible.plugins.action import ActionBase
from ansible.plugins.loader import become_loader
from ansible.utils.display import Display

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import TimedOutError, UnreachableError
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._host.ask_all import ask_all

WORD = "kafka-dr-answers"
SPEC = {
    "machines": {"type": "list", "elements": "str", "default": []},
    "clusters": {"type": "dict", "default": {}},
    "timeout": {"type": "int", "default": 15},
}


class ActionModule(ActionBase):
    """Ansible's entry."""

    TRANSFERS_FILES = False
    _requires_connection = False

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        """The module's result: ``silent{machine: why}``, ``silent_clusters{name: why}``."""
        result = super().run(tmp, task_vars)
        dummy, asked = self.validate_argument_spec(argument_spec=SPEC)
        hosts = (task_vars or {})["hostvars"]
        unknown = [name for name in asked["machines"] if name not in hosts]
        if unknown:
            raise AnsibleActionFail(
                f"Machine {', '.join(unknown)} is unknown: expected hosts of the inventory. Correct the name, or "
                "add it."
            )
        questions = {
            f"machine {name}": self._machine(name, hosts[name])
            for name in asked["machines"]
            if self._way_to(hosts[name]) != "local"
        }
        questions.update(
            {
                f"cluster {name}": _cluster(name, cluster, asked["timeout"])
                for name, cluster in asked["clusters"].items()
            }
        )
        silent = ask_all(questions, asked["timeout"])
        result.update(changed=False, silent=_of_kind("machine ", silent), silent_clusters=_of_kind("cluster ", silent))
        return result

    def _way_to(self, variables: dict[str, Any]) -> str:
        """Name of the connection that a task delegated to the host takes."""
        name = variables.get("ansible_connection") or self._task.connection or constants.DEFAULT_TRANSPORT
        return name.rsplit(".", 1)[-1] if name.startswith("ansible.builtin.") else name

    def _machine(self, name: str, variables: dict[str, Any]) -> Callable[[], None]:
        """The question whether this host runs a command, as the user that tasks become there."""
        # Here, so that a mistake in the host's variables is no silence of the machine.
        connection = self._connection_to(name, variables)

        def ask() -> None:
            _be_quiet()
            if connection is None:
                raise AnsibleConnectionFailure(f"the connection plugin {self._way_to(variables)} was not found")
            command = f"echo {WORD}"
            if _becomes(connection, self._play_context):
                command = connection.become.build_become_command(command, connection._shell)
            code, printed, complaint = connection.exec_command(command, sudoable=connection.become is not None)
            if WORD.encode() not in printed:
                # On a terminal, which sudo may be given, complaints are printed too.
                found = (complaint.strip() or printed.strip()).decode(errors="replace").splitlines()
                raise AnsibleConnectionFailure(
                    f"it runs no command (exit code {code}{': ' + found[-1] if found else ''})"
                )

        return ask

    def _connection_to(self, name: str, variables: dict[str, Any]) -> Any:
        """The connection that a delegated task has, with what it takes from the play and from the command line; none
        where its plugin is not there.
        """
        context = self._play_context.copy()
        context.connection = self._way_to(variables)
        context.remote_addr = variables.get("ansible_host") or name
        # A task is hidden for the sake of the clusters' credentials; why a machine does not answer is no secret.
        context.no_log = False
        connection = self._shared_loader_obj.connection_loader.get(context.connection, context, None)
        if connection is None:
            return None
        keywords = {**self._task.dump_attrs(), "timeout": context.timeout}
        # The task's retries are none of the connection's.
        del keywords["retries"]
        if context.password:
            keywords["password"] = context.password
        values = _values_of("connection", connection._load_name, variables)
        connection.set_options(task_keys=keywords, var_options={"inventory_hostname": name, **values})
        wanted = variables.get("ansible_become")
        if boolean(self._task.become if wanted is None else wanted, strict=False):
            if context.become_pass:
                keywords["become_pass"] = context.become_pass
            connection.set_become_plugin(self._become_plugin(variables, keywords))
        return connection

    def _become_plugin(self, variables: dict[str, Any], keywords: dict[str, Any]) -> Any:
        method = variables.get("ansible_become_method") or self._task.become_method
        become = become_loader.get(method)
        if become is None:
            raise AnsibleActionFail(f"The become plugin {method} was not found. Correct ansible_become_method.")
        become.set_options(task_keys=keywords, var_options=_values_of("become", become._load_name, variables))
        return become


def _values_of(kind: str, plugin: str, variables: dict[str, Any]) -> dict[str, Any]:
    """What the host's variables say to a plugin."""
    return {key: variables[key] for key in constants.config.get_plugin_vars(kind, plugin) if key in variables}


def _becomes(connection: Any, context: Any) -> bool:
    """Whether a task becomes another user there, as ``ActionBase._low_level_execute_command`` decides it."""
    if connection.become is None:
        return False
    try:
        user = connection.get_option("remote_user")
    except KeyError:
        user = getattr(connection, "default_user", None) or context.remote_user
    wanted = connection.become.get_option("become_user")
    return constants.BECOME_ALLOW_SAME_USER or wanted != user or not (wanted or user)


def _of_kind(kind: str, silent: dict[str, str]) -> dict[str, str]:
    return {question.removeprefix(kind): why for question, why in silent.items() if question.startswith(kind)}


def _cluster(name: str, connection: dict[str, Any], timeout: int) -> Callable[[], None]:
    """The question whether an API server answers. A refusal is an answer; what else is wrong with the connection is
    told by the task that needs it.
    """
    # It takes a second to load, and the inventory of a host platform names no cluster.
    from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._k8s.client import KubernetesClient

    def ask() -> None:
        try:
            KubernetesClient(connection, timeout=timeout, name=name).request(
                "GET", "/version", what="ask for the version"
            )
        except (UnreachableError, TimedOutError):
            raise
        except Exception as error:
            Display().debug(f"{name} answered with: {error}")

    return ask


def _be_quiet() -> None:
    """Nothing of a question is shown: what Ansible's processes say goes through a queue, which is broken where one of
    them is killed while it speaks.
    """
    display = Display()
    display._final_q = None
    display.display = lambda *words, **named: None
