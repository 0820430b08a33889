package powermap

import "math"

// Sum adds numbers with Neumaier's compensation (Zeitschrift für Angewandte Mathematik und Mechanik 54, 1974, p. 39).
// The result is exact to one rounding unless the terms cancel by more than sixteen digits.
type Sum struct{ Total, Lost float64 }

// Add adds a number.
func (s *Sum) Add(v float64) {
	t := s.Total + v
	if math.Abs(s.Total) >= math.Abs(v) {
		s.Lost += (s.Total - t) + v
	} else {
		s.Lost += (v - t) + s.Total
	}
	s.Total = t
}

// Value is the sum so far.
func (s *Sum) Value() float64 { return s.Total + s.Lost }
