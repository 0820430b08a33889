// Command gainmap draws the loop gain of a stack that leaks against its power and its cooling: the picture in
// docs/leakage.md.
//
//	go run ./tools/gainmap examples/leaky-tiers/stack.toml docs/images/leakage_gain.svg
package main

import (
	"context"
	"fmt"
	"os"
	"slices"

	"thermsim/gpusolve"
	"thermsim/mesh"
	"thermsim/stack"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: gainmap STACK.toml PICTURE.svg")
		os.Exit(2)
	}
	if err := run(context.Background(), os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// powers are factors on all powers, coolings heat transfer coefficients of the top in W/(m2 K), and cells those along x
// and along y.
var (
	powers   = []float64{0.25, 0.5, 0.75, 1, 1.25, 1.5, 1.75, 2, 2.5, 3}
	coolings = []float64{1e4, 1.5e4, 2e4, 3e4, 5e4, 7e4, 1e5, 1.5e5, 2e5, 3e5}
)

const cells = 32

func run(ctx context.Context, path, picture string) error {
	s, err := stack.Load(path)
	if err != nil {
		return err
	}
	m, err := gainMap(ctx, s, powers, coolings)
	if err != nil {
		return err
	}
	return os.WriteFile(picture, m.svg(), 0o644)
}

// field is the outcome of one solve: the loop gain, and the largest factor on the powers as they were where they run
// away.
type field struct {
	gain    float64
	runaway bool
	factor  float64
}

// gains are the outcomes by power and cooling.
type gains struct {
	powers, coolings []float64
	at               [][]field
}

func gainMap(ctx context.Context, s *stack.Stack, powers, coolings []float64) (*gains, error) {
	g := &gains{powers: powers, coolings: coolings}
	for _, f := range powers {
		var row []field
		for _, h := range coolings {
			v, err := solve(ctx, scaled(s, f, h))
			if err != nil {
				return nil, fmt.Errorf("%g times the power, %g W/(m2 K): %w", f, h, err)
			}
			row = append(row, v)
		}
		g.at = append(g.at, row)
	}
	return g, nil
}

// scaled is a stack with a factor on all powers and another cooling, on a coarser grid.
func scaled(s *stack.Stack, factor, h float64) *stack.Stack {
	c := *s
	c.Grid = stack.Grid{X: stack.Axis{Cells: cells}, Y: stack.Axis{Cells: cells}}
	c.Boundary[stack.Top].H = h
	c.Layers = slices.Clone(s.Layers)
	for l := range c.Layers {
		c.Layers[l].Powers = slices.Clone(s.Layers[l].Powers)
		for p := range c.Layers[l].Powers {
			power := &c.Layers[l].Powers[p]
			power.Uniform *= factor
			power.Leakage.Watts *= factor
			power.Blocks = slices.Clone(power.Blocks)
			for b := range power.Blocks {
				power.Blocks[b].Watts *= factor
				power.Blocks[b].Leakage.Watts *= factor
			}
		}
	}
	return &c
}

func solve(ctx context.Context, s *stack.Stack) (field, error) {
	m, err := mesh.Build(s)
	if err != nil {
		return field{}, err
	}
	sol, err := gpusolve.Steady(ctx, m, gpusolve.Options{Device: "cpu"})
	if err != nil {
		return field{}, err
	}
	defer sol.Close()
	l := sol.Status.Nonlinear.Leakage
	if !sol.Status.Converged && !l.Runaway {
		return field{}, fmt.Errorf("not converged: %s", sol.Status.Reason)
	}
	return field{l.Gain, l.Runaway, l.Factor}, nil
}
