package bench

import "context"

// transient is Table IV: time steps with one set-up.
func transient() Table {
	return Table{
		Name: "transient", Number: "IV", Title: "50 backward-Euler steps, from ambient under constant power",
		About: []string{
			"Steps are of 0.1 s in MoL10 and of 0.01 s in CUTh. The set-up is made once; every step stops at ||b - A " +
				"x||2 <= 1e-6 W.",
			"Steps start from a fit to the differences of the steps before, with every method alike.",
			"||e|| is that of the last step, against steps solved to attainable accuracy; iterations are those of " +
				"all steps. A row that is cut off has done fewer; a step is the mean of those done.",
		},
		Columns: []Column{columnCase, columnMethod, columnIterations, columnSetup, columnSolve, columnTotal,
			columnSteps, columnStep, columnToDefault, columnToDirect, columnError, columnBytes, columnNote},
		run: func(ctx context.Context, b *Bench) error {
			return b.everyMethod(ctx, "transient", timeSteps)
		},
	}
}
