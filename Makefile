# Every target sets up what it needs. On a fresh machine: Python 3.11 with its venv module, make, an index to reach.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
MAKEFLAGS += --no-print-directory

VENV := .venv
BIN := $(VENV)/bin
UV := UV_SYSTEM_CERTS=true VIRTUAL_ENV="$(CURDIR)/$(VENV)" $(BIN)/uv
PIP := $(BIN)/python -m pip --disable-pip-version-check
PYTEST := $(BIN)/python -m pytest

# Some machines forbid compiled modules; every process would then compile the libraries anew, for seconds.
export PYTHONDONTWRITEBYTECODE :=

# A stamp carries a digest of what was installed, so that set-up runs again when, and only when, that changes.
digest = $(shell cat requirements/$(1).lock pyproject.toml | sha256sum | cut -c1-16)
RUNTIME := $(VENV)/.runtime-$(call digest,runtime)
DEV := $(VENV)/.dev-$(call digest,dev)

# The labelling server holds packages that ours needs at other versions, so it lives apart.
LABEL_STUDIO_VENV := .venv-label-studio
LABEL_STUDIO := $(LABEL_STUDIO_VENV)/.installed-$(shell sha256sum < requirements/label-studio.lock | cut -c1-16)

# An environment whose interpreter is gone, as after an upgrade of Python, is made anew.
$(shell [ -x $(BIN)/python ] || rm -f $(VENV)/pyvenv.cfg)
$(shell [ -x $(LABEL_STUDIO_VENV)/bin/python ] || rm -f $(LABEL_STUDIO_VENV)/.installed-*)

.PHONY: help setup demo label-studio label-studio-env test e2e lint format bench lock clean

help: ## Say what each target does
	@grep -hE '^[a-z0-9-]+:.*## ' Makefile | sort | sed -E 's/^([a-z0-9-]+):.*## (.*)/  make \1\t\2/' | expand -t 26

setup: $(DEV) ## Install all that tests need, and run nothing

demo: $(RUNTIME) ## Vote on the shipped documents: tiers per document and a review queue
	@$(BIN)/goldleaf demo

label-studio: $(RUNTIME) $(LABEL_STUDIO) ## Start a labelling server of your own, on this machine only (PORT=8081)
	@$(BIN)/python -m annotation.server start $(if $(PORT),--port $(PORT))

label-studio-env: $(LABEL_STUDIO) ## Install the labelling server, and do not start it

test: $(DEV) ## Run the fast tests
	@echo "==> Fast tests"
	@$(PYTEST) -q -n 2

e2e: $(DEV) $(LABEL_STUDIO) ## Run the tests that use the whole program as a person would
	@echo "==> End-to-end tests"
	@$(PYTEST) -q -m e2e || { \
	  code=$$?; \
	  if [ $$code -eq 5 ] && ! grep -rqsE '^ *@?pytest(mark = pytest)?\.mark\.e2e' tests; then \
	    echo "    There are no end-to-end tests yet."; \
	  else \
	    exit $$code; \
	  fi; }

lint: $(DEV) ## Check style and types
	@echo "==> ruff"
	@$(BIN)/ruff check --quiet .
	@$(BIN)/ruff format --check --quiet .
	@echo "==> mypy"
	@$(BIN)/mypy

format: $(DEV) ## Write the standard formatting
	@$(BIN)/ruff check --quiet --fix-only .
	@$(BIN)/ruff format --quiet .

bench: $(RUNTIME) ## Measure speed, memory and truth
	@$(BIN)/python -m bench

lock: $(VENV)/pyvenv.cfg ## Write the lock files anew (UPGRADE=--upgrade takes newer versions)
	@$(bootstrap)
	@echo "==> Locking"
	@$(compile) requirements/bootstrap.in -o requirements/bootstrap.lock
	@$(compile) pyproject.toml requirements/build.in -o requirements/runtime.lock
	@$(compile) pyproject.toml requirements/build.in --extra dask --extra parquet --extra dev \
	  --constraint requirements/runtime.lock -o requirements/dev.lock
	@$(compile) requirements/label-studio.in -o requirements/label-studio.lock

clean: ## Remove caches and build output; the environment stays until you delete .venv
	@rm -rf build dist .hypothesis .mypy_cache .pytest_cache .ruff_cache
	@find . -name __pycache__ -not -path './.venv*' -prune -exec rm -rf {} +

$(RUNTIME): $(VENV)/pyvenv.cfg
	@$(call install,runtime)
	@touch $@

$(DEV): $(VENV)/pyvenv.cfg
	@$(call install,dev)
	@touch $@ $(RUNTIME)

$(LABEL_STUDIO): $(VENV)/pyvenv.cfg
	@$(bootstrap)
	@echo "==> Installing requirements/label-studio.lock, a gigabyte"; \
	start=$$SECONDS; \
	$(BIN)/python -m venv --clear $(LABEL_STUDIO_VENV); \
	UV_SYSTEM_CERTS=true VIRTUAL_ENV="$(CURDIR)/$(LABEL_STUDIO_VENV)" $(BIN)/uv pip install --quiet \
	  --require-hashes -r requirements/label-studio.lock || { \
	  echo "    uv could not install this; trying pip"; \
	  $(LABEL_STUDIO_VENV)/bin/python -m pip --disable-pip-version-check install --quiet --require-hashes \
	    -r requirements/label-studio.lock; }; \
	echo "==> The labelling server took $$((SECONDS - start)) s"
	@touch $@

$(VENV)/pyvenv.cfg:
	@for candidate in $(PYTHON) python3.11 python3; do \
	  if "$$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
	    echo "==> Creating $(VENV) with $$("$$candidate" --version)"; \
	    "$$candidate" -m venv --clear $(VENV) && exit 0; \
	    rm -rf $(VENV); \
	    echo "The venv module of $$candidate does not work. On Debian: apt-get install python3-venv" >&2; \
	    exit 1; \
	  fi; \
	done; \
	echo "Goldleaf needs Python 3.11 or later; none was found as python3.11 or python3." \
	  "Install it, or name it: make PYTHON=/path/to/python3.11" >&2; \
	exit 1

# Installs come through uv, which is fast, or else through pip with the same lock: pip reads settings, such as
# the index of a company, that uv does not know.
pip_install = { [ -x $(BIN)/uv ] && $(UV) pip install --quiet $(1); } || { \
	  echo "    uv could not install this; trying pip"; \
	  $(PIP) install --quiet $(1); }

bootstrap = cmp -s requirements/bootstrap.lock $(VENV)/.bootstrap || { \
	  echo "==> Installing uv"; \
	  if $(PIP) install --quiet --require-hashes -r requirements/bootstrap.lock; then \
	    cp requirements/bootstrap.lock $(VENV)/.bootstrap; \
	  else \
	    echo "    uv is not to be had; going on with pip"; \
	  fi; }

# Both OpenCV wheels write the folder cv2, and the full one needs libGL, which a bare machine lacks: the headless
# one is laid over it last.
install = start=$$SECONDS; \
	$(bootstrap); \
	echo "==> Installing requirements/$(1).lock"; \
	$(call pip_install,--require-hashes -r requirements/$(1).lock); \
	headless=$$(mktemp); trap 'rm -f "$$headless"' EXIT; \
	awk '/^[A-Za-z0-9]/ { keep = /^opencv-python-headless==/ } keep' requirements/$(1).lock > "$$headless"; \
	$(call pip_install,--force-reinstall --no-deps --require-hashes -r "$$headless"); \
	$(call pip_install,--no-deps --no-build-isolation -e .); \
	echo "==> Set-up took $$((SECONDS - start)) s"

compile = UV_CUSTOM_COMPILE_COMMAND="make lock" $(UV) pip compile --quiet --universal --python-version 3.11 \
	  --generate-hashes --no-emit-index-url $(UPGRADE)
