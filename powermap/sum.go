package powermap

import "math"

// sum adds numbers with Neumaier's compensation (Zeitschrift für Angewandte Mathematik und Mechanik 54, 1974, p. 39).
// The result is exact to one rounding unless the terms cancel by more than sixteen digits.
type sum struct{ total, lost float64 }

func (s *sum) add(v float64) {
	t := s.total + v
	if math.Abs(s.total) >= math.Abs(v) {
		s.lost += (s.total - t) + v
	} else {
		s.lost += (v - t) + s.total
	}
	s.total = t
}

func (s *sum) value() float64 { return s.total + s.lost }
