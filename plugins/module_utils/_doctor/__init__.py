# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to this collection: may change at any time, do not use from elsewhere.
"""Examination of a running mirror: what is read (``observe``), what it means (``checks_*``), what is told (``examine``)."""
