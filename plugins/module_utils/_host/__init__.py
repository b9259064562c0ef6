# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs and processes on the host where a module runs."""
