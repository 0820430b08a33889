package gpusolve

import "thermsim/gpusolve/solution"

// The types of package solution, under the names that callers of this package know.
type (
	Solution   = solution.Solution
	Status     = solution.Status
	Field      = solution.Field
	Energy     = solution.Energy
	DeviceInfo = solution.DeviceInfo
	Timing     = solution.Timing
	Memory     = solution.Memory
	Step       = solution.Step
)
