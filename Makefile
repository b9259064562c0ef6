# SPDX-License-Identifier: GPL-3.0-or-later
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
LAB := $(BIN)/python lab/main.py

drill: $(VENV)/.lab
	$(LAB) drill

lab-up: $(VENV)/.lab
	$(LAB) up
lab-down: $(VENV)/.lab
	$(LAB) down
lab-status: $(VENV)/.lab
	$(LAB) status
$(VENV)/.lab:
	touch $@
