#!/bin/bash
# Measures ranks on a machine with two GPUs or more, into the folder $1: tests of transport and sums, ranks in one process and in two, with NCCL and without.
# It needs cuda.test (go test -c ./gpusolve/cuda), slabs.test (./gpusolve/ranks/slabs) and gpubench in the same folder. THERMSIM_NCCL is the path of libnccl.so.2 if the loader does not find it.
set -u
out=$(realpath "$1")
cd "$(dirname "$0")" || exit
gpus=${GPUS:-gpu:0,1}
NCCL_DEBUG=INFO timeout 120 ./cuda.test -test.run 'GPU' -test.v > "$out/transport.log" 2>&1
echo "transport: status $?"
grep -a "us$\|transport:" "$out/transport.log" | sed 's/.*_test.go:[0-9]*: //'
timeout 60 ./slabs.test -test.run 'GPU' -test.v
timeout 300 ./gpubench -ranks "$gpus" -runs 5 -max-cells 1100000000 -json "$out/one-process.json"
THERMSIM_NCCL=off timeout 120 ./gpubench -ranks "$gpus" -runs 3 -max-cells 36000000 -json "$out/copies.json"
count=$(($(tr -dc , <<< "$gpus" | wc -c) + 1))
timeout 300 mpirun -n $count ./gpubench -ranks "$gpus" -runs 5 -max-cells 71000000 -json "$out/processes.json"
