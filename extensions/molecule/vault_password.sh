#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The password of the lab's vault; before the lab is up there is no vault, and no password is wrong.
cat "$KAFKA_DR_MOLECULE_LAB/.vault_password" 2>/dev/null || echo none
