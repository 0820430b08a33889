package mesh

import (
	"testing"

	"thermsim/stack"
)

// Cells are 2 x 2 mm: an area from x = 1 to 4 mm over the southern row covers half of the first cell and the whole of
// the second; another one covers the northern half of the last.
func TestInitialField(t *testing.T) {
	m := mustBuild(t, two())
	f, err :=
		m.Initial(
			[]stack.InitialLayer{
				{Kelvin: 310,
					Areas: []stack.InitialArea{{Rect: stack.Rect{X: 1e-3, Width: 3e-3, Height: 2e-3}, Kelvin: 350},
						{Rect: stack.Rect{X: 4e-3, Y: 3e-3, Width: 2e-3, Height: 1e-3}, Kelvin: 330}}},
				{Kelvin: 320}})
	if err != nil {
		t.Fatal(err)
	}
	plane := make([]float64, 6)
	for k, want := range [][]float64{{330, 350, 310, 310, 310, 320}, {330, 350, 310, 310, 310, 320},
		{320, 320, 320, 320, 320, 320}} {
		if err := f.Plane(k, plane); err != nil {
			t.Fatal(err)
		}
		for c := range plane {
			near(t, "temperature", plane[c], want[c])
		}
	}
	if f.Plane(3, plane) == nil || f.Plane(0, plane[:5]) == nil {
		t.Error("a plane that is not there was read")
	}
	if _, err := m.Initial(nil); err == nil {
		t.Error("no layers for a stack of two were taken")
	}
}
