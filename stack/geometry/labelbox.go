package geometry

import "math"

// maxStrips is the largest number of strips that LabelBox combines. Shapes of thousands of corners have more, and all
// combinations would take minutes.
const maxStrips = 4000

// LabelBox is a large rectangle inside a shape, for its label: the largest that begins with one of its strips, which
// are a fortieth of its height, or the largest strip if there are very many.
func LabelBox(s Shape) (largest Box) {
	b := s.Bounds()
	strips := InnerStrips(s, (b.Y1-b.Y0)/40)
	for i, at := range strips {
		above := strips[i:]
		if len(strips) > maxStrips {
			above = strips[i : i+1]
		}
		for _, next := range above {
			x0, x1 := math.Max(at.X0, next.X0), math.Min(at.X1, next.X1)
			if next.Y0 > at.Y1 {
				break // no strip is adjacent
			}
			if next.Y1 <= at.Y1 && next != at || x1 <= x0 {
				continue
			}
			at = Box{x0, at.Y0, x1, next.Y1}
			if (at.X1-at.X0)*(at.Y1-at.Y0) > (largest.X1-largest.X0)*(largest.Y1-largest.Y0) {
				largest = at
			}
		}
	}
	return largest
}
