package bench

import (
	"context"
	"fmt"
	"strings"
)

// precision is Table VI: the Chebyshev method in fixed precisions and in the adaptive one.
func precision() Table {
	return Table{
		Name: "precision", Number: "VI", Title: "Chebyshev in fixed precisions and in the adaptive one",
		About: []string{
			"Every solve must bring the true residual to 1e-6 W; one whose recursive residual gets there alone is " +
				"told as drift, with its error.",
			"plain is the matrix as it stands, the paper's form; scaled has its diagonal on both sides. x base is a " +
				"time over that of FP64 in the same form.",
		},
		Columns: []Column{columnCase, columnVariant, columnIterations, columnSolve, columnToBase, columnToDefault,
			columnCopy, columnError, columnResidual, columnNote},
		run: func(ctx context.Context, b *Bench) error {
			for _, s := range b.systems {
				if err := b.variants(ctx, s, precisions()); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

// precisions are those of the method in both forms, FP64 first.
func precisions() []variant {
	var list []variant
	for _, form := range words("chebyshev", "form") {
		var rest []variant
		for _, p := range words("chebyshev", "precision") {
			v := variant{fmt.Sprintf("%s, %s", form, p), fmt.Sprintf("chebyshev:precision=%s,form=%s", p, form),
				strings.Contains(p, "64")}
			if v.base {
				list = append(list, v)
				continue
			}
			rest = append(rest, v)
		}
		list = append(list, rest...)
	}
	return list
}
