#!/bin/bash
# Kills a rank of a run on two GPUs, with one process each, during its time steps with SIGKILL: rank 1, then rank 0, each $2 times (default 5).
# The other must end within 10 s with a nonzero status and one line that names the lost rank, and leave no file. It needs thermsim in the same folder; $1 is a work folder.
set -u
work=$(realpath "$1")
program=$(realpath "$(dirname "$0")")/thermsim
times=${2:-5}
cd "$work" || exit
"$program" init plain chip > init.txt 2>&1 || { cat init.txt; exit 1; }
stack=$(find chip -name '*.toml' | head -1)
failed=0
port=7200
for n in $(seq 1 "$times"); do
	for victim in 1 0; do
		rm -rf out-*
		port=$((port + 1))
		pids=()
		for rank in 0 1; do
			"$program" transient "$stack" --device gpu:$rank --precond multigrid --grid 1024x1024 --steps 100000 --dt 1ms --rtol 1e-8 --ranks 2 --rank $rank \
				--rendezvous 127.0.0.1:$port --out out-$victim > said-$rank.txt 2>&1 &
			pids+=($!)
		done
		sleep "$(awk -v n="$n" 'BEGIN { srand(n * 7919 + '$victim'); print 4 + 2 * rand() }')"
		kill -0 "${pids[0]}" 2> /dev/null && kill -0 "${pids[1]}" 2> /dev/null || { echo "a rank ended before the kill:"; cat said-*.txt; failed=1; }
		start=$(date +%s.%N)
		kill -9 "${pids[$victim]}"
		timeout 20 tail --pid="${pids[1 - victim]}" -f /dev/null || { echo "the other rank is still there after 20 s"; failed=1; kill -9 "${pids[1 - victim]}"; }
		wait "${pids[1 - victim]}"
		status=$?
		took=$(awk -v a="$start" -v b="$(date +%s.%N)" 'BEGIN { printf "%.2f", b - a }')
		left=$(find out-* -type f 2> /dev/null | grep -v '/\.thermsim/' | wc -l)
		lines=$(grep -c "rank $victim " said-$((1 - victim)).txt)
		echo "rank $victim killed: the other ended after $took s with status $status, $lines line names it, $left files are left: $(tail -1 said-$((1 - victim)).txt)"
		[ "$status" != 0 ] && [ "$lines" = 1 ] && [ "$left" = 0 ] && awk -v t="$took" 'BEGIN { exit !(t < 10) }' || failed=1
	done
done
exit $failed
