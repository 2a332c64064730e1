# One command per wish. `make` alone lists them.
.DEFAULT_GOAL := help
.PHONY: help demo demo-plan test test-all build asan tsan tidy bench format clean setup

help: ## list the commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-9s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: setup ## train a GPT on this machine's CPU inside three budgets (some minutes)
	@cmake --preset release --log-level=WARNING
	@cmake --build --preset release --target python_package worktop
	@tools/demo

demo-plan: ## plan Llama-3-8B with LoRA on a 24 GB card at four budgets
	@tools/setup --build
	@cmake --preset release --log-level=WARNING
	@cmake --build --preset release --target worktop
	@tools/demo-plan

build: setup ## build everything (build/dev)
	@cmake --preset dev --log-level=NOTICE
	@cmake --build --preset dev

test: build ## check the format, run every test and each fuzz target for a few seconds
	@tools/format --check
	@ctest --preset dev

test-all: build ## the tests, and combinations that take an hour
	@tools/format --check
	@ctest --preset all

asan: setup ## the tests under the address and undefined behaviour sanitizers
	@cmake --preset asan --log-level=WARNING
	@cmake --build --preset asan
	@ctest --preset asan

tsan: setup ## the tests under the thread sanitizer
	@cmake --preset tsan --log-level=WARNING
	@cmake --build --preset tsan
	@ctest --preset tsan

tidy: setup ## compile everything with clang and run clang-tidy beside it
	@cmake --preset tidy --log-level=WARNING
	@cmake --build --preset tidy

bench: setup ## build and run the benchmarks
	@cmake --preset bench --log-level=WARNING
	@cmake --build --preset bench
	@for program in build/bench/bench/*_bench; do "$$program" || exit 1; done

format: setup ## format every C++ file in place
	@tools/format

clean: ## remove everything that was built (not .venv)
	rm -rf build out

setup:
	@tools/setup
