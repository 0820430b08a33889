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
			return r.sums(m, extent{layers: [2]int{0, len(other.Layers)}, powers: true}), nil
		}, width, r.options.Levels)
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

// defaultLevels is the number of steps of an extrapolation, each a quarter of the previous one.
const defaultLevels = 6

// samples are the values of functions on both sides of 0, at a width and its quarters. A side without values is nil.
type samples struct {
	width    float64
	middle   []float64
	down, up [][]float64
}

// extrapolated is the derivative at 0 of functions by differences extrapolated to a step of 0 (C. J. F. Ridders,
// Advances in Engineering Software 4, 75 (1982)). The differences are central, or one-sided where the functions are
// defined on one side only. Where the slopes of both sides differ, as at an edge on a cell face, it is their mean.
func extrapolated(f func(shift float64) ([]float64, error), width float64, levels int) ([]float64, error) {
	s := samples{width: width}
	var faults [2]error
	for side, list := range []*[][]float64{&s.down, &s.up} {
		for n := range cmp.Or(levels, defaultLevels) {
			shift := math.Ldexp(width, -2*n) * float64(2*side-1)
			values, err := f(shift)
			if err != nil {
				faults[side], *list = err, nil
				break
			}
			*list = append(*list, values)
		}
	}
	if s.down == nil && s.up == nil {
		return nil, faults[0]
	}
	var err error
	if s.middle, err = f(0); err != nil {
		return nil, err
	}
	d := make([]float64, len(s.middle))
	for i := range d {
		d[i] = s.derivative(i)
	}
	return d, nil
}

// derivative of function i.
func (s *samples) derivative(i int) float64 {
	slope := func(low, high func(n int) float64, span float64) (list []float64) {
		for n := range max(len(s.down), len(s.up)) {
			list = append(list, (high(n)-low(n))/math.Ldexp(span, -2*n))
		}
		return list
	}
	middle := func(int) float64 { return s.middle[i] }
	down := func(n int) float64 { return s.down[n][i] }
	up := func(n int) float64 { return s.up[n][i] }
	switch {
	case s.down == nil:
		d, _ := limit(slope(middle, up, s.width), 4)
		return d
	case s.up == nil:
		d, _ := limit(slope(down, middle, s.width), 4)
		return d
	}
	below, belowOff := limit(slope(down, middle, s.width), 4)
	above, aboveOff := limit(slope(middle, up, s.width), 4)
	central, off := limit(slope(down, up, 2*s.width), 16)
	if off > max(belowOff, aboveOff) {
		return (below + above) / 2
	}
	return central
}

// limit extrapolates differences of ever smaller steps, whose leading errors fall by a ratio each, to a step of 0. off
// is an estimate of the error.
func limit(slopes []float64, ratio float64) (best, off float64) {
	best, off = slopes[0], math.Inf(1)
	previous := []float64{slopes[0]}
	for _, v := range slopes[1:] {
		row, power := []float64{v}, 1.0
		for k, old := range previous {
			power *= ratio
			v := row[k]
			next := v + (v-old)/(power-1)
			if d := max(math.Abs(next-v), math.Abs(next-old)); d <= off {
				best, off = next, d
			}
			row = append(row, next)
		}
		previous = row
	}
	return best, off
}
