package display

import (
	"context"
	"fmt"
	"runtime"

	"golang.org/x/sync/errgroup"

	"thermsim/study/response"
	"thermsim/study/response/ladder"
)

// Network describes the heat-flow path of an input, identified from its driving-point response.
type Network struct {
	Of        int // input
	Foster    *ladder.Foster
	Cauer     *ladder.Cauer
	Structure *ladder.Structure
}

// Iterations of the deconvolution. The resolution of the spectrum grows with about their sixth root.
const Iterations = 2000

// Networks deconvolves the driving-point response of every input.
func Networks(ctx context.Context, x *response.Steps) ([]Network, error) {
	var own []*response.Curve
	for n := range x.Curves {
		if x.Curves[n].Own() {
			own = append(own, &x.Curves[n])
		}
	}
	all := make([]Network, len(own))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i, c := range own {
		g.Go(func() error {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			f, err := ladder.Deconvolve(x.Times, c.Z, c.Steady, Iterations)
			if err != nil {
				return fmt.Errorf("%s: %w", x.Inputs[c.From].Name, err)
			}
			cauer, err := f.Cauer()
			if err != nil {
				return fmt.Errorf("%s: %w", x.Inputs[c.From].Name, err)
			}
			cauer = cauer.Within(response.FilterBound)
			all[i] = Network{c.From, f, cauer, cauer.Structure()}
			return nil
		})
	}
	return all, g.Wait()
}
