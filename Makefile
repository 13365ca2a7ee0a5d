# Everything that a developer or CI does. `make` alone shows the menu.
#
# A target that compiles first asks scripts/build-deps.sh for the engines, which
# takes no time when they are built and a few minutes when they are not.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

# Flags for scripts/build-deps.sh, such as --from-source or --tarballs DIR.
DEPS_FLAGS ?=
# The time limit of one package's tests, and the time given to each fuzz target.
TEST_TIMEOUT ?= 15m
FUZZTIME ?= 30s
# Rounds of `make bench` and `make overhead`, the files for their records, and
# more flags of the latter, such as --native DIR.
ROUNDS ?= 5
RECORD ?= bench-results/$(shell date +%Y%m%d-%H%M%S).json
OVERHEAD_RECORD ?= bench-results/overhead-$(shell date +%Y%m%d-%H%M%S).json
OVERHEAD_FLAGS ?=
# Runs of `make noise`, the folder for their records, and more flags of each.
RUNS ?= 10
NOISE ?= bench-results/noise
NOISE_FLAGS ?=

# Modules of their own that are tested with this one.
MODULES = --also metrics/prometheus

# WITH_DEPS begins a recipe that needs cgo's flags. The assignment stands alone,
# so that a failing build ends the recipe.
WITH_DEPS = flags="$$(bash scripts/build-deps.sh $(DEPS_FLAGS) --print-env)"; eval "$$flags";

.PHONY: help deps build test race lint bench noise overhead asan fuzz clean

help: ## this menu
	@echo 'usage: make TARGET'
	@awk -F':.*## ' '/^[a-z]+:.*## / {printf "  %-10s %s\n", $$1, $$2}' Makefile

deps: ## build LevelDB, RocksDB and their db_bench programs, once
	@bash scripts/build-deps.sh $(DEPS_FLAGS)

build: ## build bin/dbbench
	@$(WITH_DEPS) go build -o bin/dbbench ./cmd/dbbench

test: ## run all tests
	@$(WITH_DEPS) bash scripts/gotest.sh $(MODULES) -timeout $(TEST_TIMEOUT) ./...

race: ## run all tests under the race detector
	@$(WITH_DEPS) bash scripts/gotest.sh $(MODULES) -race -timeout $(TEST_TIMEOUT) ./...

lint: ## gofmt, vet, staticcheck, shellcheck, house rules, tidy modules
	@$(WITH_DEPS) bash scripts/lint.sh

bench: build ## compare LevelDB and RocksDB on this machine
	@mkdir -p "$(dir $(RECORD))"
	@bin/dbbench run --preset leveldb --rounds $(ROUNDS) --json "$(RECORD)"

noise: build ## measure RocksDB against itself RUNS (10) times: no difference should be shown
	@mkdir -p "$(NOISE)"
	@for run in $$(seq $(RUNS)); do \
		bin/dbbench run --engines rocksdb,rocksdb --rounds $(ROUNDS) --quiet --json "$(NOISE)/$$run.json" $(NOISE_FLAGS) >/dev/null; \
	done
	@go run ./internal/noise $$(seq --format "$(NOISE)/%g.json" $(RUNS))

overhead: build ## compare lsmkit with C++ db_bench, levigo and grocksdb
	@mkdir -p "$(dir $(OVERHEAD_RECORD))"
	@bin/dbbench overhead --rounds $(ROUNDS) --json "$(OVERHEAD_RECORD)" $(OVERHEAD_FLAGS)

asan: ## run the tests of the C boundary under the address sanitizer
	@$(WITH_DEPS) bash scripts/asan.sh -timeout $(TEST_TIMEOUT)

fuzz: ## run every fuzz target for FUZZTIME (30s)
	@$(WITH_DEPS) bash scripts/fuzz.sh $(FUZZTIME)

clean: ## remove what was built here (the engines stay in the cache)
	@rm -rf bin
