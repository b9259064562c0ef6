#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Makes the virtual environment, then runs the lab: sh lab/bootstrap.sh [--requirements FILE] [drill ...]
# This is what "make drill" calls, and what to call where make is missing.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"
requirements=requirements-lab.lock
if [ "${1:-}" = "--requirements" ]; then requirements=$2; shift 2; fi

fail() { printf 'ERROR: %s\n' "$1" >&2; exit 2; }

# Each file is taken only with a recorded hash. What packages are built with comes first: pip would fetch it for each build, unchecked.
# Python compiles what is imported; compiling all 25,000 files takes longer than a minute.
install() {
  .venv/bin/python -m pip install --quiet --no-compile --disable-pip-version-check --require-hashes -r requirements-build.lock &&
    .venv/bin/python -m pip install --quiet --no-compile --disable-pip-version-check --require-hashes --no-build-isolation -r "$requirements"
}

# A Python that the collection runs on: PYTHON if given, else the first found.
python=
for candidate in ${PYTHON:-} python3 python3.13 python3.12 python3.11; do
  if command -v "$candidate" >/dev/null 2>&1 && "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
    python=$candidate
    break
  fi
done
if [ -z "$python" ]; then
  found=$(python3 --version 2>/dev/null || echo "no python3")
  fail "Python 3.11 or newer is needed; found $found. Install it (Debian: apt-get install python3 python3-venv), or run: PYTHON=/path/to/python3.11 make drill"
fi

stamp=.venv/.installed-$(cat requirements*.lock | cksum | cut -d' ' -f1)-$(basename "$requirements" .lock)
if [ ! -e "$stamp" ]; then
  if [ ! -x .venv/bin/python ] || ! .venv/bin/python -m pip --version >/dev/null 2>&1; then
    echo "Making .venv with $($python --version)"
    rm -rf .venv
    if ! "$python" -m venv .venv >/tmp/kafka-dr-venv.$$ 2>&1; then
      tail -n 3 /tmp/kafka-dr-venv.$$ >&2
      rm -rf .venv /tmp/kafka-dr-venv.$$
      fail "$python cannot make a virtual environment. On Debian or Ubuntu run: apt-get install python3-venv"
    fi
    rm -f /tmp/kafka-dr-venv.$$
  fi
  echo "Installing what $requirements names into .venv (a few minutes the first time)"
  log=.venv/install.log
  for attempt in 1 2 3; do
    install >"$log" 2>&1 &
    pid=$!
    trap 'kill $pid 2>/dev/null; exit 130' INT TERM
    waited=0
    while kill -0 $pid 2>/dev/null; do
      sleep 1
      waited=$((waited + 1))
      [ $((waited % 20)) -ne 0 ] || echo "  still installing, $waited s"
    done
    trap - INT TERM
    if wait $pid; then touch "$stamp"; break; fi
    tail -n 3 "$log" >&2
    [ "$attempt" -lt 3 ] || fail "pip could not install $requirements after 3 attempts; its output is in $log. Check the connection and run the same command again."
    echo "  trying again"
  done
fi
[ $# -gt 0 ] || exit 0
exec .venv/bin/python lab/main.py "$@"
