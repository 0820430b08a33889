package gpusolve

import (
	"errors"
	"fmt"

	"thermsim/gpusolve/cuda/cudriver"
	"thermsim/gpusolve/ops"
)

// auto says whether the device is left to the solver.
func (o *Options) auto() bool { return o.Executor == nil && (o.Device == "" || o.Device == "auto") }

// insteadOfGPU opens the processor where auto would have taken a GPU that failed, and says so. A machine without a GPU
// or driver is no failure.
func (o *Options) insteadOfGPU(err error) (ops.Device, DeviceInfo) {
	d, info := o.openCPU(err.Error())
	if errors.Is(err, cudriver.ErrNoDevice) || errors.Is(err, cudriver.ErrNoDriver) {
		return d, info
	}
	info.GPUFailure = err.Error()
	if o.Notice != nil {
		o.Notice(fmt.Sprintf("the processor solves in place of the GPU: %v", err))
	}
	return d, info
}
