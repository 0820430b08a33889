package reducedmodel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// Parametric is a model whose heat-transfer coefficients h remain parameters:
//
//	(G + sum over f of h_f F_f) z + C dz/dt = B P        T = Ambient + L z
//
// All matrices are projections on one basis by congruence. For the geometric means of the films' ranges it consists of
// the modes: G + sum of h_f F_f is the identity and C is diagonal. G, C and F_f are positive semidefinite, so that the
// model is stable and passive for all h >= 0.
type Parametric struct {
	Title   string       `json:"title"`
	Ambient float64      `json:"ambient_K"`
	Films   []Film       `json:"films"`
	Inputs  []Input      `json:"inputs"`
	Outputs []Output     `json:"-"` // the means of all inputs first, in their order.
	Error   FilmAccuracy `json:"error"`
	Origin  Origin       `json:"origin"`
	G       Matrix       `json:"G_W_per_K"`
	C       Matrix       `json:"C_J_per_K"`
	F       []Matrix     `json:"F_m2"` // by film
	B       Matrix       `json:"B"`    // states x inputs, dimensionless.
	L       Matrix       `json:"L"`    // outputs x states
	// Surfaces are the mean temperature rises of the films, films x states.
	Surfaces Matrix `json:"surfaces"`
	// One is the uniform field of 1 K. Floating reports that only the films exchange heat with the ambient.
	One      []float64 `json:"uniform"`
	Floating bool      `json:"films_only"`
	// Snapshots are the solutions of the full model that span the basis. SnapshotF and SnapshotC are their products
	// with F and C, which the bound of the error needs with small rounding errors.
	Snapshots []Snapshot `json:"snapshots"`
	SnapshotF []Matrix   `json:"snapshots_F_m2_K2"`
	SnapshotC Matrix     `json:"snapshots_C_J_K"`
}

// Film is a heat-transfer coefficient that is a parameter.
type Film struct {
	Name string `json:"name"`
	// From and To are the range in W/(m2 K) for which the errors are stated.
	From float64 `json:"from_W_per_m2K"`
	To   float64 `json:"to_W_per_m2K"`
	// H is that of the stack file; the geometric mean of the range if it has none.
	H    float64 `json:"h_W_per_m2K"`
	Area float64 `json:"area_m2"`
}

// Snapshot is a solution of the full model, (G + sum of h_f F_f + Shift C) x = Watts in one input.
type Snapshot struct {
	Input int       `json:"input"` // -1 of the uniform field, which is a solution for h = 0 and no power
	Watts float64   `json:"watts_W"`
	H     []float64 `json:"h_W_per_m2K"`
	Shift float64   `json:"shift_per_s"`
	// Residual is the error of its solution: the square of its norm in the energy of G, in W K.
	Residual float64 `json:"residual_WK"`
}

// FilmAccuracy contains errors in K, for simultaneous powers between 0 and Range in all inputs and h in the ranges.
type FilmAccuracy struct {
	WantedK float64 `json:"wanted_K"`
	// BoundK is the largest bound of the steady means at Points combinations of h. The bound at any h is that of
	// Parametric.Bound.
	BoundK float64 `json:"steady_bound_K"`
	Points int     `json:"points"`
	// StepK is the change after steps of power by the last refinement of the basis, at Checks random combinations of h.
	StepK float64 `json:"steps_K"`
	// CheckedK is the largest error of all outputs, in steady states of the full model at Checks random h.
	CheckedK float64 `json:"checked_K"`
	Checks   int     `json:"checks"`
	Solves   int     `json:"full_solves"`
}

// States is the number of states.
func (p *Parametric) States() int { return p.G.Rows }

// Conductance is G + sum of h_f F_f.
func (p *Parametric) Conductance(h []float64) Matrix {
	sum := Matrix{p.G.Rows, p.G.Cols, slices.Clone(p.G.Data)}
	for f := range p.F {
		floats.AddScaled(sum.Data, h[f], p.F[f].Data)
	}
	return sum
}

// At is the model for given heat-transfer coefficients, one in W/(m2 K) for each film. kelvin is the uniform initial
// temperature of transients.
func (p *Parametric) At(h []float64, kelvin float64) (*Model, error) {
	if len(h) != len(p.Films) {
		return nil, fmt.Errorf("got %d heat-transfer coefficients; expected %d, one per film", len(h), len(p.Films))
	}
	for f, v := range h {
		if !(v >= 0) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("film %s: got h = %g W/(m^2 K); expected a value of at least 0", p.Films[f].Name, v)
		}
	}
	if p.Floating && slices.Max(h) == 0 {
		return nil, fmt.Errorf("the h of all films are 0, so that no heat leaves. Fix: --films %s=H", p.Films[0].Name)
	}
	pencil := Pencil{G: p.Conductance(h), C: p.C, B: p.B, L: p.L}
	m := &Model{Title: p.Title, Ambient: p.Ambient, Inputs: p.Inputs, Outputs: p.Outputs, Origin: p.Origin}
	if kelvin > 0 && kelvin != p.Ambient {
		m.Initial = kelvin
		for _, heat := range p.C.times(p.One) {
			pencil.H = append(pencil.H, heat*(kelvin-p.Ambient))
		}
	}
	e := &p.Error
	m.Error = Accuracy{WantedK: e.WantedK, BasisK: e.StepK, EstimateK: e.EstimateK(), BasisStates: p.States(),
		Solves: e.Solves}
	if err := pencil.Diagonal(m); err != nil {
		return nil, err
	}
	return m, m.Check()
}

// EstimateK is the estimated error after steps of power.
func (e *FilmAccuracy) EstimateK() float64 { return math.Max(e.StepK, e.CheckedK) }

// Nominal are the heat-transfer coefficients of the stack file.
func (p *Parametric) Nominal() []float64 {
	h := make([]float64, len(p.Films))
	for f := range h {
		h[f] = p.Films[f].H
	}
	return h
}

// Modes is the model in the basis of its modes at the geometric means of the films' ranges.
func (p *Parametric) Modes() (*Parametric, error) {
	energy := p.Conductance(Middle(p.Films))
	t, err := orthonormal(energy)
	if err != nil {
		return nil, err
	}
	t, tau, err := t.modes(t.congruent(p.C))
	if err != nil {
		return nil, err
	}
	q := *p
	q.G, q.C, q.F = t.congruent(p.G), NewMatrix(t.Rows, t.Rows), nil
	for r, v := range tau {
		q.C.SetBoth(r, r, v)
	}
	for _, f := range p.F {
		q.F = append(q.F, t.congruent(f))
	}
	q.B, q.L, q.Surfaces = t.product(p.B), p.L.product(t.Transposed()), p.Surfaces.product(t.Transposed())
	q.One = t.times(energy.times(p.One)) // coordinates in an orthonormal basis
	return &q, nil
}

// RandomH are log-uniform in the ranges of the films.
func RandomH(films []Film, random *rand.Rand) []float64 {
	h := make([]float64, len(films))
	for f, film := range films {
		h[f] = film.From * math.Pow(film.To/film.From, random.Float64())
	}
	return h
}

// Middle are the geometric means of the films' ranges.
func Middle(films []Film) []float64 {
	h := make([]float64, len(films))
	for f, film := range films {
		h[f] = math.Sqrt(film.From * film.To)
	}
	return h
}
