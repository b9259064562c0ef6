# SPDX-License-Identifier: GPL-3.0-or-later
"""What a region that is back holds and the active one never got: chosen from an alignment, exported or written, and
proven.
"""
