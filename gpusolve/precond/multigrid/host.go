package multigrid

import (
	"thermsim/gpusolve/host"
	"thermsim/gpusolve/ops"
)

// hostOperations are those of a system on the processor.
type hostOperations struct {
	*host.Conductances

	// The operations' arguments, kept here so that dispatching them allocates nothing.
	smoothOp   smoothTask
	restrictOp restrictTask
	prolongOp  prolongTask
}

func onHost(a ops.System) (Operations, bool, error) {
	c, ok := host.ConductancesOf(a)
	return &hostOperations{Conductances: c}, ok, nil
}

// values are those of a vector with the pads on either side, nil for no vector.
func values(v ops.Vector) []float32 {
	if v == nil {
		return nil
	}
	return host.PaddedSingles(v)
}

// Bottom is for devices on which an operation costs more than its work.
func (s *hostOperations) Bottom([]Rung, Smoothing) (cycle func(), err error) { return nil, nil }

// BottomColumns is 0: no level is worth it.
func (s *hostOperations) BottomColumns() int { return 0 }
