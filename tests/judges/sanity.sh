#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# ansible-test sanity from a plain checkout, without a container engine: sh tests/judges/sanity.sh [--test NAME …]
here=$(cd "$(dirname "$0")" && pwd)
exec "${PYTHON:-$here/../../.venv/bin/python}" "$here/sanity.py" "$@"
