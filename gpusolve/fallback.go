package gpusolve

import (
	"errors"
	"fmt"
	"time"

	"thermsim/gpusolve/cu"
	"thermsim/gpusolve/ops"
)

// auto says whether the device is left to the solver.
func (o *Options) auto() bool { return o.Executor == nil && (o.Device == "" || o.Device == "auto") }

// insteadOfGPU opens the processor where auto would have taken a GPU that failed, and says so. A machine without a GPU or driver is no failure.
func (o *Options) insteadOfGPU(err error) (ops.Device, DeviceInfo) {
	d, info := openCPU(err.Error())
	if errors.Is(err, cu.ErrNoDevice) || errors.Is(err, cu.ErrNoDriver) {
		return d, info
	}
	info.GPUFailure = err.Error()
	if o.Notice != nil {
		o.Notice(fmt.Sprintf("the processor solves in place of the GPU: %v", err))
	}
	return d, info
}

// onDevice opens the device of the options and sets something up on it. Where auto chose a GPU on which that fails, it takes the processor. set closes
// the device when it fails.
func onDevice[T any](o *Options, need demand, set func(dev ops.Device, info DeviceInfo, opening time.Duration) (T, error)) (T, error) {
	start := time.Now()
	dev, info, err := o.openFor(need)
	if err != nil {
		var none T
		return none, err
	}
	made, err := set(dev, info, time.Since(start))
	if err == nil || !o.auto() || info.Kind != "gpu" || !errors.Is(err, ErrDevice) {
		return made, err
	}
	dev, info = o.insteadOfGPU(fmt.Errorf("%s: %w", info.Name, err))
	return set(dev, info, time.Since(start))
}
