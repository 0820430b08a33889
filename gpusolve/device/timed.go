package device

import (
	"slices"
	"time"

	"thermsim/gpusolve/cuda/cudriver"
	"thermsim/internal/timeline"
)

// notable is how long a call of the driver takes at least to be noted.
const notable = 100 * time.Microsecond

// noted are the calls that may take long.
var noted = []string{"cuInit", "cuDevicePrimaryCtxRetain", "cuDevicePrimaryCtxRelease", "cuMemGetInfo", "cuMemAlloc",
	"cuMemFree", "cuMemAllocHost", "cuMemFreeHost", "cuMemcpyDtoHAsync", "cuMemcpyHtoDAsync", "cuModuleLoadData",
	"cuModuleUnload", "cuStreamCreate", "cuStreamSynchronize", "cuStreamDestroy", "cuEventSynchronize"}

// timedDriver notes longer calls in a log, if there is one.
func timedDriver(d cudriver.Driver, log *timeline.Log) cudriver.Driver {
	if log == nil {
		return d
	}
	return cudriver.Around(d, func(call string, do func() error) error {
		begun := time.Now()
		err := do()
		if took := time.Since(begun); took >= notable && slices.Contains(noted, call) {
			log.Add(call, begun, took)
		}
		return err
	})
}
