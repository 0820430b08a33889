package mesh

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"thermsim/internal/timeline/cputime"
	"thermsim/stack"
)

// three is one cell of 6 x 4 mm of material b in the upper layer of two, beside a and a third material.
func three() *stack.Stack {
	s := two()
	s.Grid = stack.Grid{X: stack.Axis{Cells: 1}, Y: stack.Axis{Cells: 1}}
	s.Materials = append(s.Materials, stack.Material{Name: "c", K: [3]float64{0.3, 70, 9}, C: 3.5e6})
	return s
}

// piece of a cell, its edges as shares of width and depth.
type tile struct {
	material       int
	x0, x1, y0, y1 float64
}

// cellOf is what the pieces make of the cell of the upper layer of three.
func cellOf(t *testing.T, tiles []tile) *Material {
	t.Helper()
	s := three()
	for _, p := range tiles {
		r := stack.Rect{X: p.x0 * s.Size[0], Y: p.y0 * s.Size[1], Width: (p.x1 - p.x0) * s.Size[0],
			Height: (p.y1 - p.y0) * s.Size[1]}
		s.Layers[1].Regions = append(s.Layers[1].Regions, stack.Region{Material: p.material, Rect: r})
	}
	return mustBuild(t, s).At(0, 0, 2)
}

// Two rectangles that each fill a quarter of a cell make half of it, wherever they lie. In each half of the cell what
// lies behind each other conducts in series, and what lies beside each other side by side.
func TestTwoQuartersAreAHalf(t *testing.T) {
	series := 1 / (0.5/10 + 0.5/1)
	seriesY := 1 / (0.5/20 + 0.5/2)
	for name, tt := range map[string]struct {
		tiles []tile
		half  [4]float64
	}{
		"apart along x": {[]tile{{0, 0.125, 0.375, 0, 1}, {0, 0.625, 0.875, 0, 1}}, [4]float64{series, series, 11, 11}},
		"apart along y": {[]tile{{0, 0, 1, 0, 0.25}, {0, 0, 1, 0.625, 0.875}}, [4]float64{5.5, 5.5, seriesY, seriesY}},
		"in one half": {[]tile{{0, 0, 0.25, 0, 0.5}, {0, 0.25, 0.5, 0.5, 1}, {0, 0.5, 1, 0, 0.5}},
			[4]float64{series, 5.5, 0.25*20 + 0.25*2 + 0.5*20, 0.25*2 + 0.25*20 + 0.5*2}},
		"diagonal": {[]tile{{0, 0, 0.5, 0, 0.5}, {0, 0.5, 1, 0.5, 1}}, [4]float64{5.5, 5.5, 11, 11}},
	} {
		for range 2 {
			m := cellOf(t, tt.tiles)
			near(t, name+": c", m.C, 1.5e6)
			near(t, name+": kz", m.K[2], 22.5)
			for n, want := range tt.half {
				near(t, name+": half", m.Half[n], want)
			}
			near(t, name+": kx", m.K[0], 2/(1/tt.half[west]+1/tt.half[east]))
			slices.Reverse(tt.tiles)
		}
	}
}

// Stripes that run through a cell conduct in series across, and side by side along, in whatever order they are given.
func TestStripesInACell(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 50 {
		n := 1 + rng.IntN(20)
		edges := make([]float64, 2*n)
		for i := range edges {
			edges[i] = rng.Float64()
		}
		slices.Sort(edges)
		of := three().Materials
		want := [2]float64{} // resistivity along x, of the halves
		beside := 2.0        // conductivity along y
		want[0], want[1] = 1, 1
		capacity := 2e6
		var tiles []tile
		for i := range n {
			lo, hi, m := edges[2*i], edges[2*i+1], 2*rng.IntN(2)
			tiles = append(tiles, tile{m, lo, hi, 0, 1})
			inWest := max(0, min(hi, 0.5)-lo)
			want[0] += 2 * inWest * (1/of[m].K[0] - 1)
			want[1] += 2 * (hi - lo - inWest) * (1/of[m].K[0] - 1)
			beside += (hi - lo) * (of[m].K[1] - 2)
			capacity += (hi - lo) * (of[m].C - 2e6)
		}
		rng.Shuffle(n, func(i, j int) { tiles[i], tiles[j] = tiles[j], tiles[i] })
		m := cellOf(t, tiles)
		for n, pair := range [][2]float64{{m.Half[west], 1 / want[0]}, {m.Half[east], 1 / want[1]},
			{m.Half[south], beside}, {m.Half[north], beside}, {m.K[1], beside}, {m.C, capacity}} {
			if math.Abs(pair[0]-pair[1]) > 1e-5*pair[1] { // edges are FP32
				t.Errorf("%v: property %d is %g, want %g", tiles, n, pair[0], pair[1])
			}
		}
	}
}

// Rectangles anywhere, over and beside each other: the cell is drawn pixel by pixel, the later over the earlier. Areas
// are exact; halves are rows of pixels side by side, each with its pixels in series, and lie between the bounds of
// Wiener.
func TestRectanglesAgainstPixels(t *testing.T) {
	const side = 64
	rng := rand.New(rand.NewPCG(1, 9))
	of := three().Materials
	for trial := range 300 {
		var picture [side][side]int
		for j := range side {
			for i := range side {
				picture[j][i] = 1
			}
		}
		var tiles []tile
		for range 1 + rng.IntN(2+trial/10) {
			i0, j0 := rng.IntN(side), rng.IntN(side)
			i1, j1 := i0+1+rng.IntN(side-i0), j0+1+rng.IntN(side-j0)
			if rng.IntN(2) == 0 {
				i1, j1 = min(i1, i0+9), min(j1, j0+9)
			}
			m := rng.IntN(3)
			tiles = append(tiles, tile{m, float64(i0) / side, float64(i1) / side, float64(j0) / side,
				float64(j1) / side})
			for j := j0; j < j1; j++ {
				for i := i0; i < i1; i++ {
					picture[j][i] = m
				}
			}
		}
		var want Material
		var least, most [4]float64
		for j := range side {
			var row [4]float64 // resistivities
			for i := range side {
				at := of[picture[j][i]]
				want.C += at.C / side / side
				want.K[2] += at.K[2] / side / side
				turned := of[picture[i][j]]
				half := i * 2 / side
				for n, k := range map[int]float64{west + half: at.K[0], south + half: turned.K[1]} {
					row[n] += 1 / k / (side / 2)
					least[n] += 1 / k / (side / 2) / side
					most[n] += k / (side / 2) / side
				}
			}
			for n := range row {
				want.Half[n] += 1 / row[n] / side
			}
		}
		got := cellOf(t, tiles)
		same := func(what string, v, w float64) {
			if math.Abs(v-w) > 1e-9*w {
				t.Errorf("%v: %s is %.12g, want %.12g", tiles, what, v, w)
			}
		}
		same("c", got.C, want.C)
		same("kz", got.K[2], want.K[2])
		for n := range want.Half {
			same("half", got.Half[n], want.Half[n])
			if got.Half[n] < (1-1e-9)/least[n] || got.Half[n] > (1+1e-9)*most[n] {
				t.Errorf("%v: half %d is %g, outside of %g and %g", tiles, n, got.Half[n], 1/least[n], most[n])
			}
		}
	}
}

// Pieces that fill a cell are the material that they are of, in whatever order they come and wherever they are cut.
func TestPiecesMakeAWhole(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	for range 100 {
		tiles := []tile{{0, 0, 1, 0, 1}}
		for range 1 + rng.IntN(30) {
			n := rng.IntN(len(tiles))
			p, at := tiles[n], 0.05+0.9*rng.Float64()
			q := p
			if rng.IntN(2) == 0 {
				p.x1 = p.x0 + at*(p.x1-p.x0)
				q.x0 = p.x1
			} else {
				p.y1 = p.y0 + at*(p.y1-p.y0)
				q.y0 = p.y1
			}
			if min(p.x1-p.x0, p.y1-p.y0, q.x1-q.x0, q.y1-q.y0) > 1e-4 { // not close to rounding
				tiles[n] = p
				tiles = append(tiles, q)
			}
		}
		rng.Shuffle(len(tiles), func(i, j int) { tiles[i], tiles[j] = tiles[j], tiles[i] })
		got, want := cellOf(t, tiles), three().Materials[0]
		if got.K != want.K || got.C != want.C || got.Half != [4]float64{10, 10, 20, 20} {
			t.Errorf("%v make %+v", tiles, got)
		}
	}
}

// Thousands of rectangles in a cell: strips across strips, each over those before, and small ones anywhere, at a
// bounded cost.
func TestManyRectanglesInACell(t *testing.T) {
	const n = 4096
	rng := rand.New(rand.NewPCG(8, 8))
	var grouped, woven, small []tile
	for i := range n {
		at := float64(i) / n
		grouped = append(grouped, tile{0, at, at + 0.5/n, 0, 1})
		woven = append(woven, tile{0, at, at + 0.5/n, 0, 1}, tile{2, 0, 1, at, at + 0.5/n})
		x, y := rng.Float64(), rng.Float64()
		small = append(small, tile{2, x, min(1, x+0.01), y, min(1, y+0.01)})
	}
	for i := range n {
		at := float64(i) / n
		grouped = append(grouped, tile{2, 0, 1, at, at + 0.5/n})
	}
	// What random ones leave open, counted by points.
	open, points := 0, 30_000
	for range points {
		x, y := rng.Float64(), rng.Float64()
		if !slices.ContainsFunc(small, func(p tile) bool { return x > p.x0 && x < p.x1 && y > p.y0 && y < p.y1 }) {
			open++
		}
	}
	part := float64(open) / float64(points)
	for _, tt := range []struct {
		name        string
		tiles       []tile
		want, error float64
	}{
		{"grouped", grouped, 0.25*1e6 + 0.5*3.5e6 + 0.25*2e6, 1e-6},
		{"woven", woven, (1e6+3.5e6)*3/8 + 0.25*2e6, 0.02},
		{"small", small, (1-part)*3.5e6 + part*2e6, 0.005},
	} {
		start := cputime.Used()
		if got := cellOf(t, tt.tiles); math.Abs(got.C-tt.want) > tt.error*tt.want {
			t.Errorf("%s: c is %g, want %g", tt.name, got.C, tt.want)
		}
		if spent := cputime.Used() - start; spent > 10*time.Second {
			t.Errorf("%s took %v of a processor", tt.name, spent)
		}
	}
}
