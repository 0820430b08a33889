package ilu_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"thermsim/gpusolve/krylov"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/precond"
	"thermsim/gpusolve/precond/ilu"
	"thermsim/gpusolve/sparse"
	"thermsim/gpusolve/testing/opstest"
)

// GMRES, as the paper has it, applies the preconditioner once an iteration, BiCGSTAB twice: this compares their counts
// on convection with diffusion. GMRES leaves the least residual that so many applications allow, so BiCGSTAB cannot
// need fewer. It writes docs/measurements/ilu-gmres.json where THERMSIM_MEASURE names the file; THERMSIM_COMMIT is what
// the rows name.
func TestCountsBesideGMRES(t *testing.T) {
	sizes := []int{16}
	file := os.Getenv("THERMSIM_MEASURE")
	if file != "" {
		sizes = []int{32, 64}
	}
	var rows []map[string]any
	for _, n := range sizes {
		for _, peclet := range []float64{0, 0.1, 1, 10, 30, 100} {
			a := opstest.Upwind([3]int{n, n, n}, [3]float64{peclet, peclet / 2, peclet / 10})
			for order := range 2 {
				s := load(t, a)
				m, err := ilu.New(s, settings(t, []string{"order=0", "order=1"}[order]))
				if err != nil {
					t.Fatal(err)
				}
				b := make([]float64, a.N())
				rng := rand.New(rand.NewPCG(1, 2))
				for c := range b {
					b[c] = rng.NormFloat64()
				}
				stabilised, err := krylov.NewBiCGSTAB(s, m)
				if err != nil {
					t.Fatal(err)
				}
				x, err := s.New64()
				if err != nil {
					t.Fatal(err)
				}
				source, err := opstest.Dense(s, b)
				if err != nil {
					t.Fatal(err)
				}
				out := stabilised.Solve(context.Background(), krylov.Rule{RTol: 1e-5, MaxIter: 500}, source, x)
				basis := gmres(t, s, m, a, b, 1e-5)
				t.Logf("%d^3, Peclet %g, order %d: GMRES %d, BiCGSTAB %d", n, peclet, order, basis, out.Iterations)
				rows = append(rows, map[string]any{"commit": os.Getenv("THERMSIM_COMMIT"), "device": "processor",
					"edge": n, "peclet": peclet, "method": fmt.Sprintf("ilu:order=%d", order), "rtol": 1e-5,
					"right_side": "normal random", "gmres": basis, "bicgstab": out.Iterations})
				if !out.Converged || 2*out.Iterations < basis || out.Iterations > basis+1 {
					t.Errorf("%d^3, Peclet %g, order %d: %d iterations of GMRES, of BiCGSTAB %+v", n, peclet, order,
						basis, out)
				}
			}
		}
	}
	if file == "" {
		return
	}
	data, err := json.MarshalIndent(map[string]any{"command": "go test ./gpusolve/precond/ilu -run BesideGMRES",
		"rows": rows}, "", " ")
	if err == nil {
		err = os.WriteFile(file, append(data, '\n'), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// gmres counts the iterations of GMRES without restarts, preconditioned from the right (Saad and Schultz 1986).
func gmres(t *testing.T, s ops.Operator, m precond.Preconditioner, a *sparse.Diagonals, b []float64, rtol float64) int {
	t.Helper()
	in, _ := s.New32()
	out, err := s.New32()
	if err != nil {
		t.Fatal(err)
	}
	norm := func(v []float64) float64 {
		sum := 0.0
		for _, x := range v {
			sum += x * x
		}
		return math.Sqrt(sum)
	}
	rest := norm(b)
	target := rtol * rest
	basis := [][]float64{make([]float64, len(b))}
	for c, v := range b {
		basis[0][c] = v / rest
	}
	var cosine, sine []float64
	z := make([]float64, len(b))
	for k := 0; k < 500; k++ {
		s.Write(in, basis[k])
		m.Apply(out, in)
		s.Read(out, z)
		w := make([]float64, len(b))
		a.Multiply(w, z)
		column := make([]float64, k+2)
		for i, v := range basis {
			for c, x := range v {
				column[i] += x * w[c]
			}
			for c, x := range v {
				w[c] -= column[i] * x
			}
		}
		column[k+1] = norm(w)
		for c := range w {
			w[c] /= column[k+1]
		}
		basis = append(basis, w)
		for i := range k {
			column[i], column[i+1] = cosine[i]*column[i]+sine[i]*column[i+1], cosine[i]*column[i+1]-sine[i]*column[i]
		}
		r := math.Hypot(column[k], column[k+1])
		cosine, sine = append(cosine, column[k]/r), append(sine, column[k+1]/r)
		if rest *= math.Abs(sine[k]); rest <= target {
			return k + 1
		}
	}
	t.Fatal("GMRES does not converge")
	return 0
}
