package gpusolve

import "thermsim/gpusolve/krylov"

// Device is what solves.
func (m *MatrixSolver) Device() DeviceInfo { return m.info }

// Status names the methods, as that of a solution does, before anything is solved.
func (m *MatrixSolver) Status() Status { return status(krylov.Outcome{}, m.solver, m.pre) }
