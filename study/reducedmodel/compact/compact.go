// Package compact fits networks of few resistances to a reduced model with films: compact thermal models of packages,
// with their errors over a set of environments.
package compact

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"gonum.org/v1/gonum/diff/fd"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize"

	"thermsim/study/reducedmodel"
)

// Models are the compact models of a package with one junction: the mean of the input that is hottest at the films of
// the stack file. All inputs have their powers of the stack file, or their ranges if these are all 0.
type Models struct {
	Junction string    `json:"junction"`
	Films    []string  `json:"films"`
	Networks []Network `json:"networks"`
	// Environments is the number of combinations of h for which errors are stated: the limits of the ranges of the
	// films as far as there is space, and random ones, log-uniform in the ranges. Others were used for the fits.
	Environments int `json:"environments"`
}

// Network is a network of resistances between the junction and the mean surface temperatures of films.
type Network struct {
	Name      string     `json:"name"` // two-resistor, star or delphi
	Resistors []Resistor `json:"resistors"`
	// Largest and mean errors at the environments, which are no bounds: of the junction's rise, as a fraction of it,
	// and of the heat through a film, as a fraction of the power.
	JunctionMax  float64 `json:"junction_error_max"`
	JunctionMean float64 `json:"junction_error_mean"`
	HeatMax      float64 `json:"heat_error_max"`
}

// Resistor connects two nodes: the junction, or a film by its name.
type Resistor struct {
	From  string  `json:"from"`
	To    string  `json:"to"`
	KPerW float64 `json:"K_per_W"`
}

// environment is a combination of films, and the solution of the reduced model for 1 W.
type environment struct {
	conductance []float64 // h A of the films
	junction    float64   // K/W
	heat        []float64 // W/W, through each film
}

const (
	// fits and checks are numbers of environments.
	fits, checks = 100, 500
	// least and most are limits of conductances relative to the largest one that is measured from the junction to a
	// film. Smaller ones are open.
	least, most = 1e-5, 1e4
)

// Of fits compact models. ok is false if films are missing: all must be the only ways to the ambient.
func Of(p *reducedmodel.Parametric) (models *Models, ok bool, err error) {
	if !p.Floating {
		return nil, false, nil
	}
	p = byName(p)
	s := &source{p: p}
	if err := s.choose(); err != nil {
		return nil, false, err
	}
	m := &Models{Junction: p.Outputs[s.junction].Name, Environments: checks}
	for _, f := range p.Films {
		m.Films = append(m.Films, f.Name)
	}
	random := rand.New(rand.NewPCG(5, 6))
	fitted, err := s.environments(random, fits, 0)
	if err != nil {
		return nil, false, err
	}
	checked, err := s.environments(random, checks, 1<<len(p.Films))
	if err != nil {
		return nil, false, err
	}
	star, err := s.ends()
	if err != nil {
		return nil, false, err
	}
	scale := slices.Max(star)
	if g := twoResistors(m.Films, star); g != nil {
		m.Networks = append(m.Networks, describe("two-resistor", m.Films, g, scale, checked))
	}
	g := fit(star, scale, fitted)
	m.Networks = append(m.Networks, describe("star", m.Films, g, scale, checked))
	for range len(edges(len(m.Films))) - len(star) {
		g = append(g, 0.01*g[0])
	}
	m.Networks = append(m.Networks, describe("delphi", m.Films, fit(g, scale, fitted), scale, checked))
	return m, true, nil
}

// byName is a model with its films in the order of their names: the fits then do not depend on the order of --films.
func byName(p *reducedmodel.Parametric) *reducedmodel.Parametric {
	sorted := *p
	sorted.Films, sorted.F, sorted.Surfaces = nil, nil, reducedmodel.NewMatrix(p.Surfaces.Rows, p.Surfaces.Cols)
	order := make([]int, len(p.Films))
	for f := range order {
		order[f] = f
	}
	slices.SortFunc(order, func(a, b int) int { return strings.Compare(p.Films[a].Name, p.Films[b].Name) })
	for n, f := range order {
		sorted.Films, sorted.F = append(sorted.Films, p.Films[f]), append(sorted.F, p.F[f])
		copy(sorted.Surfaces.Row(n), p.Surfaces.Row(f))
	}
	return &sorted
}

// twoResistors keeps top and bottom; nil if there is no such film.
func twoResistors(films []string, star []float64) []float64 {
	g, found := make([]float64, len(star)), 0
	for f, name := range films {
		if name == "top" || name == "bottom" {
			g[f] = star[f]
			found++
		}
	}
	if found < 2 {
		return nil
	}
	return g
}

// source solves the reduced model.
type source struct {
	p        *reducedmodel.Parametric
	watts    []float64 // of 1 W in total
	junction int
}

func (s *source) choose() error {
	total := 0.0
	for _, in := range s.p.Inputs {
		total += in.Watts
	}
	for _, in := range s.p.Inputs {
		s.watts = append(s.watts, in.Watts/total)
		if !(total > 0) {
			s.watts[len(s.watts)-1] = in.Range
		}
	}
	m, err := s.p.At(reducedmodel.Middle(s.p.Films), 0)
	if err != nil {
		return err
	}
	rise := m.Transfer(0)
	top := math.Inf(-1)
	for o := range s.p.Inputs {
		if v := dot(rise.Row(o), s.watts); v > top {
			top, s.junction = v, o
		}
	}
	return nil
}

func dot(a, b []float64) float64 {
	sum := 0.0
	for n := range a {
		sum += a[n] * b[n]
	}
	return sum
}

// solve solves the reduced model.
func (s *source) solve(h []float64) (*environment, error) {
	n := s.p.States()
	var factor mat.Cholesky
	if !factor.Factorize(s.p.Conductance(h).Symmetric()) {
		return nil, fmt.Errorf("%w: not positive definite at h = %g", reducedmodel.ErrModel, h)
	}
	heat := make([]float64, n)
	for k := range heat {
		heat[k] = dot(s.p.B.Row(k), s.watts)
	}
	var z mat.VecDense
	if err := factor.SolveVecTo(&z, mat.NewVecDense(n, heat)); err != nil {
		return nil, err
	}
	e := &environment{junction: dot(s.p.L.Row(s.junction), z.RawVector().Data)}
	for f, film := range s.p.Films {
		c := h[f] * film.Area
		e.conductance = append(e.conductance, c)
		e.heat = append(e.heat, c*dot(s.p.Surfaces.Row(f), z.RawVector().Data))
	}
	return e, nil
}

// environments are n solutions: at the first of the combinations of limits, and at random films.
func (s *source) environments(random *rand.Rand, n, corners int) (all []*environment, err error) {
	for c := range n {
		h := reducedmodel.RandomH(s.p.Films, random)
		for f, film := range s.p.Films {
			if c < corners {
				h[f] = [2]float64{film.From, film.To}[c>>f&1]
			}
		}
		e, err := s.solve(h)
		if err != nil {
			return nil, err
		}
		all = append(all, e)
	}
	return all, nil
}

// ends are the conductances between the junction and each film, measured with this film at the upper end of its range
// and the others at the lower end.
func (s *source) ends() ([]float64, error) {
	var g []float64
	for f := range s.p.Films {
		h := make([]float64, len(s.p.Films))
		for k, film := range s.p.Films {
			h[k] = film.From
		}
		h[f] = s.p.Films[f].To
		e, err := s.solve(h)
		if err != nil {
			return nil, err
		}
		drop := e.junction - e.heat[f]/e.conductance[f]
		g = append(g, e.heat[f]/math.Max(drop, 1e-9*e.junction))
	}
	return g, nil
}

// edges are the pairs of nodes that conductances connect: the junction, which is the last node, and each film, then all
// pairs of films.
func edges(films int) (all [][2]int) {
	for f := range films {
		all = append(all, [2]int{films, f})
	}
	for f := range films {
		for k := range f {
			all = append(all, [2]int{k, f})
		}
	}
	return all
}

// solve returns the junction's rise and the heat through the films for 1 W. g contains conductances of the first edges.
func (e *environment) solve(g []float64) (junction float64, heat []float64) {
	n := len(e.conductance)
	a, b := mat.NewSymDense(n+1, nil), mat.NewVecDense(n+1, nil)
	b.SetVec(n, 1)
	for f, c := range e.conductance {
		a.SetSym(f, f, c)
	}
	for k, edge := range edges(n)[:len(g)] {
		i, j := edge[0], edge[1]
		a.SetSym(i, i, a.At(i, i)+g[k])
		a.SetSym(j, j, a.At(j, j)+g[k])
		a.SetSym(i, j, a.At(i, j)-g[k])
	}
	var t mat.VecDense
	if t.SolveVec(a, b) != nil {
		return math.Inf(1), make([]float64, n)
	}
	for f, c := range e.conductance {
		heat = append(heat, c*t.AtVec(f))
	}
	return t.AtVec(n), heat
}

// fit minimizes the squares of the errors of the junction and of the heat over logarithms of conductances.
func fit(g []float64, scale float64, all []*environment) []float64 {
	at := func(x []float64) []float64 {
		g := make([]float64, len(x))
		for k, v := range x {
			g[k] = math.Min(math.Exp(v), most*scale)
		}
		return g
	}
	cost := func(x []float64) float64 {
		sum, g := 0.0, at(x)
		for _, e := range all {
			junction, heat := e.solve(g)
			sum += math.Pow(junction/e.junction-1, 2)
			for f := range heat {
				sum += math.Pow(heat[f]-e.heat[f], 2)
			}
		}
		if math.IsNaN(sum) {
			return math.Inf(1)
		}
		return sum
	}
	x := make([]float64, len(g))
	for k, v := range g {
		x[k] = math.Log(v)
	}
	problem := optimize.Problem{Func: cost, Grad: func(grad, x []float64) { fd.Gradient(grad, cost, x, nil) }}
	found, err := optimize.Minimize(problem, x, &optimize.Settings{MajorIterations: 200}, &optimize.BFGS{})
	if found == nil || err != nil && !(found.F < cost(x)) {
		return g
	}
	return at(found.X)
}

// describe lists the resistors of a network, and computes its errors.
func describe(name string, films []string, g []float64, scale float64, all []*environment) Network {
	n, nodes := Network{Name: name}, append(slices.Clone(films), "junction")
	g = slices.Clone(g)
	for k, edge := range edges(len(films))[:len(g)] {
		if g[k] < least*scale {
			g[k] = 0
			continue
		}
		n.Resistors = append(n.Resistors, Resistor{nodes[edge[0]], nodes[edge[1]], 1 / g[k]})
	}
	for _, e := range all {
		junction, heat := e.solve(g)
		wrong := math.Abs(junction/e.junction - 1)
		n.JunctionMax = math.Max(n.JunctionMax, wrong)
		n.JunctionMean += wrong / float64(len(all))
		for f := range heat {
			n.HeatMax = math.Max(n.HeatMax, math.Abs(heat[f]-e.heat[f]))
		}
	}
	return n
}
