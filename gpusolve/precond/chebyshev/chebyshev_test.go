package chebyshev

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"thermsim/gpusolve/host"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/precond"
	"thermsim/gpusolve/sparse"
)

// laplacian is the seven-point matrix of a grid with zero values all around: its eigenvalues are the sum over the
// directions of 2 - 2 cos(m pi/(n+1)), m = 1..n, its eigenvectors products of sines.
func laplacian(nx, ny, nz int) *sparse.Diagonals {
	d := sparse.NewDiagonals(nx, ny, nz)
	for c := range d.Main {
		d.Main[c] = 6
		if c%nx < nx-1 {
			d.X[c] = -1
		}
		if c/nx%ny < ny-1 {
			d.Y[c] = -1
		}
		if c/(nx*ny) < nz-1 {
			d.Z[c] = -1
		}
	}
	return d
}

func part(m, n int) float64 { return 2 - 2*math.Cos(float64(m)*math.Pi/float64(n+1)) }

func load(t *testing.T, d *sparse.Diagonals) ops.Operator {
	t.Helper()
	dev := host.Open()
	t.Cleanup(func() { dev.Close() })
	s, err := dev.LoadDiagonals(d)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func prepare(t *testing.T, s ops.Operator, settings string) *Preconditioner {
	t.Helper()
	set, err := precond.Parse(settings, Keys())
	if err != nil {
		t.Fatal(err)
	}
	p, err := New(s, set)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestLanczosFindsTheEndsOfTheLaplacian(t *testing.T) {
	nx, ny, nz := 31, 17, 5
	least, largest := part(1, nx)+part(1, ny)+part(1, nz), part(nx, nx)+part(ny, ny)+part(nz, nz)
	for _, settings := range []string{"steps=120", "steps=120,seed=7", "steps=120,start=ones", "steps=120,form=scaled",
		"steps=120,precision=adaptive", "steps=120,format=csr",
		"steps=120,precision=adaptive,format=csr"} {
		p := prepare(t, load(t, laplacian(nx, ny, nz)), settings)
		b, scale := p.Bounds(), 1.0
		if strings.Contains(settings, "scaled") {
			scale = 6
		}
		wantLargest := largest
		if strings.Contains(settings, "ones") {
			// Even modes alone have a part in a vector of ones.
			wantLargest = part(nx, nx) + part(ny, ny) + part(nz, nz)
		}
		if math.Abs(b.Least*scale-least) > 2e-4*least || math.Abs(b.Largest*scale-wantLargest) > 1e-4*wantLargest {
			t.Errorf("%s: from %.8g to %.8g, want %.8g to %.8g", settings, b.Least*scale, b.Largest*scale, least,
				wantLargest)
		}
		if math.Abs(b.High/b.Largest-1.05) > 1e-12 {
			t.Errorf("%s: the margin is %g", settings, b.High/b.Largest-1)
		}
	}
}

// A polynomial of low degree makes no use of the least eigenvalue: its lower bound is raised, unless it is to be the
// one found, as in the paper.
func TestLowerBound(t *testing.T) {
	matrix := load(t, laplacian(31, 17, 5))
	raised, found := prepare(t, matrix, "degree=4").Bounds(), prepare(t, matrix, "degree=4,bounds=found").Bounds()
	root := math.Tanh(math.Acosh(3) / 8) // e = 1/3
	if found.Low != found.Least || raised.Least != found.Least ||
		math.Abs(raised.Low/raised.High-root*root) > 1e-12 {
		t.Errorf("raised %+v, found %+v", raised, found)
	}
}

func TestExtremesOfTridiagonalMatrices(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for n := 1; n < 60; n += 7 {
		alpha, beta := make([]float64, n), make([]float64, n-1)
		full := mat.NewSymDense(n, nil)
		for i := range alpha {
			alpha[i] = rng.NormFloat64()
			full.SetSym(i, i, alpha[i])
			if i > 0 {
				beta[i-1] = rng.Float64()
				full.SetSym(i, i-1, beta[i-1])
			}
		}
		var eigen mat.EigenSym
		if !eigen.Factorize(full, false) {
			t.Fatal("no eigenvalues")
		}
		want := eigen.Values(nil)
		least, largest := extremes(alpha, beta)
		if math.Abs(least-want[0]) > 1e-12 || math.Abs(largest-want[n-1]) > 1e-12 {
			t.Errorf("n=%d: from %g to %g, want %g to %g", n, least, largest, want[0], want[n-1])
		}
	}
}

// The share of a vector below x, against eigenvectors from an independent decomposition.
func TestShareOfTheFirstVector(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for n := 1; n < 60; n += 7 {
		alpha, beta := make([]float64, n), make([]float64, n-1)
		full := mat.NewSymDense(n, nil)
		for i := range alpha {
			alpha[i] = rng.NormFloat64()
			full.SetSym(i, i, alpha[i])
			if i > 0 {
				beta[i-1] = 0.1 + rng.Float64()
				full.SetSym(i, i-1, beta[i-1])
			}
		}
		var eigen mat.EigenSym
		if !eigen.Factorize(full, true) {
			t.Fatal("no eigenvalues")
		}
		var vectors mat.Dense
		eigen.VectorsTo(&vectors)
		for _, x := range []float64{-9, -1, 0.1, 9} {
			want := 0.0
			for i, v := range eigen.Values(nil) {
				if v < x {
					want += vectors.At(0, i) * vectors.At(0, i)
				}
			}
			if got := share(alpha, beta, x); math.Abs(got-want) > 1e-6 {
				t.Errorf("n=%d: a share of %g below %g, want %g", n, got, x, want)
			}
		}
	}
}

// At the narrowest interval the polynomial leaves e at its ends; p(0) is what the comment on it says.
func TestNarrowestInterval(t *testing.T) {
	for _, k := range []int{2, 5, 30, 100} {
		for e, limit := range map[float64]float64{steepFew: 0.535, steepMany: 0.775} {
			low := narrowest(k, e)
			theta, delta := (1+low)/2, (1-low)/2
			if got := chebyshevT(k, theta/delta); math.Abs(got*e-1) > 1e-9 {
				t.Errorf("degree %d: T is %g, want %g", k, got, 1/e)
			}
			const h = 1e-6 // p(0) = -R'(0), R = T((theta-x)/delta)/T(theta/delta)
			slope := (chebyshevT(k, (theta+h*low)/delta) - chebyshevT(k, (theta-h*low)/delta)) / (2 * h * low) /
				chebyshevT(k, theta/delta)
			if ratio := slope / (2 * float64(k*k)); k >= 30 && math.Abs(ratio-limit) > 1e-3 {
				t.Errorf("degree %d, e %g: p(0) is %g of its limit, want %g", k, e, ratio, limit)
			}
		}
	}
}

// chebyshevT is the polynomial of the first kind, anywhere.
func chebyshevT(n int, x float64) float64 {
	a, b := 1.0, x
	for range n - 1 {
		a, b = b, 2*x*b-a
	}
	return b
}

// On an eigenvector the preconditioner multiplies by (1 - R(lambda))/lambda, where R = T_k((theta -
// lambda)/delta)/T_k(theta/delta) (equation 11), and within the bounds |R| <= 1/T_k(theta/delta).
func TestPolynomialOnEigenvectors(t *testing.T) {
	nx, ny, nz := 15, 9, 4
	for settings, tol := range map[string]float64{
		"precision=fixed-fp64": 1e-12, "precision=fixed-fp64,degree=2": 1e-12,
		"precision=fixed-fp64,degree=7,format=csr": 1e-12,
		"precision=fixed-fp64,form=scaled":         1e-6, "precision=fixed-fp32,degree=12": 1e-4,
		"precision=adaptive,degree=12":                           2e-2,
		"precision=adaptive,degree=12,entries=fp32":              1e-4,
		"precision=fixed-fp64,degree=12,bounds=found,margin=0":   1e-12,
		"precision=adaptive,degree=12,form=scaled,promote=paper": 2e-2,
	} {
		s := load(t, laplacian(nx, ny, nz))
		p := prepare(t, s, settings)
		k, scale := len(p.steps)+1, 1.0
		if p.form == scaledForm {
			scale = 6
		}
		theta, delta := (p.bounds.High+p.bounds.Low)/2, (p.bounds.High-p.bounds.Low)/2
		r, _ := p.sys.NewVector(p.inner, p.mode.Inner())
		z, _ := p.sys.NewVector(p.inner, p.mode.Inner())
		for _, m := range [][3]int{{1, 1, 1}, {15, 9, 4}, {3, 1, 2}, {8, 5, 1}} {
			v, got := make([]float64, nx*ny*nz), make([]float64, nx*ny*nz)
			for c := range v {
				v[c] = math.Sin(float64(m[0]*(c%nx+1))*math.Pi/float64(nx+1)) *
					math.Sin(float64(m[1]*(c/nx%ny+1))*math.Pi/float64(ny+1)) *
					math.Sin(float64(m[2]*(c/(nx*ny)+1))*math.Pi/float64(nz+1))
			}
			lambda := (part(m[0], nx) + part(m[1], ny) + part(m[2], nz)) / scale
			residual := chebyshevT(k, (theta-lambda)/delta) / chebyshevT(k, theta/delta)
			if lambda >= p.bounds.Low && lambda <= p.bounds.High &&
				math.Abs(residual) > 1/chebyshevT(k, theta/delta)*(1+1e-12) {
				t.Fatalf("the residual polynomial is %g at %g", residual, lambda)
			}
			s.Write(r, v)
			p.Apply(z, r)
			s.Read(z, got)
			want := (1 - residual) / lambda / scale
			for c := range v {
				if math.Abs(got[c]-want*v[c]) > tol*math.Abs(want) {
					t.Errorf("%s, mode %v: cell %d has %g, want %g", settings, m, c, got[c], want*v[c])
					break
				}
			}
		}
	}
}

func TestRefusals(t *testing.T) {
	indefinite := laplacian(9, 9, 1)
	for c := range indefinite.Main {
		indefinite.Main[c] = 2
	}
	negative := laplacian(3, 3, 1)
	negative.Main[4] = -1
	for name, c := range map[string]struct {
		d        *sparse.Diagonals
		settings string
		want     string
	}{
		"indefinite":        {indefinite, "", "not positive definite"},
		"negative diagonal": {negative, "form=scaled", "main diagonal is not positive"},
		"half by rows":      {laplacian(3, 3, 1), "format=csr,precision=fixed-fp16", "neither FP16"},
	} {
		set, err := precond.Parse(c.settings, Keys())
		if err != nil {
			t.Fatal(err)
		}
		if _, err = New(load(t, c.d), set); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

// A matrix without a grid is taken by rows, and only by rows; one that is not symmetric not at all.
func TestMatricesByRows(t *testing.T) {
	dev := host.Open()
	defer dev.Close()
	symmetric := laplacian(5, 4, 1).CSR()
	skew := laplacian(5, 4, 1).CSR()
	skew.Val = append([]float64(nil), skew.Val...)
	skew.Val[1] *= 2
	for _, c := range []struct {
		a              *sparse.CSR
		settings, want string
	}{
		{symmetric, "format=csr", ""},
		{symmetric, "", "or format=csr"},
		{skew, "format=csr", "not"},
	} {
		s, err := dev.LoadCSR(c.a)
		if err != nil {
			t.Fatal(err)
		}
		set, err := precond.Parse(c.settings, Keys())
		if err != nil {
			t.Fatal(err)
		}
		if _, err = New(s, set); (err == nil) != (c.want == "") || err != nil &&
			(!strings.Contains(err.Error(), c.want) || !errors.Is(err, precond.ErrRefused)) {
			t.Errorf("settings %q: error %v, want %q", c.settings, err, c.want)
		}
	}
}
