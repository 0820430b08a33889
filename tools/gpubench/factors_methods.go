package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"thermsim/gpusolve/krylov"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/precond"
)

// withMethod sets up a method, times its applications, and solves with every right-hand side to every tolerance.
func (p grid) withMethod(s ops.Operator, text string, o *factorFlags, add func(factorRow) error) error {
	known, set, err := definition(text)
	if err != nil {
		return err
	}
	start := time.Now()
	solver, m, err := known.SetUp(s, set)
	if err != nil {
		return err
	}
	defer m.Close()
	defer solver.Close()
	name, settings := precond.Split(text)
	r := factorRow{Kind: "apply", Name: text, Method: name, Settings: settings, SetUpMS: ms(time.Since(start)),
		Details: m.Details(), Dropped: dropped(m.Details())}
	if r.ApplyMS, err = p.timeApplications(s, m.Apply, o.runs); err != nil {
		return err
	}
	fmt.Printf("  %-40s setup %8.2f ms apply %8.3f ms  %s\n", text, r.SetUpMS, r.ApplyMS, r.Details)
	if err := add(r); err != nil {
		return err
	}
	return p.solve(s, solver, r, o, add)
}

// dropped is the share of the couplings that the details of ddilu name.
func dropped(details string) (share float64) {
	_, text, _ := strings.Cut(details, ", ")
	if percent, _, found := strings.Cut(text, " % of the couplings dropped"); found {
		share, _ = strconv.ParseFloat(percent, 64)
	}
	return share / 100
}

// solve counts iterations.
func (p grid) solve(s ops.Operator, solver krylov.Solver, of factorRow, o *factorFlags,
	add func(factorRow) error) error {
	x, err := s.New64()
	if err != nil {
		return err
	}
	b, err := s.New64()
	if err != nil {
		return err
	}
	defer s.Release(x, b)
	for _, side := range sides {
		if len(*o.sides) > 0 && !slices.Contains(*o.sides, side) {
			continue
		}
		s.Write(b, p.rightSide(side))
		for _, rtol := range *o.rtols {
			rule := krylov.Rule{RTol: rtol, MaxIter: 5000}
			solver.Prepare(rule, x)
			solver.StartFromZero()
			s.Fill(x, 0)
			start := time.Now()
			out := solver.Solve(context.Background(), rule, s.SourceOf(b), x)
			took := time.Since(start)
			if err := s.Err(); err != nil {
				return err
			}
			r := factorRow{Kind: "solve", Name: of.Name, Method: of.Method, Settings: of.Settings,
				solve: solve{Right: side, RTol: rtol, Iterations: out.Iterations, Converged: &out.Converged,
					SolveMS: ms(took), ResidualRel: out.Norms.Residual / out.Norms.Source}}
			fmt.Printf("    %-14s to %.0e: %5d iterations, %.2e, %8.2f ms, converged %v\n", side, rtol, r.Iterations,
				r.ResidualRel, r.SolveMS, out.Converged)
			if err := add(r); err != nil {
				return err
			}
		}
	}
	return nil
}
