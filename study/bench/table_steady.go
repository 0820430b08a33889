package bench

import (
	"context"

	"thermsim/gpusolve"
	"thermsim/gpusolve/methods"
)

// steady is Table III: one steady solve with every method.
func steady() Table {
	return Table{
		Name: "steady", Number: "III", Title: "One steady solve, starting from ambient",
		About: []string{
			"Stops at ||b - A x||2 <= 1e-6 W, the true residual in FP64.",
			"||e|| is the largest temperature difference from a solution to attainable accuracy.",
			"setup is assembly, factorization, hierarchy and spectrum; times are medians after a warm-up.",
			"x MG is the solve time relative to the default multigrid, x fourier relative to the direct solver.",
		},
		Columns: []Column{columnCase, columnMethod, columnIterations, columnSetup, columnSolve, columnTotal,
			columnToDefault, columnToDirect, columnError, columnBytes, columnNote},
		run: func(ctx context.Context, b *Bench) error {
			return b.everyMethod(ctx, "steady", 0)
		},
	}
}

// transient is Table IV: time steps with one setup.
func transient() Table {
	return Table{
		Name: "transient", Number: "IV", Title: "50 backward-Euler steps, from ambient under constant power",
		About: []string{
			"The step is 0.1 s for MoL10 and 0.01 s for CUTh. The setup is done once; every step stops at ||b - A " +
				"x||2 <= 1e-6 W.",
			"Every method starts a step from an extrapolation of the previous steps, or with --from-previous from " +
				"the previous step, as in the paper.",
			"||e|| is that of the last step, compared with steps solved to attainable accuracy; iterations are the " +
				"sum over all steps. Rows that are cut off contain fewer steps; a step is their mean time.",
		},
		Columns: []Column{columnCase, columnMethod, columnVariant, columnIterations, columnSetup, columnSolve,
			columnTotal, columnSteps, columnStep, columnToDefault, columnToDirect, columnError, columnBytes,
			columnNote},
		run: func(ctx context.Context, b *Bench) error {
			return b.everyMethod(ctx, "transient", timeSteps)
		},
	}
}

// everyMethod measures all methods on all systems.
func (b *Bench) everyMethod(ctx context.Context, kind string, steps int) error {
	for _, s := range b.systems {
		j, err := b.begin(ctx, kind, s, steps)
		if err != nil {
			return err
		}
		if err := b.timeDefault(ctx, j); err != nil {
			return err
		}
		if err := b.timeDirect(ctx, j); err != nil {
			return err
		}
		for _, method := range b.Methods {
			j.method = method
			variant := ""
			if steps > 0 && b.FromPrevious {
				variant = "from the previous step"
			}
			row, err := b.measure(ctx, j, variant)
			if err != nil {
				return err
			}
			b.compare(&row, j)
			b.add(row)
		}
	}
	return nil
}

// begin meshes a system and solves it to attainable accuracy.
func (b *Bench) begin(ctx context.Context, kind string, s system, steps int) (job, error) {
	m, err := s.mesh()
	if err != nil {
		return job{}, err
	}
	j := job{kind: kind, system: s, mesh: m, steps: steps,
		rule: gpusolve.Options{ATol: stopW, MaxIter: b.MaxIter, FromPrevious: b.FromPrevious}}
	if err := b.prepare(ctx, j); err != nil {
		return j, err
	}
	return j, nil
}

// timeDefault times the default method on a job's system, unless it is known.
func (b *Bench) timeDefault(ctx context.Context, j job) error {
	j.method = methods.Names()[0]
	_, err := b.measure(ctx, j, "")
	return err
}

// directMethod solves stacks of uniform layers without iterations.
const directMethod = "fourier"

// timeDirect times the direct solver on a job's system, if applicable.
func (b *Bench) timeDirect(ctx context.Context, j job) error {
	if method, why := methods.Choice(j.mesh, directMethod); method != directMethod || why != "" {
		return nil
	}
	j.method = directMethod
	_, err := b.measure(ctx, j, "")
	return err
}

func isDefault(method string) bool { return method == methods.Names()[0] }
