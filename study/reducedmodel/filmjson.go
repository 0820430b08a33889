package reducedmodel

import (
	"fmt"
	"io"
	"math"
	"strings"
)

// FilmFormat identifies files of models with films as parameters, and their version.
const FilmFormat = "thermsim reduced model with films 1"

const filmEquations = "(G + sum of h_f F_f) z + C dz/dt = B P; T = rest_K + L z; P in W, T and z in K; films: F; " +
	"inputs: columns of B; outputs: rows of L; surfaces: mean rises of the films"

// filmFile is the content of a file.
type filmFile struct {
	Format    string        `json:"format"`
	Title     string        `json:"title"`
	Equations string        `json:"equations"`
	Ambient   float64       `json:"ambient_K"`
	Films     []Film        `json:"films"`
	Inputs    []Input       `json:"inputs"`
	Outputs   []namedOf     `json:"outputs"`
	Error     FilmAccuracy  `json:"error"`
	Origin    Origin        `json:"origin"`
	Floating  bool          `json:"films_only"`
	One       []float64     `json:"uniform"`
	G         [][]float64   `json:"G_W_per_K"`
	F         [][][]float64 `json:"F_m2"`
	C         [][]float64   `json:"C_J_per_K"`
	B         [][]float64   `json:"B"`
	L         [][]float64   `json:"L"`
	Surfaces  [][]float64   `json:"surfaces"`
	Snapshots filmSnapshots `json:"snapshots"`
}

// filmSnapshots are the snapshots and their products.
type filmSnapshots struct {
	All []Snapshot    `json:"solutions"`
	F   [][][]float64 `json:"F_m2_K2"`
	C   [][]float64   `json:"C_J_K"`
}

// WriteJSON writes a model. Numbers are read back bit for bit.
func (p *Parametric) WriteJSON(w io.Writer) error {
	f := filmFile{Format: FilmFormat, Title: p.Title, Equations: filmEquations, Ambient: p.Ambient, Films: p.Films,
		Inputs: p.Inputs, Outputs: named(p.Inputs, p.Outputs), Error: p.Error, Origin: p.Origin, Floating: p.Floating,
		One: p.One, G: rows(p.G), C: rows(p.C), B: rows(p.B), L: rows(p.L), Surfaces: rows(p.Surfaces),
		Snapshots: filmSnapshots{All: p.Snapshots, C: rows(p.SnapshotC)}}
	for n := range p.F {
		f.F, f.Snapshots.F = append(f.F, rows(p.F[n])), append(f.Snapshots.F, rows(p.SnapshotF[n]))
	}
	return writeLines(w, f)
}

// HasFilms reports whether data is a model with films as parameters.
func HasFilms(data []byte) bool {
	return strings.Contains(string(data[:min(len(data), 200)]), FilmFormat)
}

// ReadFilms reads the output of WriteJSON, and checks it.
func ReadFilms(data []byte) (*Parametric, error) {
	var j filmFile
	if err := decode(data, &j); err != nil {
		return nil, err
	}
	if j.Format != FilmFormat || len(j.F) != len(j.Films) || len(j.Snapshots.F) != len(j.Films) || len(j.Films) == 0 {
		return nil, fmt.Errorf("%w: got format %.60q with %d films and %d matrices; expected %q", ErrModel, j.Format,
			len(j.Films), len(j.F), FilmFormat)
	}
	p := &Parametric{Title: j.Title, Ambient: j.Ambient, Inputs: j.Inputs, Films: j.Films, Floating: j.Floating,
		One: j.One, Snapshots: j.Snapshots.All, Error: j.Error, Origin: j.Origin}
	var err error
	if p.Outputs, err = outputsOf(j.Inputs, j.Outputs); err != nil {
		return nil, err
	}
	p.F, p.SnapshotF = make([]Matrix, len(j.F)), make([]Matrix, len(j.F))
	n, s := len(j.G), len(p.Snapshots)
	type part struct {
		to         *Matrix
		name       string
		from       [][]float64
		rows, cols int
	}
	parts := []part{{&p.G, "G", j.G, n, n}, {&p.C, "C", j.C, n, n}, {&p.B, "B", j.B, n, len(p.Inputs)},
		{&p.L, "L", j.L, len(p.Outputs), n}, {&p.Surfaces, "surfaces", j.Surfaces, len(p.Films), n},
		{&p.SnapshotC, "snapshots.C", j.Snapshots.C, s, s}}
	for f := range j.F {
		parts = append(parts, part{&p.F[f], "F", j.F[f], n, n},
			part{&p.SnapshotF[f], "snapshots.F", j.Snapshots.F[f], s, s})
	}
	for _, m := range parts {
		if len(m.from) != m.rows {
			return nil, fmt.Errorf("%w: got %d rows of %s; expected %d", ErrModel, len(m.from), m.name, m.rows)
		}
		if *m.to, err = matrixOf(m.name, m.from, m.cols); err != nil {
			return nil, err
		}
	}
	return p, p.check()
}

// check rejects invalid films and snapshots. At checks the rest.
func (p *Parametric) check() error {
	if len(p.One) != p.States() || p.States() == 0 {
		return fmt.Errorf("%w: got %d coordinates of the uniform field and %d states", ErrModel, len(p.One), p.States())
	}
	for _, f := range p.Films {
		if !(f.From > 0 && f.To > f.From) || !(f.H >= 0) || math.IsInf(f.To, 0) || math.IsInf(f.H, 0) {
			return fmt.Errorf("%w: film %.60q: got h = %g in the range %g to %g W/(m^2 K)", ErrModel, f.Name, f.H,
				f.From, f.To)
		}
	}
	for _, s := range p.Snapshots {
		if s.Input < -1 || s.Input >= len(p.Inputs) || len(s.H) != len(p.Films) || !(s.Residual >= 0) {
			return fmt.Errorf("%w: snapshot of input %d with %d of %d films", ErrModel, s.Input, len(s.H), len(p.Films))
		}
	}
	_, err := p.At(p.Nominal(), 0)
	return err
}
