package parac

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// sameEntries compares factors bit by bit.
func sameEntries(a, b *entries) error {
	switch {
	case !slices.Equal(a.row, b.row):
		return fmt.Errorf("the unknowns are sorted as %v, not %v", b.row, a.row)
	case !slices.Equal(a.level, b.level):
		return errors.New("the levels differ")
	case !slices.Equal(a.first, b.first) || !slices.Equal(a.at, b.at):
		return errors.New("the columns have entries in other places")
	case !slices.Equal(a.share, b.share):
		return errors.New("the columns have other values")
	case !slices.Equal(a.begin, b.begin) || !slices.Equal(a.col, b.col) || !slices.Equal(a.weight, b.weight):
		return errors.New("the rows differ from the columns")
	case !slices.Equal(a.pivot, b.pivot):
		return errors.New("the pivots differ")
	}
	return nil
}

// solveEntries is (G D G^T)^-1 r in FP64, from the columns alone.
func solveEntries(f *entries, r []float64) []float64 {
	n := len(f.row)
	y := make([]float64, n)
	for p, row := range f.row {
		y[p] = r[row]
	}
	for c := range n {
		for i := f.first[c]; i < f.first[c+1]; i++ {
			y[f.at[i]] += float64(f.share[i]) * y[c]
		}
	}
	for c := n - 1; c >= 0; c-- {
		if f.pivot[c] > 0 {
			y[c] /= f.pivot[c]
		} else {
			y[c] = 0
		}
		for i := f.first[c]; i < f.first[c+1]; i++ {
			y[c] += float64(f.share[i]) * y[f.at[i]]
		}
	}
	z := make([]float64, n)
	for p, row := range f.row {
		z[row] = y[p]
	}
	return z
}

func largest(x []float64) float64 {
	m := 0.0
	for _, v := range x {
		m = math.Max(m, math.Abs(v))
	}
	return m
}
