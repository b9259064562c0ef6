# SPDX-License-Identifier: GPL-3.0-or-later
"""Whatever the caller has set for Ansible, the lab's own programs do not go by it."""

from __future__ import annotations

import pytest

from kafka_dr_lab.ansible_programs import SETTINGS, environment
from kafka_dr_lab.errors import LabError
from kafka_dr_lab.inventory import Inventory
from kafka_dr_lab.playbook import Playbooks, collections_path


@pytest.fixture
def made(tmp_path, monkeypatch):
    """An inventory whose caller has Ansible settings of their own, a vault's password among them."""
    (tmp_path / "own").write_text("another password\n")
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / ".ansible.cfg").write_text(f"[defaults]\nvault_password_file = {tmp_path}/own\n")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("ANSIBLE_VAULT_PASSWORD_FILE", str(tmp_path / "own"))
    monkeypatch.setenv("ANSIBLE_COLLECTIONS_PATH", "/opt/collections")
    # A part of Ansible alone, as ansible-test gives it to the units of module_utils.
    (tmp_path / "part" / "ansible").mkdir(parents=True)
    (tmp_path / "part" / "ansible" / "__init__.py").touch()
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "part"))
    one = Inventory(tmp_path / "lab")
    one.secrets_file.parent.mkdir(parents=True)
    return one


@pytest.mark.slow
def test_secrets_are_written_and_read_with_the_lab_s_password(made):
    made._write_vault({"lab_passwords": {"mirror": "m"}})
    assert made.secrets_file.read_text().startswith("$ANSIBLE_VAULT;")
    assert made.load_secrets() == {"lab_passwords": {"mirror": "m"}}
    made.vault_password.write_text("forgotten\n")
    with pytest.raises(
        LabError,
        match=r"(?s)secrets\.yml: expected ansible-vault view to succeed, found .*Decryption failed.*make lab-down",
    ):
        Inventory(made.lab).load_secrets()


def test_only_where_collections_are_is_the_caller_s(made):
    env = environment()
    assert {key for key in env if key.startswith("ANSIBLE_")} == {"ANSIBLE_CONFIG", "ANSIBLE_COLLECTIONS_PATH"}
    assert env["ANSIBLE_CONFIG"] == str(SETTINGS) and SETTINGS.exists()
    env = Playbooks(made.lab, made).environment()
    assert (
        "ANSIBLE_VAULT_PASSWORD_FILE" not in env
        and env["ANSIBLE_COLLECTIONS_PATH"] == f"{collections_path()}:/opt/collections"
    )
