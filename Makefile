# Needs nothing but Python 3.11, 3.12 or 3.13. uv is used when it is on PATH, else pip.
# ARGS reaches the tool: make run ARGS="--port 9000", make test ARGS="tests/unit -k config".

PYTHON ?= $(shell for python in python3.11 python3.12 python3.13 python3; do \
	$$python -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 14))' 2>/dev/null \
	&& { echo $$python; break; }; done)
VENV := .venv
BIN := $(VENV)/bin
UV := $(shell command -v uv 2>/dev/null)
LOCK := uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header \
	--no-emit-index-url --annotation-style line pyproject.toml --group build

# In the groups of tests/grouping.py and the order of tests/conftest.py: what takes longest begins first.
PARALLEL := --dist loadscope --no-loadscope-reorder
FAST_TESTS := tests/unit tests/usecases tests/test_architecture.py

SWAGGER_UI := 5.35.0
SWAGGER_UI_FILES := src/finassist/entrypoints/http/openapi/swagger_ui

ifdef UV
INSTALL := $(UV) pip install --quiet --python $(BIN)/python --no-deps
else
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps
endif

# Tests start many processes, and each would compile every module again.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help install run test test-fast check fuzz soak move-load engines bench bench-peers lock sbom swagger clean

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-12s%s\n", $$1, $$2 }' $(MAKEFILE_LIST)

install: $(VENV)/installed ## install the service into .venv

run: install ## install and serve
	@$(BIN)/python -m finassist serve $(ARGS)

test: $(VENV)/installed-dev ## install and run the tests
	$(BIN)/python -m pytest --numprocesses 3 $(PARALLEL) $(ARGS)

test-fast: $(VENV)/installed-dev ## run the tests that need no HTTP, server, browser, other process or whole set of questions
	$(BIN)/python -m pytest --numprocesses auto --maxprocesses 4 $(PARALLEL) -m "not engine and not whole_base" $(FAST_TESTS) $(ARGS)

check: $(VENV)/installed-dev ## lint, formatting, types, architecture
	$(BIN)/python -m ruff check .
	$(BIN)/python -m ruff format --check .
	$(BIN)/python -m mypy
	$(BIN)/lint-imports --no-logo

fuzz: $(VENV)/installed-dev ## send 10,000 generated requests to a server, and report wrong responses
	PYTHONPATH=tests:tests/support:examples $(BIN)/python -m outside.fuzz $(ARGS)

soak: $(VENV)/installed-dev ## load a service for half an hour, break it meanwhile, and check what its clients saw
	PYTHONPATH=tests:tests/support:examples $(BIN)/python -m soak.run $(ARGS)

move-load: $(VENV)/installed-dev ## move many records between the databases under load, killed on the way
	PYTHONPATH=tests:tests/support:examples $(BIN)/python -m outside.moving $(ARGS)

engines: ## install the servers that tests run against, into a cache outside the checkout
	@tests/engines/build

bench: $(VENV)/installed-dev ## measure, and write docs/benchmarks.md
	$(BIN)/python -m benchmarks $(ARGS)

bench-peers: $(VENV)/installed-dev ## measure other backends beside the service, each in a cached environment of its own
	$(BIN)/python -m benchmarks.peers $(ARGS)

lock: ## resolve the dependencies of pyproject.toml again (needs uv); make lock ARGS=--upgrade
	$(LOCK) --group dev --all-extras --output-file requirements/dev.txt $(ARGS)
	$(LOCK) --constraint requirements/dev.txt --output-file requirements/runtime.txt --upgrade
	$(LOCK) --constraint requirements/dev.txt --all-extras --output-file requirements/extras.txt --upgrade

sbom: $(VENV)/installed-dev ## list what an installation with every extra consists of, in dist/sbom.json (CycloneDX)
	@mkdir -p dist
	$(BIN)/python -m cyclonedx_py requirements --pyproject pyproject.toml --output-reproducible --validate \
		--output-file dist/sbom.json requirements/extras.txt $(ARGS)

# Compressed as it is sent; `npm pack` checks what it fetched, and runs nothing of it.
swagger: ## take Swagger UI, in the version above, for the page at /docs (needs npm)
	@folder=$$(mktemp -d) && trap 'rm -rf "$$folder"' EXIT \
	&& npm pack --silent --pack-destination "$$folder" swagger-ui-dist@$(SWAGGER_UI) >/dev/null \
	&& tar --extract --gzip --file "$$folder"/*.tgz --directory "$$folder" \
	&& cd $(SWAGGER_UI_FILES) && cp "$$folder"/package/LICENSE "$$folder"/package/NOTICE . \
	&& cp "$$folder"/package/swagger-ui-bundle.js.LICENSE.txt LICENSE-of-parts.txt \
	&& for file in swagger-ui-bundle.js swagger-ui.css; do \
		gzip -9 --no-name <"$$folder/package/$$file" >$$file.gz; done

clean: ## remove what make made; data/ stays
	rm -rf $(VENV) dist .import_linter_cache .mypy_cache .pytest_cache .ruff_cache

# The stamps say what is installed; they are newer than the files that decide it.
$(VENV)/installed: requirements/runtime.txt pyproject.toml | $(BIN)/python
	@echo "Installing into $(VENV): the first time takes about a minute."
	$(INSTALL) --require-hashes -r requirements/runtime.txt
	$(INSTALL) --no-build-isolation --editable .
	@touch $@

$(VENV)/installed-dev: requirements/dev.txt $(VENV)/installed
	$(INSTALL) --require-hashes -r requirements/dev.txt
	@touch $@

$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "Python 3.11, 3.12 or 3.13 is needed." >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
