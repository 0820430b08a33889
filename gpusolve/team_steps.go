package gpusolve

import "thermsim/gpusolve/ops"

// tell shows a finished step to rank 0.
func (t *team) tell(onStep func(Step, Field) error, step Step, f field) error {
	return t.look(f, func(shown Field) error {
		if onStep == nil {
			return nil
		}
		return onStep(step, shown)
	})
}

// beginShared starts the rows that this rank holds from a field, which every rank has whole.
func (s *meshed) beginShared(sys shared, start Field) error {
	read := func(k int, plane []float64) error { return readRises(s.mesh, start, k, plane) }
	for _, x := range []ops.Vector{s.x, s.old} {
		if err := sys.WritePlanes(x, read); err != nil {
			return err
		}
	}
	return s.failure()
}
