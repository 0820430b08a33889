package gpusolve_test

import (
	"context"
	"errors"
	"testing"

	"thermsim/gpusolve/testing/solves"

	"thermsim/gpusolve"
	"thermsim/gpusolve/ranks"
	"thermsim/mesh"
)

// Steps that take no iteration are interrupted like others, alone and on ranks: the run keeps what was finished.
func TestShortStepsAreInterrupted(t *testing.T) {
	m := solves.TeamStack(t, 3, 2)
	for _, n := range []int{1, 2} {
		for _, adaptive := range []bool{false, true} {
			for interrupted := range n {
				ctxs, stops := make([]context.Context, n), make([]context.CancelFunc, n)
				for r := range ctxs {
					ctxs[r], stops[r] = context.WithCancel(context.Background())
					defer stops[r]()
				}
				_ = solves.Together(t, n, func(rank int, g ranks.Group) error {
					o := gpusolve.Options{Device: "cpu", Preconditioner: "multigrid", RTol: 0.9}
					if n > 1 {
						o.Ranks = g
					}
					told := 0
					s, err := stepsOf(ctxs[rank], m, o, adaptive, func(gpusolve.Step, gpusolve.Field) error {
						if told++; told == 5 {
							stops[interrupted]()
						}
						return nil
					})
					if s == nil {
						t.Errorf("rank %d has no solution: %v", rank, err)
						return err
					}
					defer s.Close()
					if took := len(s.Steps); !errors.Is(err, context.Canceled) || took > 6 || !adaptive && took < 5 {
						t.Errorf("%d ranks, adaptive %v, rank %d interrupted: rank %d ended after %d steps with %v", n,
							adaptive, interrupted, rank, took, err)
					}
					return nil
				})
			}
		}
	}
}

// stepsOf takes many steps, of one length or of as many as it takes.
func stepsOf(ctx context.Context, m *mesh.Mesh, o gpusolve.Options, adaptive bool,
	each func(gpusolve.Step, gpusolve.Field) error) (*gpusolve.Solution, error) {
	if adaptive {
		return gpusolve.Adaptive(ctx, m, o, gpusolve.AdaptiveOptions{Tol: 1e-3, Until: 1, OnStep: each})
	}
	return gpusolve.Transient(ctx, m, o, gpusolve.TransientOptions{Steps: 2000, Dt: 1e-6, OnStep: each})
}
