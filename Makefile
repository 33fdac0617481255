# Set-up and daily work. `make` alone lists the targets. Works with GNU make 3.81 (macOS) and newer.
VENV := .venv
BIN := $(VENV)/bin
LAB_ARGS ?=
LOCK_ARGS ?=
BOOK_ARGS ?=
HUB_ARGS ?=
# Four processes for two cores: some of them often wait, for a browser, a kernel or a limit of the sandbox. Tests that
# share something dear stay in one (tests/groups.py).
PYTEST_ARGS ?= -n 4 --dist loadgroup --no-loadscope-reorder
JS_TESTS := $(wildcard tests/*.test.mjs tests/*/*.test.mjs)

# The first of these that is new enough. `make install PYTHON=/path/to/python3` overrules it.
PYTHON ?= $(shell for p in python3 python3.11 python3.12 python3.13 python3.14; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help install lab quick test test-all bench notebooks book hub lock format lint style js

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' Makefile

install: $(VENV)/.installed ## create .venv with everything a learner needs

# By itself JupyterLab would take the notebook's folder as its root; Binder takes this one.
lab: install ## install, then open JupyterLab on the first notebook
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python -m jupyterlab --ServerApp.root_dir=. \
		course/00_start_here.ipynb $(LAB_ARGS)

quick: $(VENV)/.dev lint js ## what the change touches, by lesson, without browsers (5 to 8 minutes)
	$(BIN)/python -m pytest $(PYTEST_ARGS) --tier quick

test: $(VENV)/.dev lint js ## install, check style and types, run the tests: what CI runs
	$(BIN)/python -m pytest $(PYTEST_ARGS)

test-all: $(VENV)/.dev lint js ## the same with every repetition, before a release
	$(BIN)/python -m pytest $(PYTEST_ARGS) --tier all

bench: $(VENV)/.dev ## print how long a check takes, and grading
	$(BIN)/python -m tests.bench
	$(BIN)/python -m tests.bench_grading

notebooks: $(VENV)/.dev ## build the notebooks from course/lessons and solutions
	$(BIN)/autograder build

book: $(VENV)/.dev ## make a web site of all lessons, in .book/site (runs each notebook once)
	$(BIN)/autograder dev book $(BOOK_ARGS)

hub: $(VENV)/.dev ## go through a week on a JupyterHub (adds three users, and removes them)
	$(BIN)/python -m tests.hub $(HUB_ARGS)

lock: $(VENV)/.dev ## renew the lock files from the pins (LOCK_ARGS=--upgrade: with newer versions)
	$(BIN)/python -m tests.lock $(LOCK_ARGS)

format: $(VENV)/.dev ## put the code into its standard form
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

lint: $(VENV)/.dev style ## check style and types
	$(BIN)/mypy

style: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

js:
	@if test -z "$(JS_TESTS)"; then echo "no JavaScript tests"; \
	elif command -v node >/dev/null; then node --test $(JS_TESTS); \
	else echo "node is missing, so the JavaScript of the widgets is not tested"; test -z "$$CI"; fi

# The two stamps make a second run instant; a change of the pins or of the lock installs again.
$(VENV)/.installed: pyproject.toml requirements.lock
	@test -n "$(PYTHON)" || { echo "No Python 3.11 or newer was found. Install one, or say where it" \
		"is: make install PYTHON=/path/to/python3" >&2; exit 1; }
	@$(BIN)/python -m pip --version >/dev/null 2>&1 || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -I autograder/install.py
	@touch $@

$(VENV)/.dev: $(VENV)/.installed requirements-cluster.lock requirements-dev.lock
	$(BIN)/python -I autograder/install.py --dev >/dev/null
	@touch $@
