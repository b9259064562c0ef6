# SPDX-License-Identifier: GPL-3.0-or-later
"""A real Kubernetes API without containers: etcd, kube-apiserver, kube-controller-manager, and Strimzi's definitions."""
