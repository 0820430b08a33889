package cuda_test

import (
	"testing"

	"thermsim/gpusolve/testing/opstest"
	"thermsim/gpusolve/testing/opstest/devices"
)

func TestConformanceOnGPU(t *testing.T) { opstest.Run(t, devices.OnGPU(t)) }
func TestMatricesOnGPU(t *testing.T)    { opstest.Matrices(t, devices.OnGPU(t)) }
