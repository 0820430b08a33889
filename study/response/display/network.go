package display

import (
	"context"
	"fmt"
	"runtime"

	"golang.org/x/sync/errgroup"

	"thermsim/study/response"
	"thermsim/study/response/ladder"
)

// Network is what the response of a driving point says of the way that heat takes.
type Network struct {
	Of        int // input
	Foster    *ladder.Foster
	Cauer     *ladder.Cauer
	Structure *ladder.Structure
}

// Iterations of the deconvolution. The sharpness of the spectrum grows with about their sixth root.
const Iterations = 2000

// Networks deconvolves the response of every input at its own mean.
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
