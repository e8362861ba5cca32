# Every target installs what it misses and is safe to repeat. `make help` lists them.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
export CARGO_TERM_COLOR ?= auto

.PHONY: help
help: ## List the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/  make \1\t\2/' | expand -t 20

.PHONY: demo
demo: ## Render the platinum tier of the example fleet into a new git repository and show it (2 min cold)
	@tests/demo

.PHONY: demo-live
demo-live: ## Run the whole platform on simulated hypervisors and show what it does (1 min warm, 20 to 40 min cold)
	@tests/demo-live

.PHONY: test
test: ## Set up the real servers, then run all tests (30 to 50 min cold, 15 to 20 min warm)
	@tests/setup
	@tests/run

.PHONY: lint
lint: ## Formatting, lints, licences; warnings are errors
	cargo fmt --all --check
	cargo clippy --workspace --all-targets -- -D warnings
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --document-private-items
	@tests/setup
	@. target/test-tools.env && "$$BANLIEUE_CARGO_DENY" deny check bans licenses sources
	go -C tests/tools/harness vet ./...

.PHONY: generate
generate: ## Write the checked-in files that are derived from the types and from what tests see
	@tests/setup
	UPDATE=1 cargo test --package banlieue-tests --test derived every_derived_file_is_current
	UPDATE=1 cargo test --package banlieue --test cli the_reference_page_is_current
	cargo build --package banlieue
	UPDATE=1 cargo test --package banlieue-tests --test flows -- --test-threads 1

.PHONY: bench
bench: ## Measure against peers (installs them; 20 min warm, an hour cold)
	@tests/bench/run --helm

.PHONY: bench-core
bench-core: ## Measure the reconcilers with 1000 and 5000 machines (10 min warm, 20 to 40 min cold)
	@tests/bench-core

.PHONY: clean
clean: ## Remove what was built in this checkout; the cache of servers stays
	cargo clean
