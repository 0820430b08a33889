package report

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"thermsim/internal/timeline/cputime"
	"thermsim/stack"
)

// tiled is a layer of n by n blocks of equal size, named by column and row.
func tiled(n int) *stack.Stack {
	s := sampleStack(20, 16)
	side := [2]float64{s.Size[0] / float64(n), s.Size[1] / float64(n)}
	var blocks []stack.Block
	for j := range n {
		for i := range n {
			blocks = append(blocks,
				stack.Block{Name: fmt.Sprintf("b%d_%d", i, j),
					Rects: rect(float64(i)*side[0], float64(j)*side[1], side[0], side[1]), Watts: 1})
		}
	}
	s.Layers[1].Powers[0].Blocks = blocks
	return s
}

// Where blocks are larger than cells, the block that covers most of a cell is the one its middle lies in.
func TestBlocksOfTiles(t *testing.T) {
	for _, n := range []int{1, 2, 4} { // cells lie in one block each
		m := build(t, tiled(n))
		at := newLocator(m)
		for j := range m.NY() {
			for i := range m.NX() {
				want := fmt.Sprintf("b%d_%d", i*n/m.NX(), j*n/m.NY())
				if got := at.place(i, j, m.LayerPlanes[1][0]).Block; got != want {
					t.Fatalf("%d x %d blocks, cell %d, %d: %q, want %q", n, n, i, j, got, want)
				}
			}
		}
	}
}

// The bins find what a look at every block finds, blocks of any size and overlapping ones included.
func TestBinsFindWhatIsThere(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	s := sampleStack(20, 16)
	var blocks []stack.Block
	for n := range 300 {
		size := math.Pow(10, -3*random.Float64())
		w, h := s.Size[0]*size, s.Size[1]*size*random.Float64()
		blocks = append(blocks,
			stack.Block{Name: fmt.Sprint(n), Rects: rect(random.Float64()*(s.Size[0]-w), random.Float64()*(s.Size[1]-h),
				w, h)})
	}
	s.Layers[1].Powers[0].Blocks = blocks
	s.Layers[1].Powers[0].AllowOverlap = true
	m := build(t, s)
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
			if got := at.place(i, j, m.LayerPlanes[1][0]).Block; got != want {
				t.Fatalf("cell %d, %d: block %q, want %q", i, j, got, want)
			}
		}
	}
}

// A hundred thousand places among as many blocks are told in no time, and two runs of them compared likewise.
func TestManyBlocks(t *testing.T) {
	m := build(t, tiled(300))
	start := cputime.Used()
	at := newLocator(m)
	for n := range 90_000 {
		at.place(n%m.NX(), n/m.NX()%m.NY(), m.LayerPlanes[1][0])
	}
	rows := make([]BlockSummary, 90_000)
	for n := range rows {
		rows[n] = BlockSummary{Layer: "feol", Name: fmt.Sprint(n), MaxK: 300 + float64(n)}
	}
	theirs := make([]BlockSummary, len(rows))
	for n := range rows {
		theirs[len(rows)-1-n] = rows[n]
		theirs[len(rows)-1-n].MaxK -= 2
	}
	all := blockDifferences(rows, theirs)
	if len(all) != len(rows) || all[0].Name != "0" || all[0].MaxK != 2 {
		t.Errorf("%d differences, the first %+v", len(all), all[0])
	}
	if spent := cputime.Used() - start; spent > 20*time.Second {
		t.Errorf("took %v", spent)
	}
}
