package geometry

// Crossing returns two edges of a polygon that meet other than at a corner they share, by the index of their first
// corners; found is false for a simple polygon. A corner given twice in a row counts as such a meeting.
func (p Polygon) Crossing() (i, j int, found bool) {
	n := len(p)
	for i := range p {
		if p[i] == p[(i+1)%n] {
			return i, (i + 1) % n, true
		}
		for j := i + 1; j < n; j++ {
			if p.meet(i, j) {
				return i, j, true
			}
		}
	}
	return 0, 0, false
}

// meet says whether edges i and j > i have a point in common beyond the corner of neighbours.
func (p Polygon) meet(i, j int) bool {
	n := len(p)
	a, b, c, d := p[i], p[(i+1)%n], p[j], p[(j+1)%n]
	switch {
	case j == i+1: // b is c: they fold back on each other where d lies on a-b or a on c-d
		return n > 2 && folds(a, b, d)
	case (j+1)%n == i:
		return folds(c, a, b)
	}
	ab, cd := [2]float64{side(a, b, c), side(a, b, d)}, [2]float64{side(c, d, a), side(c, d, b)}
	if ab[0]*ab[1] > 0 || cd[0]*cd[1] > 0 {
		return false
	}
	// Either they cross, or they lie on one line and meet if their boxes do.
	return overlaps(a.X, b.X, c.X, d.X) && overlaps(a.Y, b.Y, c.Y, d.Y)
}

// folds says whether the path from a to b and on to c turns back on itself.
func folds(a, b, c Point) bool {
	return side(a, b, c) == 0 && (b.X-a.X)*(c.X-b.X)+(b.Y-a.Y)*(c.Y-b.Y) < 0
}

// side is positive if c lies to the left of the line from a to b.
func side(a, b, c Point) float64 { return (b.X-a.X)*(c.Y-a.Y) - (c.X-a.X)*(b.Y-a.Y) }

func overlaps(a, b, c, d float64) bool {
	return min(a, b) <= max(c, d) && min(c, d) <= max(a, b)
}
