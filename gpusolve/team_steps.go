package gpusolve

import "thermsim/gpusolve/ops"

// tellTeam keeps a finished step and shows it to rank 0.
func (r *stepper) tellTeam(step Step, f field) error {
	r.steps = append(r.steps, step)
	return r.team.look(f, func(shown Field) error {
		if r.plan.OnStep == nil {
			return nil
		}
		return r.plan.OnStep(step, shown)
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
