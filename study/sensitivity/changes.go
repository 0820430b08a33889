package sensitivity

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"

	"thermsim/gpusolve/ports"
	"thermsim/mesh"
	"thermsim/powermap"
	"thermsim/stack"
)

// Key is a number of the stack file.
type Key struct {
	Name  string // as --set takes it
	Value float64
	Unit  string  // of the value
	Width float64 // largest step of the differences; 0 for 2 % of the value
	// Stack is the stack with another value.
	Stack func(value float64) (*stack.Stack, error)
}

// keyStep is the largest relative step of a number of the stack file.
const keyStep = 0.02

// key is the task of a number of the stack file.
func (r *run) key(k *Key) task {
	width := cmp.Or(k.Width, keyStep*math.Abs(k.Value), keyStep)
	of := Sensitivity{Kind: FileKey, Name: k.Name, Value: k.Value, Unit: k.Unit}
	return task{of, func(ctx context.Context) ([]float64, error) {
		d, err := extrapolated(func(shift float64) ([]float64, error) {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			other, err := k.Stack(k.Value + shift)
			if err == nil {
				err = r.adopt(other)
			}
			if err != nil {
				return nil, err
			}
			m, err := mesh.Build(other)
			if err != nil {
				return nil, err
			}
			if m.NZ() != r.mesh.NZ() {
				return nil, errGrid
			}
			return r.sums(m, extent{layer: everywhere}), nil
		}, width)
		if err != nil && ctx.Err() == nil {
			err = fmt.Errorf("%w %s: %w", ErrKey, k.Name, err)
		}
		return d, err
	}}
}

var (
	// ErrKey reports a key by which a stack cannot be differentiated.
	ErrKey  = errors.New("there is no derivative by")
	errGrid = errors.New("it changes the number of layers, powers or cells")
)

// adopt puts a changed stack on the grid of the original.
func (r *run) adopt(s *stack.Stack) error {
	if err := ports.CheckLinear(s); err != nil {
		return err
	}
	if len(s.Layers) != len(r.stack.Layers) || len(ports.InputsOf(s)) != len(r.inputs) {
		return errGrid
	}
	s.Grid = r.stack.Grid
	for axis, a := range []*stack.Axis{&s.Grid.X, &s.Grid.Y} {
		segments := make([]stack.Segment, len(a.Segments))
		for n, g := range a.Segments {
			segments[n] = g
			segments[n].To *= s.Size[axis] / r.stack.Size[axis]
		}
		a.Segments = segments
	}
	for l := range s.Layers {
		s.Layers[l].Cells = r.stack.Layers[l].Cells
	}
	return nil
}

// repowered is the mesh with the powers of a stack that differs in nothing else.
func (r *run) repowered(s *stack.Stack) (*mesh.Mesh, error) {
	m := *r.mesh
	m.Stack = s
	var err error
	m.Power, err = powermap.New(s, powermap.Grid{X: m.X, Y: m.Y})
	return &m, err
}

// levels is the number of steps of an extrapolation, each half of the previous one.
const levels = 6

// extrapolated is the derivative at 0 of functions: central differences extrapolated to a step of 0 (C. J. F. Ridders,
// Advances in Engineering Software 4, 75 (1982)), or one-sided ones where the functions are defined on one side only.
// Functions that are linear on both sides of 0, as shares of cells are, have the mean of both slopes.
func extrapolated(f func(shift float64) ([]float64, error), width float64) (best []float64, err error) {
	down, low := f(-width)
	up, high := f(width)
	if low != nil && high != nil {
		return nil, low
	}
	middle, ratio := []float64(nil), 2.0
	if low == nil && high == nil {
		ratio = 4
	} else if middle, err = f(0); err != nil {
		return nil, err
	}
	var table [levels][levels][]float64
	var off []float64
	for n := range levels {
		if n > 0 {
			width /= 2
			if low == nil {
				if down, err = f(-width); err != nil {
					return nil, err
				}
			}
			if high == nil {
				if up, err = f(width); err != nil {
					return nil, err
				}
			}
		}
		table[n][0] = slopes(down, middle, up, width)
		if n == 0 {
			best, off = append(best, table[0][0]...), make([]float64, len(table[0][0]))
			for i := range off {
				off[i] = math.Inf(1)
			}
		}
		power := 1.0
		for k := range n {
			power *= ratio
			next := make([]float64, len(best))
			for i, v := range table[n][k] {
				next[i] = v + (v-table[n-1][k][i])/(power-1)
				if d := math.Max(math.Abs(next[i]-v), math.Abs(next[i]-table[n-1][k][i])); d <= off[i] {
					best[i], off[i] = next[i], d
				}
			}
			table[n][k+1] = next
		}
	}
	return best, nil
}

// slopes are differences over a width: between both sides, or from the middle to the side that is there.
func slopes(down, middle, up []float64, width float64) []float64 {
	switch {
	case down == nil:
		down = middle
	case up == nil:
		up = middle
	default:
		width *= 2
	}
	d := make([]float64, len(up))
	for i := range d {
		d[i] = (up[i] - down[i]) / width
	}
	return d
}
