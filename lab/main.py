#!/usr/bin/env python
# SPDX-License-Identifier: GPL-3.0-or-later
"""Entry of the lab: ``main.py up | down | status | drill``."""

from __future__ import annotations

import sys

from kafka_dr_lab.cli import main

if __name__ == "__main__":
    sys.exit(main())
