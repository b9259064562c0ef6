# SPDX-License-Identifier: GPL-3.0-or-later
"""Manifests: what a cluster held, as digests. The form is described in docs/proof.md; the job, the modules and the
translation read it here.
"""
