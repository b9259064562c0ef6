# SPDX-License-Identifier: GPL-3.0-or-later
"""A region full of names and texts that others chose is kept, lost, and made again from its backup: all of them are
data, and come back as they were.
"""

from __future__ import annotations

import re

import pytest
from confluent_kafka.admin import AdminClient

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.client import KafkaClient
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.groups import every_group
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.quotas import describe_quotas
from tests.real.lab.hostile_region import (
    COPIED,
    EACH,
    GROUP,
    VERBOSE,
    await_copies,
    copied,
    fill,
    grant,
    untouched,
    write,
)
from tests.real.lab.playing import SOURCE, TARGET

pytestmark = [pytest.mark.real, pytest.mark.full]


@pytest.fixture(scope="module")
def mark(story):
    """Where the mark would be, of a region that is filled and kept."""
    file = story.lab.directory.parent / "mark"
    fill(story, str(file))
    grant(story, str(file))
    await_copies(story, TARGET)
    return file


def came_through(story, mark, name, *words, **more):
    done = story.run(name, *VERBOSE, *words, **more)
    untouched(story, mark, done.stdout)
    assert done.returncode == 0, done.stdout[-6000:]
    return " ".join(done.stdout.split())


def quotas(story):
    return sorted(describe_quotas(KafkaClient(story.admin(SOURCE))), key=str)


def test_what_is_there_is_named_where_it_drifts_and_kept(story, mark):
    done = story.run("backup_status", *VERBOSE)
    untouched(story, mark, done.stdout)
    assert "Traceback" not in done.stdout and "is not kept" in done.stdout, done.stdout[-3000:]
    came_through(story, mark, "initial_setup")


def test_a_manifest_and_a_proof(story, mark):
    came_through(story, mark, "verify_restore", proof_topics=r"flights\.(?!mm2-).*")


def test_lost_it_comes_back_as_it_was(story, mark):
    before = quotas(story)
    # A pattern's dot matches no line break, here as in MirrorMaker 2.
    groups = {one for one in every_group(KafkaClient(story.admin(SOURCE))) if re.fullmatch(GROUP + ".*", one)}
    assert len(groups) > 10
    story.lab.lose(SOURCE)
    came_through(story, mark, "recreate_from_backup", "--check", recreate_from_backup_accept_missing_topics=True)
    told = came_through(story, mark, "recreate_from_backup", recreate_from_backup_accept_missing_topics=True)
    assert "PROVEN" in told
    there = set(AdminClient(story.admin(SOURCE)).list_topics(timeout=60).topics)
    assert set(COPIED) <= there
    assert [copied(story, SOURCE, one) for one in COPIED] == [EACH] * len(COPIED)
    assert groups - set(every_group(KafkaClient(story.admin(SOURCE)))) == set()
    assert quotas(story) == before


def test_its_applications_go_on_and_its_backup_too(story, mark):
    came_through(story, mark, "new_backup")
    came_through(story, mark, "resume")
    came_through(story, mark, "initial_setup")
    write(story.admin(TARGET), ["__kafka_dr_positions"], str(mark))
    done = story.run("backup_status", *VERBOSE)
    untouched(story, mark, done.stdout)
    assert done.returncode == 2 and "A witness key is not JSON" in done.stdout, done.stdout[-3000:]
