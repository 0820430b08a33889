package main

import (
	"context"
	"fmt"
	"io"

	"thermsim/stack"
)

// pair of materials: inclusion and matrix in W/(m K).
type pair struct {
	name   string
	ki, km float64
}

func pairs() []pair {
	return []pair{{"copper in silicon", 398, 130}, {"copper in oxide", 398, 1.4}, {"solder in underfill", 58, 0.5},
		{"oxide in silicon", 1.4, 130}}
}

// arrayTable compares arrays of cylinders, n cells to half a pitch, with the formula for the array and with that for
// cylinders anywhere.
func arrayTable(ctx context.Context, w io.Writer, n int) error {
	fmt.Fprintln(w, "| array | fraction | pair | resolved k, W/(m K) | `square`, `hexagonal` | `cylinders` "+
		"|\n|---|---|---|---|---|---|")
	for _, rule := range []stack.Rule{stack.Square, stack.Hexagonal} {
		fractions := []float64{0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.75}
		if rule == stack.Hexagonal {
			fractions = append(fractions, 0.8, 0.85)
		}
		for _, f := range fractions {
			for _, p := range pairs() {
				s := array(rule, f, p.ki, p.km)
				k, doubt, err := s.resolved(ctx, n)
				if err != nil {
					return err
				}
				fmt.Fprintf(w, "| %s | %g | %s | %.5g ± %s | %s | %s |\n", rule, f, p.name, k, percent(doubt/4),
					off(s.formula(rule, f), k), off(s.formula(stack.Cylinders, f), k))
			}
		}
	}
	return nil
}

// off is how far a formula misses, in percent.
func off(formula, k float64) string { return fmt.Sprintf("%+.2g %%", 100*(formula/k-1)) }

func percent(x float64) string { return fmt.Sprintf("%.1g %%", 100*x) }
