package bench

import "context"

// synergy is Table VII: what format and precision bring to three preconditioners.
func synergy() Table {
	return Table{
		Name: "synergy", Number: "VII", Title: "What storage and precision bring to three preconditioners",
		About: []string{
			"off: row-wise CSR, all in FP64. on: four diagonals, adaptive precision.",
			"x base is a time over that of plain conjugate gradients with both off.",
		},
		Columns: []Column{columnCase, columnVariant, columnIterations, columnSetup, columnSolve, columnTotal,
			columnToBase, columnToDefault, columnError, columnBytes, columnNote},
		run: func(ctx context.Context, b *Bench) error {
			const off, on = "precision=fixed-fp64,format=csr", "precision=adaptive,format=quaddiag"
			for _, s := range b.systems {
				err := b.variants(ctx, s, []variant{
					{"CG, off", "none:" + off, true}, {"CG, on", "none:" + on, false},
					{"Jacobi, off", "jacobi:" + off, false}, {"Jacobi, on", "jacobi:" + on, false},
					{"Chebyshev, off", "chebyshev:" + off, false}, {"Chebyshev, on", "chebyshev:" + on, false},
				})
				if err != nil {
					return err
				}
			}
			return nil
		},
	}
}
