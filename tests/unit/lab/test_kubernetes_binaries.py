# SPDX-License-Identifier: GPL-3.0-or-later
"""The module file that Kubernetes' control plane is built from."""

from __future__ import annotations

from kafka_dr_lab.kubernetes.binaries import module_file

ORIGINAL = """module k8s.io/kubernetes

go 1.24.0

require (
\tgo.etcd.io/etcd/api/v3 v3.6.4
\tk8s.io/api v0.0.0
)

require (
\tgithub.com/x/y v1.2.3 // indirect
)

replace (
\tk8s.io/api => ./staging/src/k8s.io/api
)
"""


def test_staging_modules_become_released_ones_of_the_same_version():
    lines = module_file(ORIGINAL, "v1.34.4").splitlines()
    assert "\tk8s.io/kubernetes v1.34.4" in lines
    assert "\tgo.etcd.io/etcd/api/v3 v3.6.4" in lines and "\tgithub.com/x/y v1.2.3" in lines
    assert "\tk8s.io/api => k8s.io/api v0.34.4" in lines
    assert "\tk8s.io/api v0.0.0" not in lines
    assert "go 1.24.0" in lines
