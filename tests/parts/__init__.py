# SPDX-License-Identifier: GPL-3.0-or-later
"""The parts of ``make test`` and ``make test-full``, run side by side."""
