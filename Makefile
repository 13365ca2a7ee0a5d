# Everything that a developer or CI does. `make` alone shows the menu.
#
# A target that compiles first asks scripts/build-deps.sh for the engines, which
# takes no time when they are built and a few minutes when they are not.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

# Flags for scripts/build-deps.sh, such as --from-source or --tarballs DIR.
DEPS_FLAGS ?=
# TUNED=1 uses engines that are optimised for the benchmarks by a profile of them.
# They are kept beside the others, and take ten minutes to build, once.
TUNED ?=
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

tuned := $(if $(filter-out 0,$(TUNED)),--tuned)

# WITH_DEPS begins a recipe that needs cgo's flags. The assignment stands alone,
# so that a failing build ends the recipe.
WITH_DEPS = flags="$$(bash scripts/build-deps.sh $(DEPS_FLAGS) $(tuned) --print-env)"; eval "$$flags";

# STOCK, where the engines are tuned, sets $stock to the prefix of those that are not.
STOCK = $(if $(tuned),stock="$$(flags="$$(bash scripts/build-deps.sh $(DEPS_FLAGS) --from-source --print-env)"; eval "$$flags"; echo "$$LSMKIT_DEPS")";)

.PHONY: help deps build test race lint bench noise overhead asan fuzz clean

help: ## this menu
	@echo 'usage: make TARGET'
	@awk -F':.*## ' '/^[a-z]+:.*## / {printf "  %-10s %s\n", $$1, $$2}' Makefile

deps: ## build LevelDB, RocksDB and their db_bench programs, once
	@bash scripts/build-deps.sh $(DEPS_FLAGS) $(tuned)

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
	@$(STOCK) bin/dbbench overhead $(if $(tuned),--native "$$stock") --rounds $(ROUNDS) --json "$(OVERHEAD_RECORD)" $(OVERHEAD_FLAGS)

asan: ## run the tests of the C boundary under the address sanitizer
	@$(WITH_DEPS) bash scripts/asan.sh -timeout $(TEST_TIMEOUT)

fuzz: ## run every fuzz target for FUZZTIME (30s)
	@$(WITH_DEPS) bash scripts/fuzz.sh $(FUZZTIME)

clean: ## remove what was built here (the engines stay in the cache)
	@rm -rf bin
