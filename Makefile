# `make demo` and `make test` need Python 3.11 or newer and make, nothing else; both use .venv/ here.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

# A Python that starts, as a worker or a command does hundreds of times in the tests, reads what the one before has compiled.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo style test slow tests docs benchmarks clean
.DEFAULT_GOAL := demo

demo: $(STAMP)
	$(BIN)/uqmbd run studies/slider_crank_clearance/study.toml

style: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/lint-imports --no-logo
	$(BIN)/basedpyright --pythonpath $(BIN)/python
	$(BIN)/basedpyright --pythonpath $(BIN)/python --project tests/typing/basic.json

test: style
	$(BIN)/pytest -m "not slow"

slow: $(STAMP)
	$(BIN)/pytest -m slow

tests: $(STAMP)
	$(BIN)/pytest

docs: $(VENV)/.docs
	$(BIN)/sphinx-build --jobs auto --quiet --fail-on-warning --keep-going --nitpicky docs build/docs
	$(BIN)/python docs/check_site.py build/docs

benchmarks: $(STAMP)
	$(BIN)/pip install --quiet --editable ".[benchmarks]"
	for script in benchmarks/*.py; do echo "== $$script"; $(BIN)/python $$script || exit 1; done

clean:
	rm -rf $(VENV) build dist .pytest_cache .ruff_cache .hypothesis .import_linter_cache

$(STAMP): pyproject.toml
	@$(PYTHON) -c 'import sys; v = sys.version_info[:2]; sys.exit(0 if v >= (3, 11) else "uqmbd needs Python 3.11 or newer, and $(PYTHON) is %d.%d. Name another one: make PYTHON=python3.12 ..." % v)'
	@$(PYTHON) -m venv $(VENV) || { echo "$(PYTHON) cannot make a virtual environment; on Debian and Ubuntu: apt-get install python3-venv" >&2; exit 1; }
	$(BIN)/pip install --quiet --disable-pip-version-check --editable ".[test]"
	@touch $@

$(VENV)/.docs: $(STAMP)
	$(BIN)/pip install --quiet --disable-pip-version-check --editable ".[docs]"
	@touch $@
