# SPDX-License-Identifier: GPL-3.0-or-later
# What people run. "make drill" needs Python 3.11+ and Java 17+, nothing else.
SCENARIO ?= failover
PLATFORM ?= host
LAB_DIR ?= build/lab
DRILL ?=
PARTS ?=

BIN := .venv/bin
BOOTSTRAP := sh lab/bootstrap.sh
PYTEST := $(BIN)/python -m pytest -q --durations=5
export LAB_DIR
# A run starts thousands of Python processes: none compiles a library anew, also where the machine forbids to keep byte
# code, and the tree stays clean.
unexport PYTHONDONTWRITEBYTECODE
export PYTHONPYCACHEPREFIX := $(CURDIR)/build/pycache

.PHONY: help drill lab-up lab-down lab-status test test-unit test-full test-kubernetes lint check reference locks release bench-proof bench-offsets bench-restore bench-failback bench-watch bench-rto bench-scale environment

help: ## what there is
	@grep -hE '^[a-z-]+:.*##' Makefile | sed 's/:.*##/\t/' | expand -t 18

drill: ## lose a region and fail over, measured (SCENARIO=failover|switchover|restore|roundtrip|failback, PLATFORM=host|kubernetes, DRILL="--freeze 8")
	@$(BOOTSTRAP) drill --scenario $(SCENARIO) --platform $(PLATFORM) $(DRILL)

lab-up: ## start the lab's regions to play with
	@$(BOOTSTRAP) up
lab-down: ## end the lab and delete its data
	@$(BOOTSTRAP) down
lab-status: ## what runs in the lab
	@$(BOOTSTRAP) status

environment:
	@$(BOOTSTRAP) --requirements requirements-test.lock

test-unit: environment ## a minute or two: what needs nothing running
	$(PYTEST) tests/unit -n 2 -m "not slow"

lint: environment ## ruff, yamllint, mypy, antsibull-changelog, ansible-lint
	$(BIN)/python tests/judges/lint.py

# Parts run side by side, each with clusters of its own; where the time went is printed at the end.
# PARTS="ledger drill_restore" runs some of them.
test: environment ## the one test command: units, lint, real parts, drills (PARTS="..." for some of them)
	$(BIN)/python tests/parts/run.py test $(PARTS)

test-full: environment molecule ## long campaigns as well, and drills that lose something or are spoiled on purpose
	$(BIN)/python tests/parts/run.py full $(PARTS)

.PHONY: molecule
# One story: what comes later needs what came before.
SCENARIOS := initial_setup recreate_from_backup resume new_backup planned_failover failback
molecule: environment ## the stages' converge, idempotence and check mode, over the lab
	export PATH="$(CURDIR)/$(BIN):$$PATH"; molecule destroy -s default && molecule test $(addprefix -s ,$(SCENARIOS))

test-kubernetes: environment ## a real API server, real definitions, a stand-in operator
	$(PYTEST) tests/kubernetes -m kubernetes

check: environment ## the field's judges, one after the other (JUDGES="sanity docs" for some of them)
	$(BIN)/python tests/judges/check.py $(JUDGES)

reference: environment ## write the pages of the documentation that are made from the code
	$(BIN)/python tests/judges/reference.py --write

locks: environment ## resolve requirements anew and write the lock files, with hashes
	$(BIN)/python tests/judges/locks.py --write
release: environment ## the collection's tarball and its SBOM (CycloneDX), into build/release
	$(BIN)/python tests/judges/release.py

bench-proof: environment ## how fast the proof is, into build/bench/proof.json
	$(BIN)/python tests/bench/proof.py
bench-offsets: environment ## how exact translation is, into build/bench/offsets.json
	$(BIN)/python tests/bench/offsets.py
bench-restore: environment ## how fast a restore is, and reusing its backup, into build/bench/restore.json
	$(BIN)/python tests/bench/restore.py
bench-failback: environment ## how long the way back takes with four times the records, into build/bench/failback.json
	$(BIN)/python tests/bench/failback.py
bench-watch: environment ## what the standing proof costs, and how far it is behind, into build/bench/watch.json
	$(BIN)/python tests/bench/watch.py
bench-rto: environment ## a failover beside a bare script of one, into build/bench/rto.json
	$(BIN)/python tests/bench/rto.py
bench-scale: environment ## stages with 100 topics and with 1,000, into build/bench/scale.json
	$(BIN)/python tests/bench/scale.py
