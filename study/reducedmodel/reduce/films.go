package reduce

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"thermsim/gpusolve/host"
	"thermsim/gpusolve/ports"
	"thermsim/mesh"
	"thermsim/stack"
	"thermsim/study/reducedmodel"
)

// sides is the name of a film on all four lateral faces.
const sides = "sides"

// condition is the boundary condition of a face or a patch.
type condition struct {
	*stack.Boundary
	area float64 // m2, 0 of patches and of faces with patches
}

// conditions are those of a film: top, bottom, west, east, south or north, the four lateral faces as "sides", or a
// patch of a face, as top/NAME.
func conditions(s *stack.Stack, film string) []condition {
	var all []condition
	face, patch, patched := strings.Cut(film, "/")
	for f := range stack.Face(stack.NumFaces) {
		b := &s.Boundary[f]
		size := s.FaceSize(f)
		switch {
		case face != f.String() && (face != sides || f.Across() == 2):
		case !patched && len(b.Patches) == 0:
			all = append(all, condition{b, size[0] * size[1]})
		case !patched:
			all = append(all, condition{b, 0})
		default:
			for p := range b.Patches {
				if b.Patches[p].Name == patch && b.Patches[p].Map == nil {
					all = append(all, condition{&b.Patches[p].Boundary, 0})
				}
			}
		}
	}
	return all
}

// FilmH is the heat-transfer coefficient in W/(m2 K) that a stack gives a film.
func FilmH(s *stack.Stack, film string) (float64, error) {
	h := -1.0
	for _, b := range conditions(s, film) {
		own := 0.0
		switch {
		case b.Kind == stack.Convective && !b.TemperatureDependent():
			own = b.H
		case b.Kind == stack.LumpedResistance && b.area > 0:
			own = 1 / (b.Resistance * b.area)
		case b.Kind != stack.Adiabatic:
			return 0, fmt.Errorf("film %s: the stack does not give it a constant heat-transfer coefficient", film)
		}
		if h >= 0 && math.Abs(own-h) > 1e-12*h {
			return 0, fmt.Errorf("film %s: got %g and %g W/(m^2 K) on different faces; expected equal values", film, h,
				own)
		}
		h = own
	}
	if h < 0 {
		return 0, fmt.Errorf("film %q: no such face or patch; expected top, bottom, west, east, south, north, sides "+
			"or a patch as top/NAME", film)
	}
	return h, nil
}

// withFilms is a copy of a stack with the given coefficients of films; adiabatic where they are 0.
func withFilms(s *stack.Stack, films []reducedmodel.Film, h []float64) *stack.Stack {
	q := *s
	for f := range q.Boundary {
		q.Boundary[f].ClonePatches()
	}
	for f, film := range films {
		for _, b := range conditions(&q, film.Name) {
			b.Kind, b.H, b.Film, b.Temperature = stack.Convective, h[f], stack.Film{}, s.Ambient
			if h[f] == 0 {
				b.Kind = stack.Adiabatic
			}
		}
	}
	return &q
}

// filmModel is a stack as a full model with films as parameters. Its unknowns are the temperatures of the cells and,
// for every part of a cell's surface with a film, that of the surface:
//
//	G0: cells with adiabatic surfaces, plus A/half between surface and cell         F: A of the surfaces
//
// A solution for given h is that of the mesh, with the surface at x / (1 + h half) for the temperature x of the cell.
type filmModel struct {
	*projection
	like      *stack.Stack
	stack     *stack.Stack // relative to the ambient
	build     Builder
	films     []reducedmodel.Film
	surfaces  []surface
	snapshots []reducedmodel.Snapshot
	rises     struct { // of the snapshots
		cells    [][]float32
		surfaces [][]float64
	}
	edges    [][]float64           // temperatures of the surfaces in the basis
	areas    []reducedmodel.Matrix // products of the basis with F, by film
	products []reducedmodel.Matrix // of the snapshots by film, then with C
	floating bool                  // only films exchange heat with the ambient
}

// surface is a part of a cell's surface with a film.
type surface struct {
	film, cell int
	area, half float64
}

// augmented is a field with the temperatures of the surfaces.
type augmented struct {
	cells    []float32
	surfaces []float64
}

// RunFilms reduces a stack to a model with films as parameters. Names and ranges of films are given.
func RunFilms(ctx context.Context, s *stack.Stack, build Builder, films []reducedmodel.Film,
	o Options) (*reducedmodel.Parametric, error) {
	films = slices.Clone(films)
	for f := range films {
		film := &films[f]
		if !(film.From > 0) || !(film.To > film.From) || math.IsInf(film.To, 0) {
			return nil, fmt.Errorf("%w: film %s: got a range from %g to %g W/(m^2 K); expected 0 < from < to",
				ErrRefused, film.Name, film.From, film.To)
		}
		h, err := FilmH(s, film.Name)
		if err != nil {
			if len(conditions(s, film.Name)) == 0 {
				return nil, fmt.Errorf("%w: %w", ErrRefused, err)
			}
			h = math.Sqrt(film.From * film.To)
		}
		film.H = h
	}
	at := withFilms(s, films, reducedmodel.Middle(films))
	if driven(at) {
		return nil, fmt.Errorf("%w with films: a face has a temperature other than the ambient, or brings in heat; "+
			"the temperatures without power would depend on h", ErrRefused)
	}
	r, release, err := begin(ctx, at, build, o)
	if err != nil {
		return nil, err
	}
	defer release()
	q := &filmModel{projection: r, like: s, stack: ports.Responding(at), build: build, films: films}
	free, err := q.prepare()
	if err != nil {
		return nil, err
	}
	defer free()
	g := &greedy{ctx: ctx, full: q, random: rand.New(rand.NewPCG(1, 1))}
	if err := g.run(o.Tol); err != nil {
		return nil, err
	}
	if err := q.check(g); err != nil {
		return nil, err
	}
	g.model.Origin.Grid = [3]int{r.mesh.NX(), r.mesh.NY(), r.mesh.NZ()}
	g.model.Origin.Stack = Sections(s, films)
	return g.model.Modes()
}

// prepare sets up the operators, the inputs, the surfaces and the uniform field.
func (q *filmModel) prepare() (free func(), err error) {
	q.model = like(q.inputs, Ranges(q.like))
	for f := range q.films {
		q.films[f].Area = 0
	}
	for f := range stack.Face(stack.NumFaces) {
		q.mesh.FaceParts(f, func(i, j, k int, part mesh.FacePart) {
			if film := q.filmOf(f, part.Patch); film >= 0 {
				q.films[film].Area += part.Area
				q.surfaces = append(q.surfaces, surface{film, (k*q.mesh.NY()+j)*q.mesh.NX() + i, part.Area, part.Half})
			}
		})
	}
	insulated, err := q.build(withFilms(q.stack, q.films, make([]float64, len(q.films))))
	if err != nil {
		return nil, err
	}
	if q.floating = !insulated.Grounded(); q.floating && !exchanges(q.films) {
		for f, h := range reducedmodel.Middle(q.films) {
			q.films[f].H = h
		}
	}
	dev := host.Open()
	if q.basis.ops, err = newOperators(insulated, dev); err != nil {
		dev.Close()
		return nil, err
	}
	free = func() {
		q.basis.ops.sys.Free()
		dev.Close()
	}
	b := &q.basis
	if b.inputs, err = heats(q.mesh, b.ops.sys, len(q.inputs)); err != nil {
		free()
		return nil, err
	}
	q.areas = make([]reducedmodel.Matrix, len(q.films))
	q.products = make([]reducedmodel.Matrix, len(q.films)+1)
	one := augmented{slices.Repeat([]float32{1}, q.mesh.Cells()), slices.Repeat([]float64{1}, len(q.surfaces))}
	q.snapshots = append(q.snapshots, reducedmodel.Snapshot{Input: -1, H: make([]float64, len(q.films))})
	q.add(one)
	return free, nil
}

// exchanges reports whether a film exchanges heat.
func exchanges(films []reducedmodel.Film) bool {
	return slices.ContainsFunc(films, func(f reducedmodel.Film) bool { return f.H > 0 })
}

// filmOf is the film of a face or a patch, -1 if it has none. The last one counts.
func (q *filmModel) filmOf(f stack.Face, patch int) int {
	b := &q.stack.Boundary[f]
	if patch >= 0 {
		b = &b.Patches[patch].Boundary
	}
	for film := range slices.Backward(q.films) {
		for _, c := range conditions(q.stack, q.films[film].Name) {
			if c.Boundary == b {
				return film
			}
		}
	}
	return -1
}

func (q *filmModel) fastest(kelvin float64) float64 {
	q.wanted = kelvin
	return q.projection.fastest()
}

// respond implements fullModel.
func (q *filmModel) respond(_ context.Context, h []float64, shift float64, inputs []int) error {
	fields, peaks, err := q.solveAt(h, shift, inputs)
	if err != nil {
		return err
	}
	if q.basis.outputs == nil {
		q.define(peaks)
		q.basis.l = values(q.basis.outputs, q.basis.fields[0]) // of the uniform field
	}
	for n, cells := range fields {
		x := augmented{cells, make([]float64, len(q.surfaces))}
		for v, p := range q.surfaces {
			x.surfaces[v] = float64(cells[p.cell]) / (1 + h[p.film]*p.half)
		}
		q.snapshots = append(q.snapshots, reducedmodel.Snapshot{Input: inputs[n], H: h, Shift: shift,
			Watts: q.model.Inputs[inputs[n]].Range, Residual: q.residual(x, shift, inputs[n])})
		q.add(x)
	}
	return nil
}

// solveAt solves the full model for given films.
func (q *filmModel) solveAt(h []float64, shift float64, inputs []int) (fields [][]float32, peaks []mesh.Term,
	err error) {
	if q.mesh, err = q.build(withFilms(q.stack, q.films, h)); err != nil {
		return nil, nil, err
	}
	return q.solve(shift, inputs)
}

// residual bounds the energy of the error of a snapshot in W K: the sum of the residuals, times the largest error.
func (q *filmModel) residual(x augmented, shift float64, input int) float64 {
	g, c := q.multiply(x)
	in := &q.basis.inputs[input]
	for n, cell := range in.cells {
		g[cell] -= in.weights[n] * q.model.Inputs[input].Range
	}
	sum, largest := 0.0, 0.0
	for n, v := range g {
		sum += math.Abs(v + shift*c[n])
		largest = math.Max(largest, math.Abs(float64(x.cells[n])))
	}
	return sum * (q.options.Solve.Tol + 0x1p-24*largest)
}

// multiply returns the rows of the cells of G0 x and C x.
func (q *filmModel) multiply(x augmented) (g, c []float64) {
	g, c = make([]float64, len(x.cells)), make([]float64, len(x.cells))
	q.basis.ops.apply(x.cells, g, c)
	for v, p := range q.surfaces {
		g[p.cell] += p.area / p.half * (float64(x.cells[p.cell]) - x.surfaces[v])
	}
	return g, c
}

// check compares steady states of all inputs at random h with the full model.
func (q *filmModel) check(g *greedy) error {
	e := &g.model.Error
	for e.Checks = range filmChecks {
		h := reducedmodel.RandomH(q.films, g.random)
		fields, _, err := q.solveAt(h, 0, q.all())
		if err != nil {
			return err
		}
		m, err := g.model.At(h, 0)
		if err != nil {
			return err
		}
		wrong := reducedmodel.Worst(q.model.Inputs, q.full(fields).Minus(m.Transfer(0)))
		e.CheckedK = math.Max(e.CheckedK, wrong)
	}
	e.Checks, e.Solves = filmChecks, q.solves
	return nil
}

// filmChecks is the number of random h at which the full model is solved to check the reduced one.
const filmChecks = 4
