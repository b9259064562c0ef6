# SPDX-License-Identifier: GPL-3.0-or-later
"""Examination of a running mirror: what is read (``observe``) and what it means (``checks_*``, ``log_*``)."""
