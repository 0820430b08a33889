package bench

import "context"

// transient is Table IV: time steps with one set-up.
func transient() Table {
	return Table{
		Name: "transient", Number: "IV", Title: "50 backward-Euler steps of 0.1 s, from ambient under constant power",
		About: []string{
			"The set-up is made once; every step stops at ||b - A x||2 <= 1e-6 W.",
			"Steps start from the continuation of the steps before, quadratic where the power is constant, with every method alike.",
			"||e|| is that of the last step, against steps solved to attainable accuracy; iterations are those of all steps.",
		},
		Columns: []Column{columnCase, columnMethod, columnIterations, columnSetup, columnSolve, columnTotal, columnToDefault, columnToDirect, columnError, columnBytes, columnNote},
		run: func(ctx context.Context, b *Bench) error {
			return b.everyMethod(ctx, "transient", timeSteps)
		},
	}
}
