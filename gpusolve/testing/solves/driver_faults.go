package solves

import (
	"math"
	"slices"
	"strings"

	"thermsim/gpusolve/cuda/cudriver"
)

// ResultFor is what a driver that is out of memory, or whose kernels fail, returns from a call.
func ResultFor(call string) cudriver.Result {
	const launchFailed = 719
	if strings.Contains(call, "Alloc") {
		return cudriver.OutOfMemory
	}
	return launchFailed
}

// SampleCalls chooses of each kind of call the first, the last, and some between; where most is 1, another one each
// turn.
func SampleCalls(calls []string, most, turn int) (chosen []int) {
	places := map[string][]int{}
	for n, call := range calls {
		places[call] = append(places[call], n)
	}
	for _, at := range places {
		switch {
		case len(at) <= most:
			chosen = append(chosen, at...)
		case most == 1:
			chosen = append(chosen, at[turn%3*(len(at)-1)/2])
		default:
			for k := range most {
				chosen = append(chosen, at[k*(len(at)-1)/(most-1)])
			}
		}
	}
	slices.Sort(chosen)
	return chosen
}

// WithoutHarm lists the calls that release something, or that have a substitute, with the largest number of such calls.
// Multigrid allocates one block for all of its memory, or several smaller ones. Of the many waits and bindings, those
// of Close count.
var WithoutHarm = map[string]int{
	"cuMemFree": math.MaxInt, "cuMemFreeHost": math.MaxInt, "cuModuleUnload": math.MaxInt,
	"cuStreamDestroy": math.MaxInt, "cuGraphExecDestroy": math.MaxInt,
	"cuGraphDestroy": math.MaxInt, "cuEventDestroy": math.MaxInt, "cuDevicePrimaryCtxRelease": 1, "cuCtxSetCurrent": 2,
	"cuStreamSynchronize": 1, "cuStreamQuery": 1, "cuMemAlloc": 1,
}
