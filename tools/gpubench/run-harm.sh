#!/bin/bash
# Failures of runs on a GPU, from the folder of "make gpu-test": ALL=300 OUT=harmed ./harm takes at most 300 seconds. Each part writes a log and a line of
# results.jsonl when it ends; rc 4 is a device failure of thermsim, 124 a timeout.
cd "$(dirname "$0")" || exit
mkdir -p "${OUT:=harmed}/log"; OUT=$(cd "$OUT" && pwd) || exit; W=$PWD; export OUT W
START=$(date +%s); ALL=${ALL:-300}
C=$(./thermsim version | head -1); export C
cd examples || exit
nvidia-smi > "$OUT/log/machine.txt" 2>&1; nproc >> "$OUT/log/machine.txt"
# part NAME LIMIT COMMAND...: a line of JSON with the outcome, before END
part() {
  local name=$1 limit=$2 left=$((END - $(date +%s))) from=$(date +%s%N) rc; shift 2
  [ $limit -gt $left ] && limit=$left
  if [ $limit -lt 4 ]; then echo "{\"part\": \"$name\", \"commit\": \"$C\", \"rc\": -1, \"note\": \"no time left\"}" >> "$OUT/results.jsonl"; return; fi
  timeout -k 3 "$limit" "$@" > "$OUT/log/$name.txt" 2>&1; rc=$?
  echo "{\"part\": \"$name\", \"commit\": \"$C\", \"rc\": $rc, \"ms\": $((($(date +%s%N) - from) / 1000000)), \"limit_s\": $limit, \"passed\": $(grep -c -- '^--- PASS' "$OUT/log/$name.txt"), \"failed\": $(grep -c -- '^--- FAIL' "$OUT/log/$name.txt"), \"skipped\": $(grep -c -- '^--- SKIP' "$OUT/log/$name.txt")}" >> "$OUT/results.jsonl"
}
gotest() { part "$1" "$2" "$W"/"$3".test -test.v -test.run "$4"; }
export -f part gotest
mark() { echo "{\"part\": \"$1\", \"commit\": \"$C\", \"rc\": 0, \"seconds\": $(($(date +%s) - START))}" >> "$OUT/results.jsonl"; }

# A. Tests with GPU in their name. Those of memory need exclusive use of the GPU.
export END=$(($(date +%s) + 35))
gotest need 35 gpusolve 'TestNeedOnGPU$|TestNeedOfLargeGraphOnGPU$'
mark memory
export END=$((START + ALL * 2 / 3))
xargs -P 8 -L 1 bash -c 'gotest "$@"' _ <<'L'
following 110 gpusolve TestFollowingStepsOnGPU$
leaky 110 gpusolve TestLeakyStepsOnGPU$
many 110 gpusolve TestSolveManyOnAGPU$
cooled 110 gpusolve TestCooledOnGPU$
examples 110 examples GPU
multigrid 110 multigrid OnGPU$
fourier 110 fourier OnGPU$
cuda 110 cuda OnGPU$|OnOneGPU$|OfOneGPU$
slabs 60 slabs GPUs
cooled-elimination 110 gpusolve TestCooledStacksAgainstEliminationOnGPU$
downstream 110 downstream OnGPU$
ilu 110 ilu OnGPU$
ddilu 110 ddilu OnGPU$
cmg 110 cmg GPU$
parac 110 parac OnGPU$
jacobi 60 jacobi OnGPU$
chebyshev 60 chebyshev OnGPU$
mixed 60 mixed OnGPU$
krylov 60 krylov OnGPU$
cudriver 60 cudriver GPU|Wait
L
part verify 25 "$W"/thermsim verify --device gpu
mark tests

# B. Failures of runs.
export END=$((START + ALL))
quiet="--no-map --no-page"
hold() { # NAME BYTES
  "$W"/gpubench hold -leave "$2" -for 12s > "$OUT/log/hold-$1.txt" 2>&1 & local h=$!
  for i in $(seq 50); do grep -q free "$OUT/log/hold-$1.txt" && break; sleep 0.1; done
  part "oom-$1-gpu" 10 "$W"/thermsim steady mol10-ev6 --grid 2048x2048 --device gpu $quiet --save none --out "$OUT/oom-$1"
  part "oom-$1-auto" 10 "$W"/thermsim steady mol10-ev6 --grid 600x600 --precond multigrid --device auto $quiet --save none --out "$OUT/oom-auto-$1"
  kill $h 2>/dev/null; wait $h 2>/dev/null
}
hold 1GB 1e9; hold 200MB 2e8
THERMSIM_GPU_WAIT=1ms part wait-limit 10 "$W"/thermsim steady mol10-ev6 --grid 4000x4000 --precond multigrid --device gpu $quiet --save none --out "$OUT/limit"
# Four simultaneous processes: results identical to those of one.
part one 10 "$W"/thermsim steady mol10-ev6 --grid 1024x1024 --precond multigrid --device gpu $quiet --quiet --files raw --out "$OUT/alone"
for n in 1 2 3 4; do part four-$n 20 "$W"/thermsim steady mol10-ev6 --grid 1024x1024 --precond multigrid --device gpu $quiet --quiet --files raw --out "$OUT/four-$n" & FOUR="$FOUR $!"; done; wait $FOUR
for n in 1 2 3 4; do part four-same-$n 10 bash -c "cd $OUT/alone && s=0; ls; for f in *.csv *.png *.bin; do cmp \$f ../four-$n/\$f || s=1; done; exit \$s"; done
# 2.2e9 cells.
part big-fourier 25 "$W"/thermsim steady mol10-ev6 --grid 14900x14900 --precond fourier --device gpu $quiet --save none --json -v --out "$OUT/big-fourier"
part big-multigrid 25 "$W"/thermsim steady mol10-ev6 --grid 14900x14900 --precond multigrid --device gpu $quiet --save none --json -v --out "$OUT/big-multigrid"
part big-cmg 10 "$W"/thermsim steady mol10-ev6 --grid 14900x14900 --precond cmg --device gpu $quiet --save none --out "$OUT/big-cmg"
part big-coarse 10 "$W"/thermsim steady mol10-ev6 --grid 1490x1490 --device gpu $quiet --save none --json --out "$OUT/big-coarse"
mark harm
# Waits by polling (default) compared with those of the driver, alternating.
for n in 1 2 3; do for w in off 300s; do for c in 512x512x10 1871x1871x10; do
  THERMSIM_GPU_WAIT=$w part wait-$w-$c-$n 8 "$W"/gpubench -case $c -runs 15 -json "$OUT/wait-$w-$c-$n.json"
done; done; done
part big-jacobi 20 "$W"/thermsim steady mol10-ev6 --grid 14900x14900 --precond jacobi --max-iter 30 --device gpu $quiet --save none --json -v --out "$OUT/big-jacobi"
mark all
cut -c1-170 "$OUT/results.jsonl"
