# `make demo` and `make test-all` are all one needs; both install what they use and can be run again.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# More workers than two cores: a test waits for the engine most of its time.
PYTEST_WORKERS ?= 4
# How often a test that failed on real parts is tried again; those of tests/chaos never are.
PYTEST_RERUNS ?= 0

PURE := tests/pure
# A hundred thousand histories: too many to measure coverage on, which the other tests of the layer give.
HISTORIES := tests/pure/decide/test_histories.py
REAL := $(HISTORIES) tests/unit tests/contract tests/engine tests/chaos tests/repository
PYTEST := $(BIN)/pytest -q -n $(PYTEST_WORKERS) --dist worksteal --reruns $(PYTEST_RERUNS)

.DEFAULT_GOAL := help
.PHONY: help demo test test-all check unit real real-all faults nightly mutants bench bench-check bed parts audit format reference docs pictures lock clean

help: ## Show this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  \1\t/' | expand -t 14

demo: $(VENV)/.run ## Walk a stack through its life on the real engine: no cluster, no account, no server
	@$(BIN)/python -m lab.demo

test: check unit real ## Every check, and the tests that together stay under ten minutes once the parts are built
test-all: check unit real-all ## Every check and every test

check: docs ## Style, types, layers, generated files, and the documentation
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/lint-imports
	@$(BIN)/mypy
	@$(BIN)/python -m tools.reference --check
	@$(BIN)/python -m tools.schemas --check
	@$(BIN)/python -m tools.licences --check
	@$(BIN)/zizmor --offline --no-config --no-progress --quiet pipelines/github/*.yml

unit: $(VENV)/.dev ## The pure layers, to the last branch
	@$(BIN)/pytest -q -n 2 $(PURE) --ignore $(HISTORIES) \
		--cov=dittoinfra.decide --cov=dittoinfra.state --cov=dittoinfra.settings --cov=dittoinfra.nested_values \
		--cov=dittoinfra.changes --cov=dittoinfra.adapter_usage --cov=dittoinfra.object_model --cov=dittoinfra.model --cov=dittoinfra.naming --cov=dittoinfra.trouble \
		--cov=adapter_policy.service_object --cov=adapter_policy.removal_rules \
		--cov=adapter_policy.exposure_rules --cov=adapter_policy.secret_rules \
		--cov-branch --cov-report=term --cov-fail-under=100

real: parts ## Whole stacks on the real engine, Kubernetes and DittoFS server, without the long tests
	@DITTOINFRA_HISTORIES=$${DITTOINFRA_HISTORIES:-10000} $(PYTEST) -m "not long" $(REAL)

real-all: parts ## The same with the long tests: faults, histories, crashes, fleets
	@$(PYTEST) $(REAL)

faults: parts ## Faults on the wire, randomised histories and crashes: one line says what came of them
	@$(PYTEST) -m "fault or history or own_side or crash" $(REAL)

nightly: parts ## Many more histories, with seeds of their own: 3,000 of our own side, 300 of servers
	@DITTOINFRA_STACK_SEED=$$(date +%Y%m%d)0000 DITTOINFRA_STACK_HISTORIES=3000 DITTOINFRA_SERVER_HISTORIES=300 \
		$(PYTEST) -m "history or own_side" tests/chaos/histories

mutants: $(VENV)/.dev ## Change the code in small ways: its tests must notice 95 %
	@$(BIN)/python -m tests.repository.mutation

bench: $(VENV)/.dev ## Measure, as ratios within one run; wants a machine with nothing else to do
	@$(BIN)/python -m bench

bench-check: $(VENV)/.dev ## Whether a ratio is worse by a quarter than the one that is kept; under five minutes
	@$(BIN)/python -m bench --check

bed: $(VENV)/.dev ## Start the real parts for a person, until Ctrl-C; DITTOFS=0.29.0 chooses the server's version
	@$(BIN)/python -m lab.bed serve $(DITTOFS)

parts: $(VENV)/.dev ## Get every real part: found, installed or built
	@$(BIN)/python -m lab.bed

audit: $(VENV)/.dev ## What is known against anything that is installed or built; needs the internet
	@$(BIN)/python -m tests.repository.supply.audit

format: $(VENV)/.dev ## Format the code
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

reference: $(VENV)/.dev ## Write the files that are generated from the code
	@$(BIN)/python -m tools.reference
	@$(BIN)/python -m tools.schemas
	@$(BIN)/python -m tools.licences

docs: $(VENV)/.dev ## Build the documentation into site/; a warning or a broken link fails
	@rm -rf site
	@PYTHONPATH=. $(BIN)/sphinx-build -q -W --keep-going -b html docs site

pictures: parts ## Take the pictures and recordings of terminals in docs/pictures again
	@$(BIN)/python -m tools.pictures

lock: $(VENV)/.dev ## Choose newest versions within the ranges of pyproject.toml
	@CUSTOM_COMPILE_COMMAND="make lock" $(BIN)/pip-compile -q --upgrade --no-strip-extras --generate-hashes \
		--no-emit-options --all-build-deps --allow-unsafe -o requirements.txt pyproject.toml
	@CUSTOM_COMPILE_COMMAND="make lock" $(BIN)/pip-compile -q --upgrade --no-strip-extras --generate-hashes \
		--no-emit-options --all-build-deps --allow-unsafe --extra dev -o requirements-dev.txt pyproject.toml
	@CUSTOM_COMPILE_COMMAND="make lock" $(BIN)/pip-compile -q --upgrade --no-strip-extras --generate-hashes \
		--no-emit-options --allow-unsafe -o policy/requirements.lock policy/requirements.txt

clean: ## Remove what the targets above have made, the cache of built tools excepted
	@rm -rf $(VENV) .demo site .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache mutants rendered

$(VENV)/.run: requirements.txt
	@echo "installing into $(VENV) ..."
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install -q --disable-pip-version-check --require-hashes -r requirements.txt
	@$(BIN)/python -m pip install -q --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

$(VENV)/.dev: requirements-dev.txt | $(VENV)/.run
	@echo "installing what the tests need ..."
	@$(BIN)/python -m pip install -q --disable-pip-version-check --require-hashes -r requirements-dev.txt
	@touch $@
