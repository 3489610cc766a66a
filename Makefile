# Two commands: `make run` opens the app, `make test` runs every check. Both set themselves up.

PYTHON ?= $(shell for p in python3.13 python3.12 python3.11 python3 python; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo $$p; break; }; done)
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check

.PHONY: run test format bench clean

run: $(VENV)/installed
	@$(BIN)/python -m streamlit run serve.py

test: $(VENV)/installed-dev
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy app.py serve.py app_pages engine labs tests
	@$(BIN)/python -m tests.browser.chromium --find || true
	@$(BIN)/python -m pytest

format: $(VENV)/installed-dev
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

bench: $(VENV)/installed-dev
	@$(BIN)/python -m tests.bench

clean:
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache test-artifacts

$(VENV)/bin/python:
	@test -n "$(PYTHON)" || { echo "Benchcards needs Python 3.11 or newer. Install it, or name it: make run PYTHON=/path/to/python3.12"; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { echo "$(PYTHON) has no venv module. On Debian and Ubuntu: apt install python3-venv"; exit 1; }
	@$(PYTHON) -m venv $(VENV)

$(VENV)/installed: requirements.txt | $(VENV)/bin/python
	@echo "Installing the packages of requirements.txt (the first time this takes a few minutes) ..."
	@$(PIP) -r requirements.txt || { echo "Installing failed: see the lines above. Benchcards needs the package index once; then it runs offline."; exit 1; }
	@touch $@

$(VENV)/installed-dev: requirements-dev.txt requirements.txt requirements-anki.txt | $(VENV)/bin/python
	@echo "Installing the packages of requirements-dev.txt (the first time this takes a few minutes) ..."
	@$(PIP) -r requirements-dev.txt || { echo "Installing failed: see the lines above."; exit 1; }
	@touch $(VENV)/installed $@
