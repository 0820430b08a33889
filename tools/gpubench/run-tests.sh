#!/bin/sh
# Runs the tests that use a GPU, from the folder that "make gpu-test" filled. Flags such as -test.v go to the tests.
cd "$(dirname "$0")/examples" || exit
status=0
for t in ../*.test; do
	echo "== $(basename "$t" .test)"
	"$t" -test.run GPU "$@" || status=1
done
echo "== thermsim devices"
../thermsim devices || status=1
echo "== thermsim verify --device gpu"
../thermsim verify --device gpu || status=1
exit $status
