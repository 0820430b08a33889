# Only Go is needed, except for `make ptx` and `make generate`, which compile GPU kernels. `make` builds bin/thermsim.

export CGO_ENABLED = 0

BENCHTIME ?= 1x
BENCHCOUNT ?= 3
FUZZTIME  ?= 30s

# Packages with tests that use a GPU; the names of these tests have GPU in them.
GPU_PACKAGES = gpusolve gpusolve/memory gpusolve/meshed gpusolve/ranks gpusolve/cuda/cudriver gpusolve/cuda gpusolve/ranks/slabs gpusolve/testing/interpreter examples gpusolve/krylov gpusolve/krylov/mixed gpusolve/precond/chebyshev gpusolve/precond/cmg gpusolve/precond/ddilu gpusolve/precond/downstream gpusolve/precond/fourier gpusolve/precond/ilu gpusolve/precond/jacobi gpusolve/precond/multigrid gpusolve/precond/parac

.PHONY: build test test-extended mumax3 lint prose ci bench fuzz mutants generate ptx gpu-test gpu-bench gpu-papers performance robustness notices dist docs vuln clean

build:
	go build -o bin/ ./cmd/thermsim

test:
	go test ./...

# The same tests with more and larger samples: random campaigns, kill series, planted faults, archives. About an hour on two cores.
test-extended:
	THERMSIM_TESTS=extended go test -timeout 60m ./...

# The program with mumax/3's CUDA bindings, which are under GPL-3: docs/contributing/decisions/0005-cuda-bindings.md. Needs gcc.
mumax3:
	mkdir -p bin
	gpusolve/cuda/cudriver/mumax3/build/check $(CURDIR)/bin/thermsim-mumax3

# The English of pages, doc comments and texts, by the rules in .vale. Vale needs a C compiler.
prose: bin/vale
	go run ./tools/prose -vale bin/vale

bin/vale:
	CGO_ENABLED=1 GOBIN=$(CURDIR)/bin go install github.com/errata-ai/vale/v3/cmd/vale@v3.15.2

# What .ci/run checks before it tests.
lint:
	test -z "$$(gofmt -l .)" || { gofmt -l .; exit 1; }
	go vet ./...
	go run honnef.co/go/tools/cmd/staticcheck@v0.8.2 ./...
	go run github.com/OpenPeeDeeP/depguard/v2/cmd/depguard@v2.3.0 ./...

ci:
	.ci/run

# Solver benchmarks, then the whole program on the 512 x 512 x 10 example: wall time with maps and tables.
bench: build
	go test -run '^$$' -bench . -benchtime $(BENCHTIME) -count $(BENCHCOUNT) ./gpusolve/
	@echo
	@echo "thermsim steady examples/mol10-ev6 (512 x 512 x 10), whole process:"
	@out=$$(mktemp -d); for i in $$(seq $(BENCHCOUNT)); do \
		start=$$(date +%s%N); \
		bin/thermsim steady examples/mol10-ev6 --quiet --out $$out || exit; \
		end=$$(date +%s%N); \
		echo "  $$(( (end - start) / 1000000 )) ms, peak $$(sed -n 's/.*"host_peak_bytes": \([0-9]*\).*/\1/p' $$out/summary.json) bytes"; \
	done; rm -r $$out

# Each fuzz target for FUZZTIME on all cores. Go writes inputs that fail to testdata/fuzz of the package, where they stay as seeds after a fix.
fuzz:
	@grep -rHoE --include='*_test.go' '^func Fuzz[A-Za-z0-9]+' . | sed 's|/[^/]*:func | |' | sort | { \
		failed=0; while read -r package target; do \
			echo "$$package $$target"; \
			go test -run '^$$' -fuzz "^$$target$$" -fuzztime $(FUZZTIME) "$$package" || failed=1; \
		done; exit $$failed; }

# Plants MUTANTS faults, one after the other, and runs the tests that should notice. 300 take hours on two cores; faults with results in mutants.jsonl are skipped.
MUTANTS ?= 300
mutants:
	go run ./tools/mutants -n $(MUTANTS) -o mutants.jsonl

generate:
	go generate ./...

# The GPU kernels' PTX and launchers, from the CUDA sources. Needs clang-19: apt-get install clang-19.
ptx:
	go generate ./gpusolve/cuda/kernels ./gpusolve/krylov/... ./gpusolve/precond/...

# Test binaries for a GPU machine without Go: copy the folder there (docs/guides/gpu.md) and start bin/gpu-test/run.
gpu-test:
	rm -rf bin/gpu-test
	mkdir -p bin/gpu-test
	for package in $(GPU_PACKAGES); do go test -c -trimpath -ldflags "-s -w" -o bin/gpu-test/$$(basename $$package).test ./$$package || exit; done
	go build -trimpath -ldflags "-s -w" -o bin/gpu-test/ ./cmd/thermsim ./tools/gpubench
	cp -r examples bin/gpu-test/
	cp tools/gpubench/run-tests.sh bin/gpu-test/run
	cp tools/gpubench/run-harm.sh bin/gpu-test/harm
	cp tools/gpubench/run-sanitize.sh bin/gpu-test/sanitize

# The benchmark program, for the same machine: bin/gpubench -json NAME.json; tools/gpubench/main.go lists its other measurements.
gpu-bench:
	go build -buildvcs=auto -trimpath -ldflags "-s -w" -o bin/ ./tools/gpubench

# The programs that measure the tables of the five papers: bin/gpu/papers bin/gpu results; tools/gpubench/run-papers.sh has the parts.
gpu-papers:
	go build -trimpath -ldflags "-s -w -X main.version=devel+$$(git rev-parse --short=12 HEAD)" -o bin/gpu/ ./cmd/thermsim
	go build -trimpath -ldflags "-s -w" -o bin/gpu/ ./tools/gpubench
	cp tools/gpubench/run-papers.sh bin/gpu/papers
	cp -r examples/tsv-array bin/gpu/

# The tables in docs and README.md that are generated from docs/measurements.
performance:
	go generate ./tools/figures

# The tables of iterations in docs/explanation/robustness.md and docs/guides/liquid-cooling.md, in about an hour on two cores, with 6 GB.
robustness:
	go test ./gpusolve/methods -run 'TestRobust$$' -v -timeout 0 -robust-table ../../docs/explanation/robustness.md
	go test ./gpusolve/precond/downstream -run 'TestRobustTable$$' -v -timeout 0 -robust-table ../../../docs/guides/liquid-cooling.md

# The licenses of all dependencies of thermsim, on every system. A test fails if they are outdated.
notices:
	mkdir -p bin
	go run ./tools/release notices > bin/notices.txt && mv bin/notices.txt THIRD_PARTY_NOTICES.txt

# Where the project is published, such as https://host/me/thermsim, for packages, manifests and the documentation's links to sources. Without it these links are
# plain text, and packages and manifests have the placeholder in tools/release/packages.go.
REPOSITORY ?=

# Archives with manual pages and completions, packages, manifests for package managers, bills of materials and checksums, in bin/dist: docs/contributing/releasing.md.
dist:
	go run ./tools/release dist $(REPOSITORY:%=-repository %)

# The documentation as a site in bin/docs: docs, README.md, CONTRIBUTING.md, the examples and the help of all commands. Compiling Hugo takes minutes the first time.
docs: build
	rm -rf bin/man bin/docs
	bin/thermsim man --quiet bin/man
	HUGO_PARAMS_REPOSITORY="$(REPOSITORY:%=%/blob/main)" go run github.com/gohugoio/hugo@v0.165.0 --source docs/site --destination ../../bin/docs --noBuildLock

# Known vulnerabilities in called code. Needs the database at vuln.go.dev; without it nothing is checked, which is reported.
vuln:
	@GOBIN=$(CURDIR)/bin go install golang.org/x/vuln/cmd/govulncheck@v1.9.0
	@bin/govulncheck ./... > bin/govulncheck.txt 2>&1; status=$$?; cat bin/govulncheck.txt; \
	if [ $$status = 1 ] && grep -q 'fetching vulnerabilities' bin/govulncheck.txt; then \
		echo "not checked: the database of vulnerabilities cannot be reached"; exit 0; \
	fi; exit $$status

clean:
	rm -rf bin thermsim-out
