# Needs python3 (3.11 or newer, with venv) and make; everything else is made here, inside the checkout.
PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11; do \
	command -v $$p >/dev/null && $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' && echo $$p && break; done)
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check install --quiet --require-hashes --no-deps
MODEL := multilingual-e5-small
export ORT_DISABLE_TELEMETRY := 1

.PHONY: setup setup-test model run test check bench eval lock clean

setup: $(VENV)/.run model

$(VENV)/.python:
	@test -n "$(PYTHON)" || { echo "python3 3.11 or newer is needed; name one with: make PYTHON=/path/to/python3 setup"; exit 1; }
	@echo "making $(VENV) with $$($(PYTHON) --version)"
	@$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.run: $(VENV)/.python requirements/run.txt pyproject.toml
	@echo "installing what the program runs on (requirements/run.txt, pinned by hash)"
	@$(PIP) -r requirements/run.txt
	@$(BIN)/python -m pip --disable-pip-version-check install --quiet --no-deps --no-build-isolation --editable .
	@$(BIN)/python -m compileall -q shared functions
	@touch $@

setup-test: setup $(VENV)/.test

$(VENV)/.test: $(VENV)/.run requirements/test.txt
	@echo "installing what the tests need (requirements/test.txt, pinned by hash)"
	@$(PIP) -r requirements/test.txt
	@touch $@

model: $(VENV)/.run
	@$(BIN)/python layers/embed_model/build.py --model $(MODEL)

run: setup
	@$(BIN)/paramecium demo --serve

test: setup-test
	@$(BIN)/python -m pytest

check: setup-test
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports

bench: setup-test
	@$(BIN)/python -m evals.bench

eval: setup
	@$(BIN)/python -m evals sample
	@$(BIN)/python -m evals menu

lock: # needs uv on the path; the files name no index
	@for f in run test; do uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header \
		--no-emit-package huggingface-hub --no-emit-package hf-xet --no-emit-package httpx2 --no-emit-package httpcore2 \
		--no-emit-package httpx2-jsfetch --no-emit-package truststore --no-emit-package fsspec \
		requirements/$$f.in -o requirements/$$f.txt; done

clean:
	@rm -rf $(VENV) layers/embed_model/model layers/embed_model/.cache
