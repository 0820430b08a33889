package gpusolve

import (
	"context"
	"fmt"
	"math"
	"time"

	"thermsim/gpusolve/krylov"
	"thermsim/mesh"
	"thermsim/powermap"
)

// ManyResult holds the temperatures of blocks under many powers.
type ManyResult struct {
	Blocks []BlockOf
	// Mean and Max are in K, by power vector and block: the mean over the block's volume, and its hottest cell.
	Mean, Max [][]float64
	// Status tells how the first vector was solved, IterationsTotal counts those of all.
	Status Status
	Timing Timing
}

// BlockOf names a block and its layer, by index into Stack.Layers.
type BlockOf struct {
	Layer int
	Name  string
}

// BlocksOf lists the blocks of a stack in the order in which SolveMany takes their watts: layer by layer, power by power.
func BlocksOf(m *mesh.Mesh) []BlockOf {
	var blocks []BlockOf
	for l := range m.Stack.Layers {
		for p := range m.Stack.Layers[l].Powers {
			for b := range m.Stack.Layers[l].Powers[p].Blocks {
				blocks = append(blocks, BlockOf{l, m.Stack.Layers[l].Powers[p].Blocks[b].Name})
			}
		}
	}
	return blocks
}

// powered is a thermal system that is solved for one power after the other.
type powered interface {
	thermal
	// respond solves for the steady state under the drawings. judged says that residual and error are wanted.
	respond(ctx context.Context, o *Options, layers []powermap.Drawing, judged bool) (krylov.Outcome, error)
}

var (
	_ powered = (*direct)(nil)
	_ powered = (*meshed)(nil)
)

// SolveMany solves for the steady states of a mesh under many power vectors, watts[v][b] W in block b of BlocksOf. Uniform powers stay as they are; power maps
// are refused. What does not depend on the power is set up once. On cancellation it returns the context's error alone.
func SolveMany(ctx context.Context, m *mesh.Mesh, o Options, watts [][]float64) (*ManyResult, error) {
	if !m.Grounded() {
		return nil, ErrSingular
	}
	r := &ManyResult{Blocks: BlocksOf(m)}
	if err := checkVectors(m, watts, len(r.Blocks)); err != nil {
		return nil, err
	}
	e, err := newEngine(m, o, 0, 0)
	if err != nil {
		return nil, err
	}
	defer e.close()
	defer e.dev.Bind()()
	tiles, vectors := tilesOf(m), m.Power.Vectors()
	start := time.Now()
	for v := range watts {
		out, err := e.thermal.(powered).respond(ctx, &o, vectors.Of(watts[v]), v == 0)
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return nil, err
		}
		if v == 0 {
			r.Status = e.status(out)
		} else {
			r.Status.IterationsTotal += out.Iterations
		}
		if !out.Converged {
			r.Status.Converged, r.Status.Reason = false, reasonText(out.Reason)
		}
		if err := r.gather(m, e.field(), tiles); err != nil {
			return nil, err
		}
	}
	r.Timing = e.timing
	r.Timing.Solve = time.Since(start)
	return r, e.failure()
}

// checkVectors refuses what cannot be drawn.
func checkVectors(m *mesh.Mesh, watts [][]float64, blocks int) error {
	for l := range m.Stack.Layers {
		for p := range m.Stack.Layers[l].Powers {
			if m.Stack.Layers[l].Powers[p].Map != nil {
				return fmt.Errorf("%w: layer %s has a power map; power vectors need blocks", ErrOption, m.Stack.Layers[l].Name)
			}
		}
	}
	for v, w := range watts {
		if len(w) != blocks {
			return fmt.Errorf("%w: power vector %d has %d values for %d blocks", ErrOption, v, len(w), blocks)
		}
		for b, p := range w {
			if math.IsNaN(p) || math.IsInf(p, 0) {
				return fmt.Errorf("%w: power vector %d has %g W in block %d", ErrOption, v, p, b)
			}
		}
	}
	return nil
}
