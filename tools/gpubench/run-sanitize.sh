#!/bin/bash
# compute-sanitizer over the conformance tests of all methods, from the folder of "make gpu-test": ALL=1800 OUT=sanitized ./sanitize [TOOL...], with
# memcheck, racecheck, synccheck and initcheck if no tool is named. It takes at most ALL seconds, LIMIT per suite, with JOBS suites at a time. A sanitizer makes a test
# some hundred times slower, and several at once slow each other down. Each suite writes a log and a line of results.jsonl when it ends; rc 0 is no finding, 9 a
# finding, 124 a timeout. A rerun with the same OUT continues with the suites that had no time. It exits with 0 only if every suite ran tests and found nothing.
cd "$(dirname "$0")" || exit
mkdir -p "${OUT:=sanitized}/log"; OUT=$(cd "$OUT" && pwd) || exit; W=$PWD
C=$(./thermsim version | head -1); END=$(($(date +%s) + ${ALL:-1800})); LIMIT=${LIMIT:-400}
export OUT W C END LIMIT THERMSIM_GPU_WAIT=off
command -v compute-sanitizer > /dev/null || { echo "sanitize: compute-sanitizer is not on PATH; it is part of the CUDA toolkit" >&2; exit 1; }
{ nvidia-smi; nproc; compute-sanitizer --version; } > "$OUT/log/machine.txt" 2>&1
cd examples || exit
suite() { # TOOL NAME PROGRAM TESTS
  local name=$1-$2 left=$((END - $(date +%s))) from=$(date +%s%N) limit=$LIMIT rc
  grep -s "\"suite\": \"$name\"" "$OUT/results.jsonl" | grep -q '"rc": \(0, .*"passed": [1-9]\|9,\)' && return
  [ "$limit" -gt "$left" ] && limit=$left
  [ "$limit" -lt 10 ] && return
  timeout -k 3 "$limit" compute-sanitizer --tool "$1" --error-exitcode 9 --print-limit 20 "$W/$3.test" -test.v -test.short -test.run "$4" > "$OUT/log/$name.txt" 2>&1; rc=$?
  echo "{\"suite\": \"$name\", \"commit\": \"$C\", \"rc\": $rc, \"ms\": $((($(date +%s%N) - from) / 1000000)), \"limit_s\": $limit, \"passed\": $(grep -c -- '--- PASS' "$OUT/log/$name.txt"), \"failed\": $(grep -c -- '--- FAIL' "$OUT/log/$name.txt"), \"skipped\": $(grep -c -- '--- SKIP' "$OUT/log/$name.txt"), \"summary\": \"$(grep -ho '\(ERROR\|RACECHECK\) SUMMARY.*' "$OUT/log/$name.txt" | tail -1)\"}" >> "$OUT/results.jsonl"
}
export -f suite
[ $# -gt 0 ] || set -- memcheck racecheck synccheck initcheck
for t in "$@"; do cat <<L
$t ranks cuda TestRanksOfOneGPU$
$t chebyshev chebyshev TestOperationsOnGPU$
$t cmg cmg TestSegmentsOnGPU$
$t parac parac TestConformanceOnGPU$
$t mixed mixed TestProductsOnGPU$
$t fourier fourier TestConformanceOnGPU$|TestSmallOnGPU$
$t downstream downstream TestBoundOnGPU$
$t cooled multigrid TestCooledOnGPU$
$t jacobi jacobi TestOperationsOnGPU$
$t krylov krylov TestStabilisedOnGPU$
$t multigrid multigrid TestOperationsOnGPU$
$t ilu ilu TestIncompleteOnGPU$
$t ddilu ddilu TestBricksOnGPU$|TestPartsOnGPU$
$t matrices cuda TestMatricesOnGPU$
$t cuda cuda TestConformanceOnGPU$
L
done | xargs -P "${JOBS:-3}" -L 1 bash -c 'suite "$@"' _
cut -c1-200 "$OUT/results.jsonl"
clean=$(for t in "$@"; do grep "\"suite\": \"$t-" "$OUT/results.jsonl" | grep '"rc": 0, .*"passed": [1-9]'; done | sed 's/,.*//' | sort -u | wc -l)
echo "$clean of $((15 * $#)) suites ran tests and found nothing"
[ "$clean" -eq $((15 * $#)) ]
