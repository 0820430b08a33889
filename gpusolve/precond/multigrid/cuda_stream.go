package multigrid

import "thermsim/gpusolve/ops"

// Streams is nothing: no coolant flows on devices yet.
func (s *gpuOperations) Streams(Level, ops.Vector, ops.Vector) {}
