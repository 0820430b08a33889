package reduce

import (
	"bufio"
	"context"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"thermsim/study/reducedmodel"
)

// banded is a model with a band matrix and diagonal films and capacities, solved exactly.
type banded struct {
	g         *mat.SymBandDense
	diagonals [][]float64 // of the films, then of the capacities
	heat      [][]float64 // by input, for 1 W
	like      reducedmodel.Parametric
	fields    [][]float64 // snapshots
	basis     [][]float64
	images    [][]float64             // G times the basis
	products  [][]reducedmodel.Matrix // of the snapshots and of the basis with the diagonals
}

func (b *banded) solve(h []float64, s float64, heat []float64) []float64 {
	n, k := b.g.SymBand()
	a := mat.NewSymBandDense(n, k, append([]float64(nil), b.g.RawSymBand().Data...))
	for r := range n {
		v := a.At(r, r) + s*b.diagonals[len(h)][r]
		for f := range h {
			v += h[f] * b.diagonals[f][r]
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
		b.like.Snapshots = append(b.like.Snapshots, reducedmodel.Snapshot{Input: i, Watts: 1, H: h, Shift: s,
			Residual: 1e-13 * dot(b.heat[i], x)})
		b.add(x)
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

// add adds a snapshot, and its part orthogonal to the basis in the energy at the middle of the films.
func (b *banded) add(x []float64) {
	b.fields = append(b.fields, x)
	rest := append([]float64(nil), x...)
	own := dot(rest, b.energy(rest))
	for range 2 {
		image := b.energy(rest)
		for _, w := range b.basis {
			d := dot(image, w)
			for n := range rest {
				rest[n] -= d * w[n]
			}
		}
	}
	left := dot(rest, b.energy(rest))
	if left > 1e-24*own {
		for n := range rest {
			rest[n] /= math.Sqrt(left)
		}
		b.basis = append(b.basis, rest)
	}
	for set, fields := range [][][]float64{b.fields, b.basis} {
		for d, diagonal := range b.diagonals {
			b.products[set][d] = grown(b.products[set][d], fields, diagonal)
		}
	}
}

// energy is G x at the middle of the films.
func (b *banded) energy(x []float64) []float64 {
	var y mat.VecDense
	y.MulVec(b.g, mat.NewVecDense(len(x), x))
	for f, h := range reducedmodel.Middle(b.like.Films) {
		for n, v := range b.diagonals[f] {
			y.SetVec(n, y.AtVec(n)+h*v*x[n])
		}
	}
	return y.RawVector().Data
}

// grown are the products of fields with a diagonal, of which a part is known.
func grown(known reducedmodel.Matrix, fields [][]float64, diagonal []float64) reducedmodel.Matrix {
	m := reducedmodel.NewMatrix(len(fields), len(fields))
	for r, x := range fields {
		if r < known.Rows {
			copy(m.Row(r), known.Row(r))
			continue
		}
		for c, y := range fields[:r+1] {
			sum := 0.0
			for n, v := range diagonal {
				if v != 0 {
					sum += v * x[n] * y[n]
				}
			}
			m.SetBoth(r, c, sum)
		}
	}
	return m
}

func (b *banded) project() *reducedmodel.Parametric {
	p, n, films := b.like, len(b.basis), len(b.like.Films)
	p.SnapshotF, p.SnapshotC = b.products[0][:films], b.products[0][films]
	p.F, p.C = b.products[1][:films], b.products[1][films]
	p.G = reducedmodel.NewMatrix(n, n)
	p.B, p.L = reducedmodel.NewMatrix(n, len(b.heat)), reducedmodel.NewMatrix(len(p.Outputs), n)
	p.Surfaces, p.One = reducedmodel.NewMatrix(films, n), make([]float64, n)
	for r, x := range b.basis {
		if r == len(b.images) {
			var image mat.VecDense
			image.MulVec(b.g, mat.NewVecDense(len(x), x))
			b.images = append(b.images, image.RawVector().Data)
		}
		for c, y := range b.basis {
			p.G.Data[r*n+c] = dot(b.images[r], y)
		}
		for i := range b.heat {
			p.B.Data[r*len(b.heat)+i] = dot(b.heat[i], x)
			p.L.Data[i*n+r] = dot(b.heat[i], x)
		}
	}
	p.One[0] = 1 / b.basis[0][0]
	return &p
}

func (b *banded) fastest(kelvin float64) float64 {
	top := 0.0
	for i := range b.heat {
		for n, w := range b.heat[i] {
			top = math.Max(top, math.Abs(w)*b.like.Inputs[i].Range/b.diagonals[len(b.diagonals)-1][n]/kelvin)
		}
	}
	return top
}

// readEntries reads a file of the benchmark, in coordinates of the Matrix Market format.
func readEntries(t *testing.T, dir, name string, set func(r, c int, v float64)) {
	file, err := os.Open(filepath.Join(dir, "t2dal_bci"+name+".mtx"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	sized := false
	for in := bufio.NewScanner(file); in.Scan(); {
		fields := strings.Fields(in.Text())
		if strings.HasPrefix(in.Text(), "%") || len(fields) != 3 {
			continue
		}
		if !sized {
			sized = true
			continue
		}
		r, _ := strconv.Atoi(fields[0])
		c, _ := strconv.Atoi(fields[1])
		v, err := strconv.ParseFloat(fields[2], 64)
		if err != nil {
			t.Fatal(err)
		}
		set(r-1, c-1, v)
	}
}

// readBenchmark reads "Thermal Model" of the Oberwolfach collection (E. B. Rudnyi and J. G. Korvink). The seven outputs
// are inputs without power, so that the bound applies to all of them.
func readBenchmark(t *testing.T, dir string) *banded {
	const n = 4257
	b := &banded{g: mat.NewSymBandDense(n, 86, nil), diagonals: make([][]float64, 4)}
	readEntries(t, dir, "", func(r, c int, v float64) {
		if r <= c {
			b.g.SetSymBand(r, c, -v)
		}
	})
	for f, name := range []string{"top", "bottom", "side", ""} {
		b.diagonals[f] = make([]float64, n)
		file := "_A" + name
		if name == "" {
			file = "_E"
		} else {
			b.like.Films = append(b.like.Films, reducedmodel.Film{Name: name, From: 1, To: 1e9})
		}
		readEntries(t, dir, file, func(r, _ int, v float64) { b.diagonals[f][r] = math.Abs(v) })
	}
	b.heat = make([][]float64, 8)
	for i := range b.heat {
		b.heat[i] = make([]float64, n)
		in := reducedmodel.Input{Name: "heater", Kind: "block", Range: 1} // 15 mW
		if i > 0 {
			in = reducedmodel.Input{Name: "output " + strconv.Itoa(i), Kind: "block"}
		}
		b.like.Inputs = append(b.like.Inputs, in)
		b.like.Outputs = append(b.like.Outputs, reducedmodel.Output{Name: in.Name, Kind: "mean", Of: i, Rest: 300})
	}
	readEntries(t, dir, "_B", func(r, _ int, v float64) { b.heat[0][r] = v })
	readEntries(t, dir, "_C", func(r, c int, v float64) { b.heat[1+r][c] = v })
	b.like.Ambient, b.like.Floating = 300, true
	b.products = [][]reducedmodel.Matrix{make([]reducedmodel.Matrix, 4), make([]reducedmodel.Matrix, 4)}
	b.like.Snapshots = []reducedmodel.Snapshot{{Input: -1, H: make([]float64, 3)}}
	one := make([]float64, n)
	for k := range one {
		one[k] = 1
	}
	b.add(one)
	return b
}

// The benchmark with n = 4257 and three films from 1 to 1e9 W/(m2 K): at 1000 random combinations the steady error of
// all outputs is within the bound for these, and that within the bound stated for the model.
func TestThermalModelBenchmark(t *testing.T) {
	dir := os.Getenv("THERMSIM_T2DAL_BCI") // folder of the files of the SuiteSparse Matrix Collection
	if dir == "" {
		t.Skip("THERMSIM_T2DAL_BCI does not name the folder of the benchmark")
	}
	b := readBenchmark(t, dir)
	random := rand.New(rand.NewPCG(1, 2))
	g := &greedy{ctx: t.Context(), full: b, random: random}
	if err := g.run(1); err != nil {
		t.Fatal(err)
	}
	p, err := g.model.Modes()
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d states by %d solves: %+v", p.States(), g.solves, p.Error)
	worst, most, rise, beyond := 0.0, 0.0, 0.0, 0
	for range 1000 {
		h := reducedmodel.RandomH(p.Films, random)
		bound, err := p.BoundK(h, 0)
		if err != nil {
			t.Fatal(err)
		}
		m, err := p.At(h, 0)
		if err != nil {
			t.Fatal(err)
		}
		transfer, x := m.Transfer(0), b.solve(h, 0, b.heat[0])
		for o := range b.heat {
			full := dot(b.heat[o], x)
			e := math.Abs(full - transfer.At(o, 0))
			if e > bound {
				t.Errorf("h = %g: output %d is %g K from %g K, bound %g K", h, o, e, full, bound)
			}
			worst, rise = math.Max(worst, e), math.Max(rise, full)
		}
		if most = math.Max(most, bound); bound > p.Error.BoundK {
			beyond++
		}
	}
	t.Logf("1000 random h, rises to %.4g K: error %.3g K, bound at these h %.3g K, %d above that of the model", rise,
		worst, most, beyond)
	if p.Error.BoundK > 1 || worst > p.Error.BoundK || most > 2 {
		t.Errorf("a bound of %g K, %g K at random h, wanted 1 K", p.Error.BoundK, most)
	}
}
