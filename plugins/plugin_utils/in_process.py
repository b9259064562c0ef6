# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Run a module of this collection in a fork of Ansible's own process, where it would run on the controller anyway.

A module is otherwise packed, piped to a new Python, unpacked and imported, each time. Here its ``main`` runs in a fork
that has all of that in memory. Ansible makes the arguments, and reads what the module prints, as it does for any
module. The module runs as for everybody else where it has another connection, user, environment or interpreter, where
it runs in the background, and with a version of ansible-core that is built otherwise.
"""

from __future__ import annotations

import importlib
import json
import os
import pkgutil
import signal
import sys
import tempfile
import traceback
from collections.abc import Callable
from typing import IO, Any, NoReturn

from ansible import constants
from ansible.plugins.action.normal import ActionModule as NormalAction

from ansible_collections.streamsafe.kafka_dr.plugins import filter as filters

try:
    # ansible-core 2.19 and later.
    from ansible.executor.module_common import _BuiltModule
    from ansible.module_utils import _internal
    from ansible.module_utils.common.json import Direction, get_module_encoder
except ImportError:
    _BuiltModule = None

MODULES = "ansible_collections.streamsafe.kafka_dr.plugins.modules"
PREFIX = "streamsafe.kafka_dr."
PROFILE = "legacy"
# With the value "process" every module gets a process of its own.
SWITCH = "KAFKA_DR_MODULES"

# To find one filter, Ansible loads every file of them, in each fork anew where it was not loaded before.
for found in pkgutil.iter_modules(filters.__path__):
    importlib.import_module(f"{filters.__name__}.{found.name}")


class ActionModule(NormalAction):
    """The action of each module that talks to clusters."""

    stays = False

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        """The module's result."""
        self.stays = self._may_stay(task_vars or {})
        return super().run(tmp, task_vars)

    def _may_stay(self, task_vars: dict[str, Any]) -> bool:
        """Whether the module would run on this machine, as this user, in this environment, with this Python."""
        task, connection = self._task, self._connection
        if _BuiltModule is None or os.environ.get(SWITCH) == "process" or not hasattr(os, "fork"):
            return False
        if task.async_val or task.delegate_to or connection.become or self._play_context.become:
            return False
        if connection.transport not in ("local", "ansible.builtin.local"):
            return False
        environment: dict[str, Any] = {}
        self._compute_environment_string(environment)
        return not environment and is_this_python(self._interpreter(task_vars))

    def _interpreter(self, task_vars: dict[str, Any]) -> str:
        """The Python that the module would get, where no discovery is needed."""
        if getattr(self._connection, "_remote_is_local", False):
            return str(task_vars.get("ansible_playbook_python", ""))
        configured = constants.config.get_config_value("INTERPRETER_PYTHON", variables=task_vars)
        return str(self._templar.template(configured) or "").strip()

    def _is_pipelining_enabled(self, module_style: str, wrap_async: bool = False) -> bool:
        return self.stays or super()._is_pipelining_enabled(module_style, wrap_async)

    def _configure_module(self, module_name: str, module_args: dict[str, Any], task_vars: dict[str, Any]) -> Any:
        """Arguments only, where the module is in memory."""
        if not self.stays:
            return super()._configure_module(module_name, module_args, task_vars)
        encoder = get_module_encoder(PROFILE, Direction.CONTROLLER_TO_MODULE)
        data = json.dumps({"ANSIBLE_MODULE_ARGS": module_args}, cls=encoder).encode()
        built = _BuiltModule(
            b_module_data=data, module_style="new", shebang=f"#!{sys.executable}", serialization_profile=PROFILE
        )
        return built, f"{MODULES}.{module_name.removeprefix(PREFIX)}"

    def _low_level_execute_command(self, cmd: str, *words: Any, in_data: Any = None, **named: Any) -> dict[str, Any]:
        """What the module prints; nothing else is executed where it stays."""
        if not self.stays or in_data is None:
            return super()._low_level_execute_command(cmd, *words, in_data=in_data, **named)
        module = f"{MODULES}.{self._task.action.removeprefix(PREFIX)}"
        # Where a local connection works too.
        return run_in_fork(module, in_data, self._loader.get_basedir())


def is_this_python(interpreter: str) -> bool:
    """Whether a path leads to the Python of this process, in the same environment: its directory tells that."""
    if not os.path.isabs(interpreter) or not os.path.exists(interpreter):
        return False
    here, there = (os.path.realpath(os.path.dirname(path)) for path in (sys.executable, interpreter))
    return here == there and os.path.samefile(interpreter, sys.executable)


def run_in_fork(module: str, arguments: bytes, directory: str) -> dict[str, Any]:
    """``{rc, stdout, stderr, …}`` of a module's ``main``, as of a command. A fork that dies of a signal is a failure
    of this module alone.

    :param module: its importable name. :param arguments: JSON, as Ansible hands it to modules.
    :param directory: where it works.
    """
    with _memory() as printed, _memory() as complaint:
        child = os.fork()
        if child == 0:
            _become_module(lambda: _main(module, arguments, directory), printed, complaint)
        try:
            status = os.waitpid(child, 0)[1]
        except BaseException:
            # The task's time is over, or the play is ended.
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            raise
        code = os.waitstatus_to_exitcode(status)
        out, err = (_read(file) for file in (printed, complaint))
    if code < 0:
        name = signal.Signals(-code).name
        out = json.dumps({"failed": True, "msg": f"The module was ended by {name}, before it answered"})
    return {
        "rc": code,
        "stdout": out,
        "stdout_lines": out.splitlines(),
        "stderr": err,
        "stderr_lines": err.splitlines(),
    }


def _memory() -> IO[bytes]:
    """A file without a name, which holds any amount, so that nobody waits for a reader."""
    if hasattr(os, "memfd_create"):
        return os.fdopen(os.memfd_create("result"), "w+b")
    return tempfile.TemporaryFile()


def _read(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode(errors="replace")


def _become_module(main: Callable[[], int], printed: IO[bytes], complaint: IO[bytes]) -> NoReturn:
    """In the fork: be the module's process, as far as the module can tell."""
    code = 1
    try:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGALRM, signal.SIGCHLD):
            signal.signal(number, signal.SIG_DFL)
        signal.alarm(0)
        with open(os.devnull, "rb") as nothing:
            os.dup2(nothing.fileno(), 0)
        os.dup2(printed.fileno(), 1)
        os.dup2(complaint.fileno(), 2)
        sys.stdin, sys.stdout, sys.stderr = (os.fdopen(number, mode) for number, mode in ((0, "r"), (1, "w"), (2, "w")))
        code = main()
    except BaseException:
        traceback.print_exc()
    finally:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        # Nothing of Ansible's own is ended twice.
        os._exit(code)


def _main(module: str, arguments: bytes, directory: str) -> int:
    """Run it as Ansible's wrapper does; the exit code."""
    from ansible.module_utils import basic
    from ansible.module_utils.common import warnings

    os.chdir(directory)
    # What a module warns of belongs to its result, and not to the display of the process that it was forked from.
    _internal.is_controller = False
    for found in (warnings._global_warnings, warnings._global_deprecations):
        found.clear()
    basic._ANSIBLE_ARGS, basic._ANSIBLE_PROFILE = arguments, PROFILE
    try:
        importlib.import_module(module).main()
    except SystemExit as error:
        return error.code if isinstance(error.code, int) else int(error.code is not None)
    except Exception as error:
        from ansible.module_utils._internal._ansiballz import _loader

        try:
            _loader._handle_exception(error, PROFILE)
        except SystemExit:
            return 1
    raise RuntimeError("The module did not answer")
