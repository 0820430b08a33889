package statistics

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"thermsim/internal/timeline/cputime"
	"thermsim/report/samples"
	"thermsim/stack"
	"thermsim/stack/geometry"
)

// tiled is a layer of n by n blocks of equal size, named by column and row.
func tiled(n int) *stack.Stack {
	s := samples.Stack(20, 16)
	side := [2]float64{s.Size[0] / float64(n), s.Size[1] / float64(n)}
	var blocks []stack.Block
	for j := range n {
		for i := range n {
			blocks = append(blocks,
				stack.Block{Name: fmt.Sprintf("b%d_%d", i, j),
					Rects: samples.Rect(float64(i)*side[0], float64(j)*side[1], side[0], side[1]), Watts: 1})
		}
	}
	s.Layers[1].Powers[0].Blocks = blocks
	return s
}

// Where blocks are larger than cells, the block that covers most of a cell is the one its middle lies in.
func TestBlocksOfTiles(t *testing.T) {
	for _, n := range []int{1, 2, 4} { // cells lie in one block each
		m := samples.Build(t, tiled(n))
		at := newLocator(m)
		for j := range m.NY() {
			for i := range m.NX() {
				want := fmt.Sprintf("b%d_%d", i*n/m.NX(), j*n/m.NY())
				if got := at.Place(i, j, m.LayerPlanes[1][0]).Block; got != want {
					t.Fatalf("%d x %d blocks, cell %d, %d: %q, want %q", n, n, i, j, got, want)
				}
			}
		}
	}
}

// The bins find what a look at every block finds, blocks of any size and overlapping ones included.
func TestBinsFindWhatIsThere(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	s := samples.Stack(20, 16)
	var blocks []stack.Block
	for n := range 300 {
		size := math.Pow(10, -3*random.Float64())
		w, h := s.Size[0]*size, s.Size[1]*size*random.Float64()
		blocks = append(blocks,
			stack.Block{Name: fmt.Sprint(n),
				Rects: samples.Rect(random.Float64()*(s.Size[0]-w), random.Float64()*(s.Size[1]-h),
					w, h)})
	}
	s.Layers[1].Powers[0].Blocks = blocks
	s.Layers[1].Powers[0].AllowOverlap = true
	m := samples.Build(t, s)
	at := newLocator(m)
	for j := range m.NY() {
		for i := range m.NX() {
			want, most := "", 0.0
			for n := range blocks {
				r := blocks[n].Rects[0]
				w := min(m.X[i+1], r.X+r.Width) - max(m.X[i], r.X)
				h := min(m.Y[j+1], r.Y+r.Height) - max(m.Y[j], r.Y)
				if area := max(w, 0) * max(h, 0); area > most {
					want, most = blocks[n].Name, area
				}
			}
			if got := at.Place(i, j, m.LayerPlanes[1][0]).Block; got != want {
				t.Fatalf("cell %d, %d: block %q, want %q", i, j, got, want)
			}
		}
	}
}

// A hundred thousand places among as many blocks are told in no time.
func TestManyPlaces(t *testing.T) {
	m := samples.Build(t, tiled(300))
	start := cputime.Used()
	at := newLocator(m)
	for n := range 90_000 {
		at.Place(n%m.NX(), n/m.NX()%m.NY(), m.LayerPlanes[1][0])
	}
	if spent := cputime.Used() - start; spent > 20*time.Second {
		t.Errorf("took %v", spent)
	}
}

// A cell belongs to a shape that covers half of it or more, not to the rectangle around the shape.
func TestRegionOfACellUnderAShape(t *testing.T) {
	s := samples.Stack(10, 8) // cells of 1 mm
	mm := func(x, y float64) geometry.Point { return geometry.Point{X: x * 1e-3, Y: y * 1e-3} }
	l := geometry.Polygon{mm(0, 0), mm(4, 0), mm(4, 1), mm(1, 1), mm(1, 4), mm(0, 4)}
	s.Layers[0].Regions = []stack.Region{{Name: "l", Material: 1, Rect: stack.Around(l), Shape: l}}
	m := samples.Build(t, s)
	for at, want := range map[[2]int]string{{0, 0}: "l", {3, 0}: "l", {0, 3}: "l", {2, 2}: "", {5, 5}: ""} {
		if got := regionAt(m, 0, at[0], at[1]); got != want {
			t.Errorf("cell %v lies in %q, want %q", at, got, want)
		}
	}
}
