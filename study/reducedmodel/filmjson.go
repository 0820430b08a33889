package reducedmodel

import (
	"cmp"
	"encoding/json"
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
	Format    string    `json:"format"`
	Equations string    `json:"equations"`
	Named     []namedOf `json:"outputs"`
	*Parametric
}

// MarshalJSON writes rows.
func (m Matrix) MarshalJSON() ([]byte, error) { return json.Marshal(rows(m)) }

// UnmarshalJSON reads rows of equal length.
func (m *Matrix) UnmarshalJSON(data []byte) (err error) {
	var all [][]float64
	if err := json.Unmarshal(data, &all); err != nil || len(all) == 0 {
		return err
	}
	*m, err = matrixOf("a matrix", all, len(all[0]))
	return err
}

// WriteJSON writes a model. Numbers are read back bit for bit.
func (p *Parametric) WriteJSON(w io.Writer) error {
	return writeLines(w, filmFile{FilmFormat, filmEquations, named(p.Inputs, p.Outputs), p})
}

// HasFilms reports whether data is a model with films as parameters.
func HasFilms(data []byte) bool {
	return strings.Contains(string(data[:min(len(data), 200)]), FilmFormat)
}

// ReadFilms reads the output of WriteJSON, and checks it.
func ReadFilms(data []byte) (*Parametric, error) {
	j := filmFile{Parametric: &Parametric{}}
	if err := decode(data, &j); err != nil {
		return nil, err
	}
	if j.Format != FilmFormat {
		return nil, fmt.Errorf("%w: got format %.60q; expected %q", ErrModel, j.Format, FilmFormat)
	}
	var err error
	if j.Outputs, err = outputsOf(j.Inputs, j.Named); err != nil {
		return nil, err
	}
	return j.Parametric, j.check()
}

// check rejects inconsistent sizes, and invalid films and snapshots. At checks the rest.
func (p *Parametric) check() error {
	n, s, films := p.States(), len(p.Snapshots), len(p.Films)
	err := cmp.Or(p.G.shaped("G", n, n), p.C.shaped("C", n, n), p.B.shaped("B", n, len(p.Inputs)),
		p.L.shaped("L", len(p.Outputs), n), p.Surfaces.shaped("surfaces", films, n),
		p.SnapshotC.shaped("snapshots_C", s, s))
	for _, f := range p.F {
		err = cmp.Or(err, f.shaped("F", n, n))
	}
	for _, f := range p.SnapshotF {
		err = cmp.Or(err, f.shaped("snapshots_F", s, s))
	}
	if err != nil {
		return err
	}
	if n == 0 || films == 0 || len(p.F) != films || len(p.SnapshotF) != films || len(p.One) != n {
		return fmt.Errorf("%w: got %d states and %d films, with %d and %d matrices", ErrModel, n, films, len(p.F),
			len(p.SnapshotF))
	}
	for _, f := range p.Films {
		if !(f.From > 0 && f.To > f.From) || !(f.H >= 0) || math.IsInf(f.To, 0) || math.IsInf(f.H, 0) {
			return fmt.Errorf("%w: film %.60q: got h = %g in the range %g to %g W/(m^2 K)", ErrModel, f.Name, f.H,
				f.From, f.To)
		}
	}
	for _, s := range p.Snapshots {
		if s.Input < -1 || s.Input >= len(p.Inputs) || len(s.H) != films || !(s.Residual >= 0) {
			return fmt.Errorf("%w: snapshot of input %d with %d of %d films", ErrModel, s.Input, len(s.H), films)
		}
	}
	_, err = p.At(Middle(p.Films), 0)
	return err
}
