#!/bin/bash
# Kills a rank of an MPI job on two GPUs during its time steps with SIGKILL: rank 1, then rank 0, each $2 times (default 5).
# The job must end within 10 s with a nonzero status and leave no file. It needs thermsim in the same folder and mpirun; $1 is a work folder.
set -u
work=$(realpath "$1")
program=$(realpath "$(dirname "$0")")/thermsim
times=${2:-5}
cd "$work" || exit
"$program" init plain chip > init.txt 2>&1 || { cat init.txt; exit 1; }
stack=$(find chip -name '*.toml' | head -1)
failed=0
for n in $(seq 1 "$times"); do
	for victim in 1 0; do
		rm -rf out pid-*
		mpirun -n 2 sh -c 'echo $$ > pid-${OMPI_COMM_WORLD_RANK:-$PMI_RANK}; exec "$@"' sh "$program" transient "$stack" --device gpu:all \
			--precond multigrid --grid 1024x1024 --steps 100000 --dt 1ms --rtol 1e-8 --out out > said.txt 2>&1 &
		job=$!
		sleep "$(awk -v n="$n" 'BEGIN { srand(n * 7919 + '$victim'); print 4 + 2 * rand() }')"
		start=$(date +%s.%N)
		kill -9 "$(cat pid-$victim)" || { echo "rank $victim ended before the kill:"; cat said.txt; failed=1; }
		timeout 20 tail --pid=$job -f /dev/null || { echo "the job is still there after 20 s"; failed=1; kill $job; }
		wait $job
		status=$?
		took=$(awk -v a="$start" -v b="$(date +%s.%N)" 'BEGIN { printf "%.2f", b - a }')
		left=$(find out -type f 2> /dev/null | grep -v '/\.thermsim/' | wc -l)
		echo "rank $victim killed: the job ended after $took s with status $status, $left files are left"
		[ "$status" != 0 ] && [ "$left" = 0 ] && awk -v t="$took" 'BEGIN { exit !(t < 10) }' || failed=1
	done
done
exit $failed
