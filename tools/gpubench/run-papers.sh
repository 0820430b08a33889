#!/bin/bash
# Measures the tables of the pages on the five papers (docs/explanation/papers.md) on a GPU machine:
#
#	run-papers.sh [-b SECONDS] BIN OUT [PART...]
#
# BIN holds the programs thermsim and gpubench, and the example tsv-array. Every part writes OUT/BUILD/PART.json; parts whose file exists are
# skipped, so an interrupted run continues where it was. With -b, parts that would exceed the time are left for the next
# run. Without names, all parts run; "run-papers.sh list" prints them with the seconds that they need on an H200.
# OUT/BUILD/times.txt has the seconds that they took. docs/reference/bench.md says how files get into the pages.
set -u
parts() {
	# Algorithm 4 of CUTh-Solver, and Table IV with both starts of time steps
	bench algorithm4-cuth 40 --tables precision --systems CUTh "${algorithm4[@]}"
	bench table4-previous 30 --tables transient --systems CUTh1,CUTh7 "${table4[@]}" --from-previous
	bench table4-extrapolated 20 --tables transient --systems CUTh1,CUTh7 "${table4[@]}"
	bench algorithm4-mol10 190 --tables precision --systems MoL10-5M,MoL10-14M,MoL10-35M "${algorithm4[@]}"
	# A stack with lateral contrast: Table III, and all methods on a user's stack
	bench steady-tsv 60 --tables steady --systems TSV
	bench ranking-tsv 30 "${bin-}/tsv-array" --grid 400x400
	# Tables II to VII
	bench floorplans 20 --tables floorplans
	bench steady-cuth 60 --tables steady --systems CUTh
	bench steady-mol10 350 --tables steady --systems MoL10
	bench transient-cuth 180 --tables transient --systems CUTh
	bench transient-mol10 560 --tables transient --systems MoL10
	bench spmv-cuth 35 --tables spmv --systems CUTh
	bench spmv-mol10 360 --tables spmv --systems MoL10
	bench precision-cuth 50 --tables precision --systems CUTh
	bench precision-mol10 360 --tables precision --systems MoL10
	bench synergy-cuth 90 --tables synergy --systems CUTh
	bench synergy-mol10 900 --tables synergy --systems MoL10
	# StructILU and block ILDU
	factors ilu-parts 20 -table parts -right none \
		-case "stack 714,stack 1183,stack 1871,upwind 714x714x10,upwind 1871x1871x10,poisson 304"
	factors ilu-forms 20 -table forms -right none -precisions fp32 -forms levels,natural,flags,groups \
		-case "stack 714,poisson 304"
	factors ilu-counts 55 -table counts -orders "" -methods "ilu:order=0;ilu:order=1" -case "poisson 304,upwind 304"
	factors ddilu-blocks 30 -table blocks -orders "" -methods "$blocks" -right "normal random" -rtol 1e-8 \
		-case "poisson 160,poisson 304,upwind 160"
	factors ddilu-stacks 10 -table blocks -orders "" -methods "$blocks" -right none -case "stack 714,stack 1871"
	factors ddilu-rows 65 -table rows -orders "" -right "normal random" -rtol 1e-8 -case "rows of" \
		-methods "ddilu;ddilu:precision=fp64;ddilu:parallel=edges"
	# CMG and ParAC
	networks graphs-poisson 60 -tables poisson
	networks graphs-cmg-settings 15 -tables poisson -runs 0 -cases uniform \
		-precond "cmg;cmg:segment=16;cmg:storage=upper;cmg:repeats=1;cmg:repeats=3;cmg:repeats=8"
	networks graphs-seeds 25 -tables poisson -runs 0 -cases uniform,ParAC \
		-precond "parac:order=random;parac:seed=2;parac:seed=3;parac:seed=4;parac:seed=5"
	networks graphs-sides 20 -tables poisson -cases uniform,ParAC -runs 1 -precond "parac;ic:order=0;ic:order=1"
	networks graphs-products 15 -tables poisson -right product -cases uniform,ParAC -runs 1 \
		-precond "parac;ic:order=0;ic:order=1"
	networks graphs-families 70 -tables graphs -runs 0 -precond "parac;cmg;none"
	# Commit 3e014d2 of gpubench measured also the heights of exact factors.
	networks graphs-orders 90 -tables poisson,graphs -side 100 -runs 1 -cases uniform,ParAC,road,powergrid,cloud \
		-precond "parac:order=amd;parac:order=nnz;parac:order=random"
	networks graphs-netlists 45 -tables netlists -nodes 30976,126736,1000000 -devices gpu,cpu -threads 1,16 -runs 1
}
plain=chebyshev:form=plain,precision
algorithm4=(--precond "$plain=fixed-fp64" --precond "$plain=adaptive" --precond "$plain=adaptive,promote=paper"
	--precond "$plain=adaptive,promote=paper,bounds=found,margin=0" --precond "$plain=adaptive,entries=fp32")
table4=(--precond multigrid --precond fourier --precond chebyshev:form=plain --precond cmg --precond ic:order=0)
blocks="ilu:order=0;ddilu;ddilu:precision=fp64;ddilu:parallel=edges;ddilu:form=spin;ddilu:form=global;ddilu:form=levels"

bench() { part "$1" "$2" thermsim bench --device gpu --runs 1 --out PART "${@:3}"; }
factors() { part "$1" "$2" gpubench factors -commit "$commit" -json PART "${@:3}"; }
networks() { part "$1" "$2" gpubench networks -commit "$commit" -json PART "${@:3}"; }

# part NAME SECONDS PROGRAM ARGUMENTS... runs a part, if it is wanted and its file is missing.
part() {
	local name=$1 needs=$2 program=$3 file=$dir/$1.json began=$SECONDS
	shift 3
	[ ${#wanted[@]} = 0 ] || [[ " ${wanted[*]} " == *" $name "* ]] || return 0
	if [ -z "$dir" ]; then
		echo "$name $needs"
		return
	elif [ -e "$file" ]; then
		echo "== $name: measured already"
		return
	elif [ $((SECONDS + needs)) -gt "$budget" ]; then
		echo "== $name: needs $needs s, left for the next run"
		return
	fi
	echo "== $name ($needs s)"
	if "$bin/$program" "${@/#PART/$dir/$name.unfinished.json}" >"$dir/$name.log" 2>&1; then
		mv "$dir/$name.unfinished.json" "$file"
		echo "$name $((SECONDS - began))" | tee -a "$dir/times.txt"
	else
		tail -3 "$dir/$name.log"
		status=1
	fi
}

budget=1000000000 status=0 dir= commit=
if [ "${1:-}" = -b ]; then
	budget=$2
	shift 2
fi
if [ "${1:-}" != list ]; then
	bin=${1:?the folder of thermsim and gpubench} dir=${2:?the folder of the results}
	shift 2
	build=$("$bin/thermsim" version | head -1)
	commit=${build##*[+ ]} dir=$dir/${build##* }
	mkdir -p "$dir" || exit
	wanted=("$@")
else
	wanted=()
fi
parts
exit $status
