package main

import (
	"errors"
	"fmt"
	"time"

	"thermsim/gpusolve/cuda"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/precond/ilu"
)

// timeParts times factorizations and triangular solves of all orders, precisions and forms.
func (p grid) timeParts(s ops.Operator, o *factorFlags, add func(factorRow) error) error {
	a, err := s.(ops.Forms).Diagonals()
	if err != nil {
		return err
	}
	defer a.Release()
	for _, order := range *o.orders {
		for _, precision := range *o.precisions {
			for _, form := range *o.forms {
				how := ilu.Options{Order: order, Double: precision == "fp64", Form: ilu.FormOf(form)}
				r, err := p.timeFactor(s, a, how, o.runs)
				r.Kind, r.Precision, r.Form = "parts", precision, form
				r.Settings = fmt.Sprintf("order=%d,precision=%s,form=%s", order, precision, form)
				if err != nil {
					return fmt.Errorf("%s: %w", r.Settings, err)
				}
				fmt.Printf("  %-40s levels %5d factor %8.3f ms apply %8.3f ms %6.3f us/level %6.3f TB/s %5.1f B/cell\n",
					r.Settings, r.Levels, r.FactorMS, r.ApplyMS, r.LevelUS, r.TBPerS, r.BytesCell)
				if err := add(r); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// timeFactor times the factorization, the second of two, and the applications.
func (p grid) timeFactor(s ops.Operator, a ops.Diagonals, how ilu.Options, runs int) (r factorRow, err error) {
	n := p.nx * p.ny * p.nz
	r = factorRow{Order: how.Order, part: part{
		Levels: p.nx + (1+how.Order)*p.ny + (1+2*how.Order)*p.nz - 2 - 3*how.Order}}
	space, ok := cuda.SpaceOf(s)
	if !ok {
		return r, errors.New("incomplete factors are timed on a GPU")
	}
	before := space.Allocated()
	var f ilu.Factor
	for range 2 {
		if f != nil {
			f.Release()
		}
		start := time.Now()
		if f, err = ilu.Factorise(s, a, how); err != nil {
			return r, err
		}
		r.FactorMS = ms(time.Since(start))
	}
	t, err := f.Triangles()
	f.Release()
	if err != nil {
		return r, err
	}
	defer t.Release()
	r.BytesCell = float64(space.Allocated()-before) / float64(n)
	if r.ApplyMS, err = p.timeApplications(s, t.Solve, runs); err != nil {
		return r, err
	}
	r.LevelUS = 1000 * r.ApplyMS / 2 / float64(r.Levels)
	off := len(ilu.Neighbours(how.Order))
	// Both changes of layout, and for each solve its diagonals and the vector twice; the upper one also reads 1/D.
	width := 4
	if how.Double {
		width = 8
	}
	r.TBPerS = float64(n) * float64(4*2+width*(2+2*(off+2)+1)) / (r.ApplyMS / 1000) / 1e12
	return r, s.Err()
}

// timeApplications times z = M^-1 r, recorded as in a solver: the best of three means.
func (p grid) timeApplications(s ops.Operator, apply func(z, r ops.Vector), runs int) (float64, error) {
	right, err := s.New32()
	if err != nil {
		return 0, err
	}
	z, err := s.New32()
	if err != nil {
		return 0, err
	}
	defer s.Release(right, z)
	s.Write(right, p.rightSide("normal random"))
	best, err := timeRepeated(s, func() { apply(z, right) }, runs)
	return 1000 * best, err
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
