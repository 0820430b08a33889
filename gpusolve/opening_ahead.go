package gpusolve

import (
	"thermsim/gpusolve/device"
	"thermsim/stack"
)

// OpenAhead begins to open the GPU that a stack will be solved on with the options, so far as that is sure before it is
// meshed; otherwise it is nil.
func OpenAhead(s *stack.Stack, o Options) *Opening {
	return device.OpenAhead(s, *o.Opening(), o.Preconditioner)
}
