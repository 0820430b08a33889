package cmg_test

import (
	"math"
	"math/rand/v2"
	"sort"
	"testing"

	"thermsim/gpusolve/precond/cmg"
	"thermsim/gpusolve/sparse"
)

// network collects edges for a matrix.
type network struct {
	n      int
	edges  map[[2]int]float64
	ground map[int]float64
}

func newNetwork(n int) *network {
	return &network{n, map[[2]int]float64{}, map[int]float64{}}
}

func (w *network) tie(u, v int, g float64) { w.edges[[2]int{min(u, v), max(u, v)}] += g }

// matrix has |w| on the diagonal, so a negative conductance is a positive off-diagonal.
func (w *network) matrix() *sparse.CSR {
	rows := make([]map[int]float64, w.n)
	for v := range rows {
		rows[v] = map[int]float64{v: w.ground[v]}
	}
	for e, g := range w.edges {
		rows[e[0]][e[1]] -= g
		rows[e[1]][e[0]] -= g
	}
	a := &sparse.CSR{RowPtr: make([]int64, 1, w.n+1)}
	for v, row := range rows {
		var cols []int
		for c, g := range row {
			cols = append(cols, c)
			if c != v {
				row[v] += math.Abs(g)
			}
		}
		sort.Ints(cols)
		for _, c := range cols {
			a.Col, a.Val = append(a.Col, int32(c)), append(a.Val, row[c])
		}
		a.RowPtr = append(a.RowPtr, int64(len(a.Col)))
	}
	return a
}

func (w *network) graph(t *testing.T) *cmg.Graph {
	t.Helper()
	g, doubled, err := cmg.FromMatrix(w.matrix())
	if err != nil || doubled {
		t.Fatal(err, doubled)
	}
	return g
}

func path(n int, weight func(v int) float64) *network {
	w := newNetwork(n)
	for v := range n - 1 {
		w.tie(v, v+1, weight(v))
	}
	return w
}

func star(n int, weight func(v int) float64) *network {
	w := newNetwork(n)
	for v := 1; v < n; v++ {
		w.tie(0, v, weight(v))
	}
	return w
}

// grid2 has nx x ny vertices; weight gives the conductance from (i, j) along direction d.
func grid2(nx, ny int, weight func(i, j, d int) float64) *network {
	w := newNetwork(nx * ny)
	for j := range ny {
		for i := range nx {
			if i+1 < nx {
				w.tie(j*nx+i, j*nx+i+1, weight(i, j, 0))
			}
			if j+1 < ny {
				w.tie(j*nx+i, (j+1)*nx+i, weight(i, j, 1))
			}
		}
	}
	return w
}

func ones(int) float64 { return 1 }

// adversaries are networks that a careless clustering gets wrong, with weights of m and of 1.
func adversaries(m float64) map[string]*network {
	rng := rand.New(rand.NewPCG(3, 4))
	complete := newNetwork(24)
	for u := range 24 {
		for v := range u {
			complete.tie(u, v, 1)
		}
	}
	// Many weak edges into one vertex, whose only heavy one leads elsewhere.
	magnet := path(40, ones)
	for v := 3; v < 40; v++ {
		magnet.tie(0, v, 0.3)
	}
	return map[string]*network{
		"path": path(50, ones),
		"path with one huge edge": path(50, func(v int) float64 {
			return map[bool]float64{true: m, false: 1}[v == 20]
		}),
		"path of rising weights": path(90, func(v int) float64 { return math.Pow(m, float64(v)/30) }),
		"star":                   star(60, ones),
		"star with one heavy ray": star(60, func(v int) float64 {
			return map[bool]float64{true: m, false: 1}[v == 7]
		}),
		"star of rising weights": star(40, func(v int) float64 { return math.Pow(m, float64(v)/20) }),
		"complete":               complete,
		"magnet":                 magnet,
		"grid":                   grid2(12, 11, func(_, _, _ int) float64 { return 1 }),
		"grid with one heavy edge": grid2(12, 11, func(i, j, d int) float64 {
			return map[bool]float64{true: m, false: 1}[i == 5 && j == 5 && d == 0]
		}),
		"grid with a heavy line": grid2(12, 11, func(_, j, d int) float64 {
			return map[bool]float64{true: m, false: 1}[j == 5 && d == 0]
		}),
		"grid with heavy columns": grid2(12, 11, func(_, _, d int) float64 {
			return map[bool]float64{true: m, false: 1}[d == 1]
		}),
		"grid with a heavy quarter": grid2(12, 12, func(i, j, _ int) float64 {
			return map[bool]float64{true: m, false: 1}[i < 6 && j < 6]
		}),
		"grid of random weights": grid2(13, 9, func(_, _, _ int) float64 { return math.Pow(m, 1.3*rng.Float64()) }),
	}
}
