package cmg

import (
	"context"
	"os"
	"strconv"
	"testing"
	"time"

	"thermsim/gpusolve/host"
	"thermsim/gpusolve/krylov"
	"thermsim/gpusolve/sparse"
	"thermsim/gpusolve/sparse/graphs"
)

func poisson(nx, ny, nz int, wx, wy, wz float64, contrast func(i, j, k int) float64) *sparse.CSR {
	d := sparse.NewDiagonals(nx, ny, nz)
	at := func(i, j, k int) int { return (k*ny+j)*nx + i }
	for k := range nz {
		for j := range ny {
			for i := range nx {
				c := at(i, j, k)
				tie := func(band []float64, o int, w float64) {
					band[c] = -w
					d.Main[c] += w
					d.Main[c+o] += w
				}
				m := func(i2, j2, k2 int) float64 {
					if contrast == nil {
						return 1
					}
					a, b := contrast(i, j, k), contrast(i2, j2, k2)
					return 2 * a * b / (a + b)
				}
				if i+1 < nx {
					tie(d.X, 1, wx*m(i+1, j, k))
				} else { d.Main[c] += wx }
				if j+1 < ny {
					tie(d.Y, nx, wy*m(i, j+1, k))
				} else { d.Main[c] += wy }
				if k+1 < nz {
					tie(d.Z, nx*ny, wz*m(i, j, k+1))
				} else { d.Main[c] += wz }
				if i == 0 { d.Main[c] += wx }
				if j == 0 { d.Main[c] += wy }
				if k == 0 { d.Main[c] += wz }
			}
		}
	}
	return d.CSR()
}

func TestScratch(t *testing.T) {
	if os.Getenv("SCRATCH") == "" { t.Skip() }
	o := Defaults()
	if v := os.Getenv("REPEATS"); v != "" { o.Repeats, _ = strconv.Atoi(v) }
	if v := os.Getenv("DAMP"); v != "" { o.Damping, _ = strconv.ParseFloat(v, 64) }
	if v := os.Getenv("KAPPA"); v != "" { o.Kappa, _ = strconv.ParseFloat(v, 64) }
	n := 40
	if v := os.Getenv("N"); v != "" { n, _ = strconv.Atoi(v) }
	run := func(name string, a *sparse.CSR) {
		dev := host.Open()
		defer dev.Close()
		s, err := dev.LoadCSR(a)
		if err != nil { t.Fatal(err) }
		s.SetSource(graphs.Source(a.N(), 3))
		start := time.Now()
		c, err := New(s, o)
		if err != nil { t.Error(name, err); return }
		setup := time.Since(start)
		p, err := krylov.NewPCG(s, c)
		if err != nil { t.Fatal(err) }
		x, _ := s.New64()
		start = time.Now()
		out := p.Solve(context.Background(), krylov.Rule{RTol: 1e-6, MaxIter: 500}, x, nil)
		t.Logf("%s: n %d nnz %d: %d iterations, converged %v, setup %.2f s, solve %.2f s", name, a.N(), a.Entries(), out.Iterations, out.Converged, setup.Seconds(), time.Since(start).Seconds())
		if os.Getenv("V") != "" { t.Log(c.Details()) }
	}
	run("uniform", poisson(n, n, n, 1, 1, 1, nil))
	run("aniso", poisson(n, n, n, 1, 1, 100, nil))
	run("contrast", poisson(n, n, n, 1, 1, 1, func(i, j, k int) float64 { if (i/5+j/5+k/5)%2 == 0 { return 1000 }; return 1 }))
	run("2d", poisson(n*7, n*7, 1, 1, 1, 1e-3, nil))
	for _, f := range graphs.All() {
		run(f.Name, f.Build(n*n*n, 1))
	}
}
