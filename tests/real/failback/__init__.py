# SPDX-License-Identifier: GPL-3.0-or-later
"""A region that comes back after an unplanned failover."""
