package picture

import (
	"image"
	"math/rand/v2"
	"slices"
	"testing"

	"thermsim/stack"
)

// A pixel is in the union of rectangles where it is in one of them.
func TestUnion(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	f := &frame{area: image.Rect(5, 7, 45, 37), extent: stack.Rect{Width: 40, Height: 30}}
	for range 200 {
		var rects []stack.Rect
		for range random.IntN(12) {
			rects = append(rects, stack.Rect{X: float64(random.IntN(50) - 10), Y: float64(random.IntN(40) - 10),
				Width: float64(1 + random.IntN(15)), Height: float64(1 + random.IntN(15))})
		}
		u := f.unite(rects)
		for y := f.area.Min.Y - 1; y <= f.area.Max.Y; y++ {
			for x := f.area.Min.X; x < f.area.Max.X; x++ {
				want := slices.ContainsFunc(rects, func(r stack.Rect) bool {
					b := f.whole(r)
					return b.Overlaps(f.area) && image.Pt(x, y).In(b)
				})
				if got := u.row(y).end(x) > x; got != want {
					t.Fatalf("pixel (%d, %d) of %v: %v", x, y, rects, got)
				}
			}
		}
	}
}
