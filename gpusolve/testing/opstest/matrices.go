package opstest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/sparse"
	"thermsim/internal/testtier"
)

// Matrices tests an executor on systems that are given as matrices: diagonals of grids with odd, flat and thin shapes,
// symmetric and not, and graphs with rows of every length. Forms of mesh systems are tested by Run.
func Matrices(t *testing.T, open func(testing.TB) ops.Device) { OnMatrices(t, open, (*Algebra).run) }

// OnMatrices checks operations of the executor that open makes on those matrices.
func OnMatrices(t *testing.T, open func(testing.TB) ops.Device, check func(*Algebra)) {
	shapes := testtier.Pick([][3]int{{33, 5, 3}, {5, 1, 4}, {1, 1, 1}, {1, 7, 5}},
		[][3]int{{31, 17, 3}, {5, 1, 4}, {13, 7, 5}, {1, 1, 1}, {1, 1, 9}, {6, 1, 1}, {1, 7, 5}, {4, 6, 1}})
	for _, shape := range shapes {
		for _, symmetric := range []bool{true, false} {
			t.Run(fmt.Sprintf("%dx%dx%d,symmetric=%t", shape[0], shape[1], shape[2], symmetric), func(t *testing.T) {
				d := RandomDiagonals(rand.New(rand.NewPCG(uint64(shape[0]), uint64(shape[1]))), shape, symmetric)
				check(NewAlgebra(t, open(t), d, d.CSR()))
			})
		}
	}
	for _, n := range testtier.Pick([]int{1, 40, 300}, []int{1, 2, 40, 700}) {
		t.Run(fmt.Sprintf("graph of %d", n), func(t *testing.T) {
			check(NewAlgebra(t, open(t), nil, RandomGraph(rand.New(rand.NewPCG(uint64(n), 1)), n)))
		})
	}
}

// RandomDiagonals is diagonally dominant, its couplings negative, of random size and absent across the ends of rows and
// planes.
func RandomDiagonals(rng *rand.Rand, shape [3]int, symmetric bool) *sparse.Diagonals {
	nx, ny, nz := shape[0], shape[1], shape[2]
	d := sparse.NewDiagonals(nx, ny, nz)
	if !symmetric {
		d.LowerX, d.LowerY, d.LowerZ = make([]float64, len(d.X)), make([]float64, len(d.Y)), make([]float64, len(d.Z))
	}
	lx, ly, lz := d.Lower()
	for c := range d.Main {
		d.Main[c] += 0.1 * rng.Float64()
		couple := func(exists bool, upper, lower []float64, offset int) {
			if !exists {
				return
			}
			v := math.Exp(4 * rng.Float64())
			upper[c] = -v
			if !symmetric {
				v *= 0.5 + rng.Float64()
			}
			lower[c] = -v
			d.Main[c] -= upper[c]
			d.Main[c+offset] -= lower[c]
		}
		couple(c%nx < nx-1, d.X, lx, 1)
		couple(c/nx%ny < ny-1, d.Y, ly, nx)
		couple(c/(nx*ny) < nz-1, d.Z, lz, nx*ny)
	}
	return d
}

// RandomGraph is the matrix of a resistor network: a path, random edges, a hub that touches every third vertex, and
// grounds.
func RandomGraph(rng *rand.Rand, n int) *sparse.CSR {
	entries := make([]map[int]float64, n)
	for r := range entries {
		entries[r] = map[int]float64{r: 0.01 + rng.Float64()}
	}
	edge := func(a, b int) {
		if a == b {
			return
		}
		g := math.Exp(4 * rng.Float64())
		entries[a][a] += g
		entries[b][b] += g
		entries[a][b] -= g
		entries[b][a] -= g
	}
	for v := 1; v < n; v++ {
		edge(v-1, v)
		edge(v, rng.IntN(n))
		if v%3 == 0 {
			edge(0, v)
		}
	}
	a := &sparse.CSR{RowPtr: make([]int64, 1, n+1)}
	for _, row := range entries {
		cols := make([]int, 0, len(row))
		for c := range row {
			cols = append(cols, c)
		}
		slices.Sort(cols)
		for _, c := range cols {
			a.Col, a.Val = append(a.Col, int32(c)), append(a.Val, row[c])
		}
		a.RowPtr = append(a.RowPtr, int64(len(a.Col)))
	}
	return a
}

// Algebra is a matrix on a device, beside its rows.
type Algebra struct {
	Probe
	by  *sparse.Diagonals // nil for a graph
	a   *sparse.CSR
	Sys ops.Operator
	b   []float64
	src ops.Source // the same
}

func NewAlgebra(t *testing.T, d ops.Device, by *sparse.Diagonals, a *sparse.CSR) *Algebra {
	t.Cleanup(func() { d.Close() })
	f := &Algebra{by: by, a: a, b: make([]float64, a.N())}
	f.Probe = Probe{T: t, rng: rand.New(rand.NewPCG(uint64(a.N()), 7))}
	var err error
	if by != nil {
		f.Sys, err = d.LoadDiagonals(by)
	} else {
		f.Sys, err = d.LoadCSR(a)
	}
	if err != nil {
		t.Fatal(err)
	}
	f.Space = f.Sys
	if f.Work, err = f.Sys.NewWorkspace(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		f.Sys.Free()
		if n := d.Allocated(); n != 0 {
			t.Errorf("%d bytes are still allocated after Free", n)
		}
	})
	for i := range f.b {
		f.b[i] = f.rng.NormFloat64()
	}
	v := f.Must(f.Sys.New64())
	f.Sys.Write(v, f.b)
	f.src = f.Sys.SourceOf(v)
	return f
}

func (f *Algebra) run() {
	f.residual()
	f.krylov()
	sameForms(f.T, f.Sys, f.by, f.a)
	if err := f.Sys.Err(); err != nil {
		f.Fatal(err)
	}
}

func (f *Algebra) times(x []float64) []float64 {
	y := make([]float64, len(x))
	f.a.Multiply(y, x)
	return y
}

// Matrix is A by rows.
func (f *Algebra) Matrix() *sparse.CSR { return f.a }

// row norms: rounding of a product is relative to sums of absolute values.
func (f *Algebra) scale(x []float64) float64 {
	top := 0.0
	for r := range f.a.N() {
		cols, vals := f.a.Row(r)
		sum := 0.0
		for i, c := range cols {
			sum += math.Abs(vals[i] * x[c])
		}
		top = math.Max(top, sum)
	}
	return top
}

func (f *Algebra) residual() {
	r, x := f.Must(f.Sys.NewWork()), f.Must(f.Sys.New64())
	r32 := f.Must(f.Sys.Single(r))
	n := f.Sys.Residual(r, r32, f.src, nil)
	f.Near("residual of nothing", f.Read(r), f.b, largest(f.b), eps64)
	f.Scalar("norm of the source", n.Source, norm(f.b), eps64)
	f.Scalar("norm of the residual of nothing", n.Residual, norm(f.b), eps64)

	v := f.Random(x)
	n = f.Sys.Residual(r, r32, f.src, x)
	want := f.times(v)
	for i := range want {
		want[i] = f.b[i] - want[i]
	}
	scale := f.scale(v) + largest(f.b)
	f.Near("residual", f.Read(r), want, scale, eps64)
	f.Near("single residual", f.Read(r32), want, scale, eps32)
	f.Scalar("norm of the residual", n.Residual, norm(want), 1e-12)
	if !(n.Floor > 0) || n.Floor > 1e-14*scale*math.Sqrt(float64(len(v)))*10 {
		f.Errorf("floor of the residual is %g at a scale of %g", n.Floor, scale)
	}
	y := f.Must(f.Sys.New64())
	f.Space.Apply(y, x)
	f.Near("product", f.Read(y), f.times(v), scale, eps64)
}

func (f *Algebra) krylov() {
	k := f.Work
	x, r, q := f.Must(f.Sys.New64()), f.Must(f.Sys.NewWork()), f.Must(f.Sys.NewWork())
	r32 := f.Must(f.Sys.Single(r))
	z, p := f.Must(f.Sys.New32()), f.Must(k.NewDirection())
	rv, zv, xv := f.Random(r), f.Random(z), f.Random(x)
	f.Sys.Write(r32, rv)
	pv, rz := make([]float64, len(zv)), 0.0
	for round := range 3 {
		k.Dot(r32, z, round == 0)
		single := f.Read(r32)
		next := dot(single, zv)
		beta := 0.0
		if round > 0 {
			beta = next / rz
		}
		rz = next
		k.DirectionApply(p, z, q)
		for i := range pv {
			pv[i] = zv[i] + beta*pv[i]
		}
		f.Near("direction", f.Read(p), pv, largest(pv)+math.Abs(beta)*largest(pv), eps32)
		pv = f.Read(p)
		qv := f.times(pv)
		f.Near("product with the direction", f.Read(q), qv, f.scale(pv), eps64)
		pq := dot(pv, qv)
		k.Update(x, r, r32, p, z, q)
		k.Settle(x, p)
		sc := k.Scalars()
		if size := norm(single) * norm(zv); math.Abs(sc.RZ-rz) > eps64*size {
			f.Errorf("r.z is %.15g, want %.15g", sc.RZ, rz)
		}
		rz = sc.RZ // its rounding is relative to |r||z|, and what follows builds on it
		f.Scalar("p.q", sc.PQ, pq, 1e-11)
		f.Scalar("max|z|", sc.MaxZ, largest(zv), 0)
		alpha := rz / pq
		if !(pq > 0) {
			alpha = 0
		}
		for i := range xv {
			xv[i] += alpha * pv[i]
			rv[i] -= alpha * qv[i]
		}
		f.Near("x", f.Read(x), xv, largest(xv)+math.Abs(alpha)*largest(pv), 1e-10)
		f.Near("r", f.Read(r), rv, largest(rv)+math.Abs(alpha)*f.scale(pv), 1e-10)
		rv = f.Read(r)
		f.Scalar("r.r", sc.RR, dot(rv, rv), 1e-11)
	}
}

// sameForms checks the forms of a system's matrix to the last bit. by is nil where the matrix is no grid's.
func sameForms(t *testing.T, s ops.Space, by *sparse.Diagonals, a *sparse.CSR) {
	t.Helper()
	forms := s.(ops.Forms)
	d, err := forms.Diagonals()
	if by == nil {
		if err == nil {
			t.Error("the matrix of a graph came as diagonals")
		}
	} else {
		if err != nil {
			t.Fatal(err)
		}
		got := d.Download()
		lx, ly, lz := got.Lower()
		wx, wy, wz := by.Lower()
		for n, pair := range [][2][]float64{{got.Main, by.Main}, {got.X, by.X}, {got.Y, by.Y}, {got.Z, by.Z}, {lx, wx},
			{ly, wy}, {lz, wz}} {
			if !slices.Equal(pair[0], pair[1]) {
				t.Errorf("diagonal %d is %v, want %v", n, pair[0], pair[1])
			}
		}
		if d.Symmetric() != by.Symmetric() {
			t.Error("the diagonals are wrong about their symmetry")
		}
		d.Release()
	}
	r, err := forms.Rows()
	if err != nil {
		t.Fatal(err)
	}
	rows := r.Download()
	if !slices.Equal(rows.RowPtr, a.RowPtr) || !slices.Equal(rows.Col, a.Col) || !slices.Equal(rows.Val, a.Val) {
		t.Error("the rows are not those of the matrix")
	}
	if r.Len() != a.N() || r.Entries() != int64(a.Entries()) {
		t.Errorf("%d rows with %d entries, want %d with %d", r.Len(), r.Entries(), a.N(), a.Entries())
	}
	r.Release()
}

// forms checks the matrix of a mesh against its couplings.
func (f *Fixture) forms() {
	d, err := f.Space.(ops.Forms).Diagonals()
	if err != nil {
		f.Fatal(err)
	}
	want := sparse.NewDiagonals(f.ref.nx, f.ref.ny, f.ref.nz)
	copy(want.Main, f.ref.diagonal())
	for _, l := range f.ref.links {
		switch {
		case !l.lateral:
			want.Z[l.a] = -l.g
		case l.b == l.a+1 && f.ref.nx > 1:
			want.X[l.a] = -l.g
		default:
			want.Y[l.a] = -l.g
		}
	}
	got := d.Download()
	f.Near("main diagonal", got.Main, want.Main, largest(want.Main), eps64)
	for n, pair := range [][2][]float64{{got.X, want.X}, {got.Y, want.Y}, {got.Z, want.Z}} {
		f.Near(fmt.Sprint("diagonal ", n), pair[0], pair[1], 1, 0)
	}
	want.Main = got.Main // to the last bit from here on
	sameForms(f.T, f.Space, want, want.CSR())
	d.Release()
	x, y := f.Must(f.Sys.New64()), f.Must(f.Sys.New64())
	v := f.Random(x)
	f.Space.Apply(y, x)
	f.Near("product", f.Read(y), f.ref.apply(v), largest(want.Main)*largest(v), eps64)
}
