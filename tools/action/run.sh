#!/usr/bin/env bash
# Checks and solves a stack, and compares it with a base version, for action.yml.
#
# STACK  stack file, or folder with a stack.toml, relative to the working directory
# OUT    folder for check.sarif, run/ (report, limits.xml), base/ and diff/
# BASE   commit or branch to compare with; empty for none
# LIMIT  largest difference allowed, such as "0.5 K"; empty for any
# FLAGS  flags of thermsim steady, separated by spaces
#
# The exit status is the first of thermsim that is not 0: 2 invalid, 3 not converged, 5 above a limit.
set -uo pipefail
status=0
report() { # command, status
	[ "$2" -eq 0 ] || echo "thermsim $1: exit status $2" >&2
	[ "$status" -ne 0 ] || status=$2
}
read -ra flags <<< "${FLAGS:-}"
summary=${GITHUB_STEP_SUMMARY:-/dev/null}
mkdir -p "$OUT"

thermsim check "$STACK" --format sarif > "$OUT/check.sarif"
report check $?
if [ "$status" -ne 0 ]; then
	thermsim check "$STACK" --format text | tee -a "$summary"
	exit "$status"
fi
tables() { # command and its arguments; its tables are shown in the log and in the summary
	local text
	text=$(thermsim "$@")
	report "$1" $?
	echo "$text"
	printf '```text\n%s\n```\n' "$text" >> "$summary"
}
tables steady "$STACK" --junit --save last --no-map --out "$OUT/run" "${flags[@]}"
if [ -n "${BASE:-}" ] && [ -e "$OUT/run/run.zip" ]; then
	tree=$(mktemp -d)
	trap 'git worktree remove --force "$tree"' EXIT
	git worktree add --quiet --detach "$tree" "$BASE" || exit 1
	if [ -e "$tree/$STACK" ]; then
		at=$PWD
		# limits of the base do not count
		(cd "$tree" && thermsim steady "$STACK" --quiet --save last --no-map --out "$at/$OUT/base" "${flags[@]}")
		base=$?
		[ "$base" -eq 5 ] || report "steady of $BASE" "$base"
		if [ -e "$OUT/base/run.zip" ]; then
			tables diff "$OUT/run" "$OUT/base" --out "$OUT/diff" ${LIMIT:+--limit "$LIMIT"}
		fi
	else
		echo "$BASE has no $STACK to compare with" | tee -a "$summary"
	fi
fi
exit "$status"
