# SPDX-License-Identifier: GPL-3.0-or-later
"""The watch as a service: rounds until it is told to end, each after a failure from the state that was kept."""

from __future__ import annotations

import threading
from collections.abc import Callable

from .._digest.shapes import SideSpec
from .._errors import KafkaDrError, RefusedError, UsageError
from .figures import RoundFigures
from .rounds import Options, Watch

# Seconds to the next attempt after a failure, doubled up to the most.
FIRST_PAUSE, LONGEST_PAUSE = 1.0, 15.0


def serve(
    source: SideSpec,
    target: SideSpec,
    options: Options,
    interval: float,
    stop: threading.Event,
    each: Callable[[RoundFigures], None],
    failed: Callable[[KafkaDrError], None],
    once: bool = False,
) -> None:
    """Rounds back to back while something is unread, then every ``interval`` seconds, until ``stop`` is set.

    :param each: gets the figures of each round. :param failed: gets the error that a round ended with.
    :param once: end when everything there is was read and judged; then an error ends it too.
    :raises RefusedError: another watch took over, or the state is of other clusters. :raises UsageError: bad input.
    """
    watch, pause = None, FIRST_PAUSE
    while not stop.is_set():
        try:
            if watch is None:
                watch = Watch(source, target, options)
                options = _continued(options)
            each(watch.round())
            pause = FIRST_PAUSE
        except (RefusedError, UsageError):
            raise
        except KafkaDrError as error:
            if once:
                raise
            failed(error)
            # What is in memory may be ahead of what was kept.
            _close(watch)
            watch = None
            stop.wait(pause)
            pause = min(LONGEST_PAUSE, 2 * pause)
            continue
        if once and not watch.behind and not watch.settling:
            return
        stop.wait(0 if watch.behind else interval)


def _close(watch: Watch | None) -> None:
    if watch is not None:
        watch.close()


def _continued(options: Options) -> Options:
    """What was asked to be forgotten is forgotten once."""
    return Options(**{**vars(options), "begin_anew": False})
