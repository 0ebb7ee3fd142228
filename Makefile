# What developers run. Each target says in one line what it does: make help.
SHELL := bash
GO ?= go
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)
REVISION ?= $(shell git rev-parse --short HEAD 2>/dev/null || echo unknown)
BRANCH ?= $(shell git rev-parse --abbrev-ref HEAD 2>/dev/null || echo unknown)
V := github.com/prometheus/common/version
LDFLAGS := -s -w -X $(V).Version=$(VERSION) -X $(V).Revision=$(REVISION) -X $(V).Branch=$(BRANCH)
# The same sources give the same bytes: no paths, no time, no build ID.
BUILD := CGO_ENABLED=0 $(GO) build -trimpath -buildvcs=false -ldflags '$(LDFLAGS) -buildid='
# A number of runs and not a time: at the end of a time Go's fuzzer can fail by its own deadline.
FUZZTIME ?= 100000x

.PHONY: help run build test lint unit fuzz bench cross reproducible e2e test-kernel generate tools clean

help: ## Show this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | expand -t 14

run: build ## Build and serve this host on :10982 until Ctrl-C; flags: make run ARGS=--web.listen-address=:9999
	./.bin/roce_exporter $(ARGS)

build: ## Build .bin/roce_exporter for this machine
	$(BUILD) -o .bin/roce_exporter ./cmd/roce_exporter

test: lint unit fuzz bench cross reproducible e2e ## Everything that must hold before a change is trusted (without test-kernel)

lint: .bin/staticcheck ## Formatting, vet, staticcheck, generated files, go.mod
	@test -z "$$(gofmt -l cmd collector)" || { echo "not formatted:"; gofmt -l cmd collector; exit 1; }
	$(GO) vet ./...
	$(GO) vet -tags kernel ./collector/host/kerneltest && $(GO) vet -tags e2e ./cmd/...
	.bin/staticcheck ./... && .bin/staticcheck -tags kernel ./collector/host/kerneltest && .bin/staticcheck -tags e2e ./cmd/...
	$(GO) mod tidy -diff
	$(GO) mod verify

unit: ## All tests, with the race detector
	$(GO) test -race -timeout 10m ./...

fuzz: ## Each fuzz target for FUZZTIME (100000x)
	@set -e; $(GO) list -f '{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}}{{end}}' ./... | while read -r p; do \
		for f in $$($(GO) test -list '^Fuzz' $$p | grep '^Fuzz' || true); do \
			echo "fuzz $$p $$f"; $(GO) test -run '^$$' -fuzz "^$$f\$$" -fuzztime $(FUZZTIME) $$p; \
		done; done

bench: ## Cost of a scrape, a probe and a stream, against their budgets
	$(GO) test -run '^TestBudget' -bench Scrape -benchmem -benchtime 200x ./collector/host
	$(GO) test -run '^TestBudget' -bench 'Ingest|Probe|Memory|Stream' -benchmem -benchtime 20x ./collector/gnmi
	$(GO) test -run '^$$' -bench Targets -benchtime 1x ./collector/gnmi

cross: ## Build for linux/amd64 and linux/arm64
	GOOS=linux GOARCH=amd64 $(BUILD) -o .bin/roce_exporter-linux-amd64 ./cmd/roce_exporter
	GOOS=linux GOARCH=arm64 $(BUILD) -o .bin/roce_exporter-linux-arm64 ./cmd/roce_exporter

reproducible: cross ## Build again from another directory: the bytes must be the same
	@d=$$(mktemp -d) && trap 'rm -rf "$$d"' EXIT && \
		{ git ls-files -z --cached --others --exclude-standard | xargs -0 cp --parents -t "$$d"; } && \
		cd "$$d" && GOCACHE="$$d/cache" GOOS=linux GOARCH=amd64 $(BUILD) -o again ./cmd/roce_exporter && \
		cmp again $(CURDIR)/.bin/roce_exporter-linux-amd64 && echo "reproducible: same bytes"

e2e: build .bin/prometheus .bin/promtool ## A real Prometheus scrapes the exporter
	$(GO) test -tags e2e -count 1 -timeout 5m ./cmd/roce_exporter

test-kernel: ## A real kernel with soft-RoCE under qemu (needs root to install what lacks)
	$(GO) test -tags kernel -count 1 -v -timeout 25m ./collector/host/kerneltest

generate: ## Write the generated files anew
	$(GO) test ./collector/metric ./collector/host ./collector/gnmi -run "Markdown|README|Golden" -update

tools: .bin/prometheus .bin/promtool .bin/staticcheck ## Build the programs that tests use

.bin/prometheus .bin/promtool .bin/staticcheck &: .ci/tools/go.mod .ci/tools/go.sum
	@mkdir -p .bin
	@echo "building prometheus, promtool and staticcheck (two minutes the first time)"
	cd .ci/tools && CGO_ENABLED=0 $(GO) build -tags remove_all_sd -trimpath -o ../../.bin/ \
		github.com/prometheus/prometheus/cmd/prometheus github.com/prometheus/prometheus/cmd/promtool honnef.co/go/tools/cmd/staticcheck
	@touch .bin/prometheus .bin/promtool .bin/staticcheck

clean: ## Remove what was built
	rm -rf .bin
