# kvbench: build, generate, test, and run it on a cluster. `make help` lists the targets.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

# local (hack/localcluster), kind, or current (the cluster of the current kubeconfig).
CLUSTER ?= local
# The image of docker-build, and of CLUSTER=current: REPOSITORY:TAG.
IMAGE ?=
# A configuration file of kind, for CLUSTER=kind: a node image of one's own, its network.
KIND_CONFIG ?=
export IMAGE KIND_CONFIG

# One way to compile for programs, tests and tools, so that each package is compiled once:
# Kubernetes' and Helm's libraries take minutes, and an eighth more with what debuggers read.
export CGO_ENABLED := 0
export GOFLAGS := -trimpath -buildvcs=false -gcflags=all=-dwarf=false

# What programs say that they are, and how they are linked.
VERSION ?= $(shell hack/version.sh)
LDFLAGS = -s -w -X github.com/kvbench/kvbench/internal/version.version=$(VERSION)

# The tools of hack/tools, compiled here when they are missing.
TOOLS := _output/bin/tools
CONTROLLER_GEN := $(TOOLS)/controller-gen
CRD_REF_DOCS := $(TOOLS)/crd-ref-docs
GOTESTSUM := $(TOOLS)/gotestsum
LOCALCLUSTER := _output/bin/localcluster
DEMO := _output/bin/demo
TEST_OUTPUT := _output/test
# Escape codes are for terminals; Ginkgo doesn't ask.
GINKGO_FLAGS = $$([ -t 2 ] || echo -ginkgo.no-color)
UNIT_PACKAGES = $$(go list ./... | grep -v '/test/')
# Where the concurrent code is.
RACE_PACKAGES := ./controllers/... ./internal/bundle/... ./internal/cli/follow/... ./internal/cli/logs/... ./internal/cli/run/... ./internal/cli/watch/... ./internal/chartsource/... ./internal/helm/... ./internal/loadgen/... \
	./internal/observer/... ./internal/results/... ./internal/stores/... ./internal/workload/... ./internal/ycsb/...

.PHONY: help
help: ## List the targets.
	@awk 'BEGIN {FS = ":.*## "} /^[a-z0-9-]+:.*## / {printf "  %-22s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

##@ Build

.PHONY: build
build: ## Build bin/kvbench, bin/kvbench-loadgen and bin/kubectl-kvbench, static.
	go build -ldflags='$(LDFLAGS)' -o bin/ ./cmd/kvbench ./cmd/kvbench-loadgen ./cmd/kubectl-kvbench

.PHONY: plugin
plugin: ## Build bin/kubectl-kvbench, the plugin of kubectl, alone.
	@GOFLAGS='$(GOFLAGS) "-ldflags=$(LDFLAGS)"' hack/compile.sh bin/kubectl-kvbench ./cmd/kubectl-kvbench

.PHONY: plugin-release
plugin-release: ## Build the plugin for Linux and macOS, amd64 and arm64, with krew's manifest, into _output/plugin.
	@hack/plugin.sh '$(VERSION)' '"-ldflags=$(LDFLAGS)"'

.PHONY: docker-build
docker-build: ## Build the image with Docker (BuildKit): make docker-build IMAGE=repository:tag.
	DOCKER_BUILDKIT=1 docker build --build-arg VERSION='$(VERSION)' -t '$(or $(IMAGE),ghcr.io/kvbench/kvbench:dev)' .

$(LOCALCLUSTER): FORCE
	@mkdir -p $(@D)
	@cd hack/localcluster && ../compile.sh $(CURDIR)/$@ .

$(DEMO): FORCE
	@hack/compile.sh $@ ./hack/demo/cli

FORCE:

$(CONTROLLER_GEN): PACKAGE := sigs.k8s.io/controller-tools/cmd/controller-gen
$(CRD_REF_DOCS): PACKAGE := github.com/elastic/crd-ref-docs
$(GOTESTSUM): PACKAGE := gotest.tools/gotestsum
$(CONTROLLER_GEN) $(CRD_REF_DOCS) $(GOTESTSUM): hack/tools/go.mod hack/tools/go.sum
	@mkdir -p $(@D)
	@GOFLAGS='$(GOFLAGS) -modfile=$(CURDIR)/hack/tools/go.mod' hack/compile.sh $@ $(PACKAGE)

##@ Generate

.PHONY: generate
generate: manifests page $(CRD_REF_DOCS) ## Generate deep copies, CRDs, RBAC, config/, the page, the API reference and docs/guide/cli.md.
	@echo 'Generating deep copies, docs/reference/api.md and docs/guide/cli.md'
	@$(CONTROLLER_GEN) object paths=./api/...
	@mkdir -p docs/reference
	@log=$$($(CRD_REF_DOCS) --source-path=api/v1alpha1 --config=hack/tools/crd-ref-docs.yaml \
		--renderer=markdown --max-depth=20 --output-path=docs/reference/api.md 2>&1) || { echo "$$log" >&2; exit 1; }
	@mkdir -p docs/guide _output
	@go run ./hack/clidoc > _output/cli.md
	@mv _output/cli.md docs/guide/cli.md

# npm's own record of what it installed. No package's install script runs.
NODE_MODULES := web/node_modules/.package-lock.json

$(NODE_MODULES): web/package.json web/package-lock.json
	@command -v npm > /dev/null || { echo 'npm is missing: install Node.js 20 or newer, with npm (https://nodejs.org)' >&2; exit 1; }
	@echo 'Installing what the page is built with into web/node_modules'
	@cd web && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
	@touch $@

.PHONY: page
page: $(NODE_MODULES) ## Check the TypeScript of the page, and build web/dist.
	@echo 'Building the page'
	@cd web && npm run --silent check && npm run --silent build

.PHONY: screenshots
screenshots: page chromium ## Make the pictures of docs/guide/look.md from pages (PAGE=report.html COMPARISON=compare.html LIVE=address).
	PAGE='$(abspath $(PAGE))' COMPARISON='$(abspath $(COMPARISON))' LIVE='$(LIVE)' go test -tags=screenshots -count=1 -run=TestScreenshot ./web

.PHONY: manifests
manifests: $(CONTROLLER_GEN) ## Generate CRDs, RBAC, the dashboards and config/ alone.
	@echo 'Generating CRDs, RBAC, the dashboards and the manifests of config/'
	@$(CONTROLLER_GEN) crd paths=./api/... output:crd:artifacts:config=config/crd
	@$(CONTROLLER_GEN) rbac:roleName=kvbench-controller 'paths={./controllers/...,./internal/faults/chaosmesh}' output:rbac:artifacts:config=config/rbac
	@mkdir -p charts/kvbench/crds charts/kvbench/files
	@cp config/crd/kvbench.io_*.yaml charts/kvbench/crds/
	@cp config/rbac/role.yaml charts/kvbench/files/role.yaml
	@go run ./dashboards -out dashboards
	@rm -rf charts/kvbench/files/dashboards && mkdir charts/kvbench/files/dashboards
	@cp dashboards/*.json charts/kvbench/files/dashboards/
	@go run ./hack/render -chart charts/kvbench -out config

# Compilers and vet mostly end before their garbage would be worth collecting.
UNCOLLECTED := GOGC=off GOMEMLIMIT=1GiB

.PHONY: verify
verify: ## Fail when generated files are stale, or when vet objects.
	@hack/compile.sh /dev/null ./...
	@hack/verify.sh
	$(UNCOLLECTED) go vet ./...
	$(UNCOLLECTED) go vet -tags=e2e ./test/e2e/... ./test/bench/...
	$(UNCOLLECTED) go vet -tags=root ./internal/results ./test/integration

.PHONY: lint
lint: ## Run golangci-lint; building it takes minutes the first time.
	go tool -modfile=hack/tools/lint/go.mod golangci-lint run ./...

.PHONY: vulncheck
vulncheck: ## Look for known vulnerabilities in what is called.
	@hack/vulncheck.sh

##@ Test

.PHONY: test
test: $(LOCALCLUSTER) ## Run what must pass before each landing; JUnit files in _output/test.
	@hack/test.sh

# The commit that test-changed compares with; without one, where the branch left origin/main.
SINCE ?=

.PHONY: test-changed
test-changed: ## Run what concerns the files that changed, for use while working (SINCE=COMMIT).
	@go run ./hack/changed $(if $(SINCE),-since '$(SINCE)')

# `make verify` vets all of it, with all of vet: go test's own part would go through each dependency anew.
NO_VET := -vet=off

# What pages are tested in.
.PHONY: chromium
chromium:
	@command -v chromium chromium-browser google-chrome > /dev/null || { \
	  echo 'Installing the Debian package chromium, which pages are tested in'; \
	  { apt-get install -qq -y --no-install-recommends chromium || { apt-get update -qq && apt-get install -qq -y --no-install-recommends chromium; }; } > /dev/null; }

.PHONY: test-unit
test-unit: $(GOTESTSUM) $(NODE_MODULES) chromium ## Run the unit tests.
	@mkdir -p $(TEST_OUTPUT)
	$(GOTESTSUM) --format=pkgname --junitfile=$(TEST_OUTPUT)/unit.xml -- $(NO_VET) $(UNIT_PACKAGES)
	$(GOTESTSUM) --format=pkgname --junitfile=$(CURDIR)/$(TEST_OUTPUT)/unit-localcluster.xml \
		--raw-command -- go -C hack/localcluster test -json ./...

.PHONY: test-race
test-race: ## Run the unit tests of concurrent code under the race detector.
	CGO_ENABLED=1 go test -race $(NO_VET) $(RACE_PACKAGES)

# What tests without a cluster run: an API server, etcd, the stores' servers, and Prometheus.
.PHONY: test-programs
test-programs: $(LOCALCLUSTER)
	@[ -n "$${KUBEBUILDER_ASSETS:-}" ] || $(LOCALCLUSTER) envtest-assets >/dev/null
	@[ -n "$${KVBENCH_BIN_DIR:-}" ] || { $(LOCALCLUSTER) store-programs && $(LOCALCLUSTER) bin-dir prometheus; } >/dev/null

# The folders of these programs, in a recipe.
TEST_PROGRAMS = export KUBEBUILDER_ASSETS="$${KUBEBUILDER_ASSETS:-$$($(LOCALCLUSTER) envtest-assets)}"; \
	export KVBENCH_BIN_DIR="$${KVBENCH_BIN_DIR:-$$($(LOCALCLUSTER) store-programs):$$($(LOCALCLUSTER) bin-dir prometheus)}"

.PHONY: prepare
prepare: $(LOCALCLUSTER)
	@[ '$(CLUSTER)' != local ] || exec $(LOCALCLUSTER) prepare

# Each of its parts waits more than it computes, so they run at the same time.
.PHONY: test-integration
test-integration: $(LOCALCLUSTER) $(GOTESTSUM) test-programs ## Run the tests against a real API server, and the stores' conformance.
	@$(TEST_PROGRAMS); echo "KUBEBUILDER_ASSETS=$$KUBEBUILDER_ASSETS KVBENCH_BIN_DIR=$$KVBENCH_BIN_DIR"; \
	$(MAKE) --no-print-directory --keep-going --jobs=2 test-conformance test-controllers

# They wait more than they compute, so more of them than there are cores go on at a time.
CONFORMANCE = mkdir -p $(TEST_OUTPUT); $(TEST_PROGRAMS); \
	$(GOTESTSUM) --format=pkgname --junitfile=$(TEST_OUTPUT)/$(1).xml -- $(NO_VET) -count=1 -timeout=60m -parallel=$$(($$(nproc) + 1))
# Several members of a store of Java, stores that differ from another one in their server alone, and
# what asks for a password alone where another test asks for that and a certificate.
LONG_CONFORMANCE := ^Test((Cassandra|Hazelcast|Ignite)(Of|With|Is|Keeps)|Valkey|RedisClusterWith|RedisWithPasswords)
# Those of the conformance tests whose names match, the long ones included: RUN='^TestRedis'.
RUN =

.PHONY: test-conformance
test-conformance: $(LOCALCLUSTER) $(GOTESTSUM) test-programs ## Run the stores' conformance on real servers, but for the long tests (RUN='^TestRedis': all of these).
	@$(call CONFORMANCE,conformance) $(if $(RUN),-run='$(RUN)',-skip='$(LONG_CONFORMANCE)') ./test/conformance

.PHONY: test-long-conformance
test-long-conformance: $(LOCALCLUSTER) $(GOTESTSUM) test-programs ## Run the rest of the conformance: clusters of Java's stores, Valkey, Redis Cluster with security.
	@$(call CONFORMANCE,long-conformance) -run='$(LONG_CONFORMANCE)' ./test/conformance

# Each process has an API server of its own, and waits more than it computes.
.PHONY: test-controllers
test-controllers: $(LOCALCLUSTER) test-programs ## Run the controllers against a real API server.
	@mkdir -p $(TEST_OUTPUT)
	@$(TEST_PROGRAMS); go tool ginkgo --procs=$$(($$(nproc) + 1)) $$([ -t 2 ] || echo --no-color) --label-filter='!robustness' --timeout=25m \
		--output-dir=$(CURDIR)/$(TEST_OUTPUT) --junit-report=integration.xml ./test/integration

# The end-to-end specs, compiled while there is other work.
E2E := _output/bin/e2e.test
$(E2E): FORCE
	@go test -c -tags=e2e $(NO_VET) -o $@ ./test/e2e

# $(call E2E_SPECS,JUnit file,labels,minutes)
E2E_SPECS = mkdir -p $(TEST_OUTPUT); cd test/e2e; KUBECONFIG=$(CURDIR)/_output/kubeconfig $(CURDIR)/$(E2E) -test.timeout=0 \
	-ginkgo.v -ginkgo.fail-on-empty $(GINKGO_FLAGS) -ginkgo.label-filter='$(2)' -ginkgo.timeout=$(3)m -ginkgo.junit-report=$(CURDIR)/$(TEST_OUTPUT)/$(1).xml

# The files of the specs that are run, whatever their labels: SPECS='late_test.go cancel_test.go'.
SPECS =

# The stores, other than etcd, that the end-to-end tests deploy; specs of one's choice may deploy any.
# Other clusters pull their images.
E2E_STORES := memcached hazelcast

# What is compiled for the cluster and for the end-to-end tests.
.PHONY: test-programs-of-cluster
test-programs-of-cluster: build $(DEMO) $(E2E)

.PHONY: test-cluster
test-cluster: build cluster prometheus-image $(E2E) ## Bring up what the end-to-end tests run on.
	@[ '$(CLUSTER)' != local ] || $(LOCALCLUSTER) store-images $(if $(SPECS),,$(E2E_STORES))

.PHONY: test-e2e
test-e2e: test-cluster ## Run the end-to-end tests on the cluster (SPECS='late_test.go': of these files).
	@$(MAKE) --no-print-directory e2e-specs

.PHONY: e2e-specs
e2e-specs: chromium
	@$(call E2E_SPECS,e2e,$(if $(SPECS),!catalog,!robustness && !stores && !catalog),70) $(SPECS:%=-ginkgo.focus-file=%)

# On the local cluster, Prometheus is built like all other programs; others pull its image.
.PHONY: prometheus-image
prometheus-image: $(LOCALCLUSTER) cluster
	@[ '$(CLUSTER)' != local ] || $(LOCALCLUSTER) prometheus-image

# The stores that are no Go programs come from Debian's packages.
.PHONY: store-images
store-images: $(LOCALCLUSTER) cluster ## Load the images of all stores into the local cluster, which has no registry.
	@[ '$(CLUSTER)' != local ] || $(LOCALCLUSTER) store-images

.PHONY: test-robustness
test-robustness: $(LOCALCLUSTER) build cluster $(E2E) ## Run the long tests: every write of the controller broken in every way, processes killed.
	@mkdir -p $(TEST_OUTPUT)
	go test -tags=root -count=1 ./internal/results
	@export KUBEBUILDER_ASSETS="$${KUBEBUILDER_ASSETS:-$$($(LOCALCLUSTER) envtest-assets)}"; \
	export KUBE_ROUTER="$$($(LOCALCLUSTER) kube-router)"; \
	export KVBENCH_BIN_DIR="$${KVBENCH_BIN_DIR:-$$($(LOCALCLUSTER) store-programs redis)}"; \
	go test -tags=root -timeout=90m ./test/integration/... -v $(GINKGO_FLAGS) -ginkgo.label-filter=robustness -ginkgo.timeout=85m \
		-ginkgo.junit-report=$(CURDIR)/$(TEST_OUTPUT)/robustness.xml
	@$(call E2E_SPECS,robustness-e2e,robustness,70)

# Those of the catalog whose names match: STORES='redis.*, mode wait'.
STORES =

.PHONY: test-stores
test-stores: ## Run what is of the stores and takes long (STORES=redis: these stores' part of test-catalog).
	@$(MAKE) --no-print-directory --keep-going --jobs=1 $(if $(STORES),,test-long-conformance test-store-faults) test-catalog

.PHONY: test-store-faults
test-store-faults: build cluster store-images $(E2E) ## Kill members of each store under load, on the cluster.
	@$(call E2E_SPECS,store-faults,stores,90)

.PHONY: test-catalog
test-catalog: build cluster store-images $(E2E) ## Run each mode of each store (STORES=redis: of these) with 1, 3, 5, 7 and 9 members; the table in _output/test/stores.md.
	@export KVBENCH_CATALOG_TABLE=$(CURDIR)/$(TEST_OUTPUT)/stores.md; \
	$(call E2E_SPECS,catalog,catalog,235) $(if $(STORES),'-ginkgo.focus=The catalog has ($(STORES))')

# How long each fuzz target runs.
FUZZTIME ?= 30s

.PHONY: fuzz
fuzz: ## Fuzz each parser of outside input for FUZZTIME (30s).
	@hack/fuzz.sh '$(FUZZTIME)'

# How often each benchmark runs: benchstat wants ten to tell differences from noise.
BENCH_COUNT ?= 1
# How often each program does each work beside its peers.
BENCH_REPEAT ?= 3
BENCH := _output/bin/bench

$(BENCH): FORCE
	@go build -o $@ ./hack/bench

bin/kvbench-loadgen: FORCE
	@go build -ldflags='$(LDFLAGS)' -o $@ ./cmd/kvbench-loadgen

.PHONY: bench
bench: $(BENCH) bin/kvbench-loadgen chromium ## Run the benchmarks of the load generator and of the page, and the former beside the peers that are installed.
	go test -run='^$$' -bench=. -benchmem -benchtime=3s -count=$(BENCH_COUNT) ./internal/workload/... ./internal/loadgen/... ./internal/suite/... ./controllers/suite/... ./internal/results/live/seconds
	go test -run='^$$' -bench=. -benchtime=1x -count=$(BENCH_COUNT) ./web
	$(BENCH) -repeat $(BENCH_COUNT)

.PHONY: bench-peers
bench-peers: $(BENCH) bin/kvbench-loadgen $(LOCALCLUSTER) ## Run it beside go-ycsb and YCSB, which are installed first, on etcd as well.
	etcd=$$($(LOCALCLUSTER) bin-dir etcd) && $(BENCH) -install -repeat $(BENCH_REPEAT) -etcd "$$etcd/etcd"

.PHONY: bench-stores
bench-stores: $(LOCALCLUSTER) bin/kvbench-loadgen ## Load and read each store beside the best simple tool for it; takes a JDK.
	@$(TEST_PROGRAMS); export KVBENCH_BIN_DIR="$(CURDIR)/bin:$$KVBENCH_BIN_DIR"; \
	go test -run='^$$' -bench='^Benchmark(Load|Run)$$' -benchtime=$(BENCH_REPEAT)x -timeout=90m ./test/conformance

.PHONY: bench-controller
bench-controller: $(LOCALCLUSTER) ## Measure the passes of a suite of 1,000 runs, on an API server alone.
	KUBEBUILDER_ASSETS="$$($(LOCALCLUSTER) envtest-assets)" go test -run='^$$' -bench=. -benchtime=1x -count=3 ./test/integration

.PHONY: bench-cluster
bench-cluster: cluster ## Measure kvbench itself on the cluster: its delay, and what its programs need.
	KUBECONFIG=$(CURDIR)/_output/kubeconfig go test -tags=e2e -run='^$$' -bench=. -benchtime=1x -count=3 -timeout=60m ./test/bench/...

##@ Run

.PHONY: cluster
cluster: $(DEMO) ## Bring the cluster up, with Chaos Mesh and kvbench (CLUSTER=local|kind|current).
	$(DEMO) install --cluster '$(CLUSTER)'

.PHONY: demo
demo: cluster ## Run config/samples/etcd-leader-kill.yaml, and keep its report in _output/demo.
	$(DEMO) run

.PHONY: down
down: $(DEMO) ## Remove the cluster (CLUSTER=local|kind); nothing is left but the cache.
	$(DEMO) down --cluster '$(CLUSTER)'

.PHONY: clean
clean: ## Remove bin/ and _output/, not the cluster and not the cache.
	rm -rf bin _output
