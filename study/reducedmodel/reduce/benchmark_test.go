package reduce

import (
	"bufio"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"gonum.org/v1/gonum/mat"

	"thermsim/study/reducedmodel"
)

// banded is a model with a band matrix and diagonal films and capacities, solved exactly.
type banded struct {
	g      *mat.SymBandDense
	films  [][]float64 // diagonals
	c      []float64
	heat   [][]float64 // by input, for 1 W
	like   reducedmodel.Parametric
	fields [][]float64 // snapshots
	basis  [][]float64
}

func (b *banded) solve(h []float64, s float64, heat []float64) []float64 {
	n, _ := b.g.Dims()
	_, k := b.g.SymBand()
	a := mat.NewSymBandDense(n, k, nil)
	for r := range n {
		for c := r; c <= min(n-1, r+k); c++ {
			a.SetSymBand(r, c, b.g.At(r, c))
		}
		v := b.g.At(r, r) + s*b.c[r]
		for f := range h {
			v += h[f] * b.films[f][r]
		}
		a.SetSymBand(r, r, v)
	}
	var factor mat.BandCholesky
	if !factor.Factorize(a) {
		panic("not positive definite")
	}
	var x mat.VecDense
	if err := factor.SolveVecTo(&x, mat.NewVecDense(n, heat)); err != nil {
		panic(err)
	}
	return x.RawVector().Data
}

func (b *banded) respond(_ context.Context, h []float64, s float64, inputs []int) error {
	for _, i := range inputs {
		x := b.solve(h, s, b.heat[i])
		b.add(x)
		b.like.Snapshots = append(b.like.Snapshots, reducedmodel.Snapshot{Input: i, Watts: 1, H: h, Shift: s,
			Residual: 1e-13 * dot(b.heat[i], x)})
	}
	return nil
}

func dot(a, b []float64) float64 {
	sum := 0.0
	for n := range a {
		sum += a[n] * b[n]
	}
	return sum
}

// one adds the uniform field.
func (b *banded) one() {
	x := make([]float64, len(b.c))
	for n := range x {
		x[n] = 1
	}
	b.add(x)
	b.like.Floating = true
	b.like.Snapshots = append(b.like.Snapshots, reducedmodel.Snapshot{Input: -1, H: make([]float64, len(b.films))})
}

// add adds a snapshot, and its part orthogonal to the basis in the energy at the middle of the films.
func (b *banded) add(x []float64) {
	b.fields = append(b.fields, x)
	rest := append([]float64(nil), x...)
	own := dot(rest, b.energy(rest))
	for range 2 {
		for _, w := range b.basis {
			d := dot(b.energy(w), rest)
			for n := range rest {
				rest[n] -= d * w[n]
			}
		}
	}
	left := dot(rest, b.energy(rest))
	if left < 1e-24*own {
		return
	}
	for n := range rest {
		rest[n] /= math.Sqrt(left)
	}
	b.basis = append(b.basis, rest)
}

// energy is G x at the middle of the films.
func (b *banded) energy(x []float64) []float64 {
	var y mat.VecDense
	y.MulVec(b.g, mat.NewVecDense(len(x), x))
	for f, h := range middle(b.like.Films) {
		for n, v := range b.films[f] {
			y.SetVec(n, y.AtVec(n)+h*v*x[n])
		}
	}
	return y.RawVector().Data
}

// products are the products of fields with a diagonal.
func products2(fields [][]float64, diagonal []float64) reducedmodel.Matrix {
	m := reducedmodel.NewMatrix(len(fields), len(fields))
	for r, x := range fields {
		for c, y := range fields {
			for n, v := range diagonal {
				m.Data[r*m.Cols+c] += v * x[n] * y[n]
			}
		}
	}
	return m
}

func (b *banded) project() *reducedmodel.Parametric {
	p, n := b.like, len(b.basis)
	p.G, p.C, p.SnapshotC = reducedmodel.NewMatrix(n, n), products2(b.basis, b.c), products2(b.fields, b.c)
	for _, f := range b.films {
		p.F, p.SnapshotF = append(p.F, products2(b.basis, f)), append(p.SnapshotF, products2(b.fields, f))
	}
	p.B, p.L = reducedmodel.NewMatrix(n, len(b.heat)), reducedmodel.NewMatrix(len(p.Outputs), n)
	p.Surfaces = reducedmodel.NewMatrix(len(b.films), n)
	var gx mat.VecDense
	for r, x := range b.basis {
		gx.MulVec(b.g, mat.NewVecDense(len(x), x))
		for c, y := range b.basis {
			p.G.Data[r*n+c] = dot(gx.RawVector().Data, y)
		}
		for i := range b.heat {
			p.B.Data[r*len(b.heat)+i] = dot(b.heat[i], x)
			p.L.Data[i*n+r] = dot(b.heat[i], x)
		}
	}
	return &p
}

func (b *banded) fastest(kelvin float64) float64 {
	top := 0.0
	for i := range b.heat {
		for n, w := range b.heat[i] {
			top = math.Max(top, math.Abs(w)*b.like.Inputs[i].Range/b.c[n]/kelvin)
		}
	}
	return top
}

// readBenchmark reads "Thermal Model" of the Oberwolfach collection (E. B. Rudnyi and J. G. Korvink, T2DAL_BCI).
func readBenchmark(t *testing.T, dir string) *banded {
	read := func(name string, set func(r, c int, v float64)) {
		file, err := os.Open(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		in := bufio.NewScanner(file)
		in.Scan()
		for in.Scan() {
			var r, c int
			var v float64
			if _, err := fmt.Sscan(in.Text(), &r, &c, &v); err != nil {
				t.Fatal(err)
			}
			set(r, c, v)
		}
	}
	const n = 4257
	b := &banded{g: mat.NewSymBandDense(n, 86, nil), c: make([]float64, n), films: make([][]float64, 3)}
	read("_sys.A_3_.txt", func(r, c int, v float64) {
		if r <= c {
			b.g.SetSymBand(r, c, -v)
		}
	})
	read("_sys.E_0_.txt", func(r, _ int, v float64) { b.c[r] = v })
	for f, name := range []string{"top", "bottom", "side"} {
		b.films[f] = make([]float64, n)
		read(fmt.Sprintf("_sys.A_%d_.txt", f), func(r, _ int, v float64) { b.films[f][r] = math.Abs(v) })
		b.like.Films = append(b.like.Films, reducedmodel.Film{Name: name, From: 1, To: 1e9})
	}
	b.heat = make([][]float64, 8)
	for i := range b.heat {
		b.heat[i] = make([]float64, n)
		name, watts := fmt.Sprint("output", i), 0.0
		if i == 0 {
			name, watts = "heater", 1
		}
		b.like.Inputs = append(b.like.Inputs, reducedmodel.Input{Name: name, Kind: "block", Range: watts})
		b.like.Outputs = append(b.like.Outputs, reducedmodel.Output{Name: name, Kind: "mean", Of: i, Rest: 300})
	}
	b.like.Ambient = 300
	read("_sys.B_0_.txt", func(r, _ int, v float64) { b.heat[0][r] = v })
	read("_sys.C_0_.txt", func(r, c int, v float64) { b.heat[1+r][c] = v })
	b.one()
	return b
}

func TestBenchmark(t *testing.T) {
	dir := os.Getenv("THERMSIM_T2DAL_BCI")
	if dir == "" {
		t.Skip("no THERMSIM_T2DAL_BCI")
	}
	b := readBenchmark(t, dir)
	random := rand.New(rand.NewPCG(1, 2))
	g := &greedy{ctx: t.Context(), full: b, random: random}
	g.progress = func(solves, states int) {
		if solves%10 == 0 {
			fmt.Println(solves, states)
		}
	}
	sum := 0.0
	for _, w := range b.heat[0] {
		sum += w
	}
	fmt.Println("watts", sum)
	if err := g.run(1); err != nil {
		t.Fatal(err)
	}
	fmt.Printf("%d %+v\n", g.model.States(), g.model.Error)
	for range 20 {
		h := randomH(g.model.Films, random)
		x := b.solve(h, 0, b.heat[0])
		m, err := g.model.At(h, 0)
		if err != nil {
			t.Fatal(err)
		}
		bound, _ := g.model.BoundK(h, 0)
		tr := m.Transfer(0)
		fmt.Printf("%.3g bound %.3g", h, bound)
		for o := range b.heat {
			fmt.Printf(" %.3g(%.3g)", dot(b.heat[o], x)-tr.At(o, 0), dot(b.heat[o], x))
		}
		fmt.Println()
	}
}
