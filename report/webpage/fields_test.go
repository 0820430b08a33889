package webpage

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	_ "thermsim/internal/testtier" // fixes the seed of drawn tests

	"thermsim/report/field"
)

// Whatever the values, a plane comes back as it was, alone and after another.
func TestPlanesComeBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, h := rapid.IntRange(1, 9).Draw(t, "w"), rapid.IntRange(1, 9).Draw(t, "h")
		value := rapid.OneOf(rapid.Int32Range(-3, 3), rapid.Int32Range(-5000, 5000), rapid.Int32(),
			rapid.Just(int32(missing)))
		plane := rapid.SliceOfN(value, w*h, w*h)
		q, previous := plane.Draw(t, "plane"), plane.Draw(t, "previous")
		var c coder
		for _, before := range [][]int32{nil, previous, q} {
			data, err := c.encode(q, w, before)
			if err != nil {
				t.Fatal(err)
			}
			got, err := decode(data, w*h, w, before)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got, q) {
				t.Fatalf("%v came back as %v", q, got)
			}
		}
	})
}

func TestDamagedPlanes(t *testing.T) {
	var c coder
	data, err := c.encode([]int32{1, 2, 300, 70000}, 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := decode(data, 5, 2, nil); err == nil {
		t.Error("more cells than there are")
	}
	if _, err := decode(data[:3], 4, 2, nil); err == nil {
		t.Error("cut short")
	}
	if _, err := decode(nil, 4, 2, nil); err == nil {
		t.Error("nothing")
	}
}

type planes func(k, n int) float64

func (p planes) Plane(k int, dst []float64) error {
	for n := range dst {
		dst[n] = p(k, n)
	}
	return nil
}

func grid(nx, ny, nz int) *field.Grid {
	axis := func(n int) []float64 {
		f := make([]float64, n+1)
		for i := range f {
			f[i] = float64(i) * 1e-5
		}
		return f
	}
	return &field.Grid{X: axis(nx), Y: axis(ny), Z: axis(nz), Layer: make([]int, nz), Layers: []string{"one"}}
}

// kelvins unpacks all frames.
func kelvins(t *testing.T, f *Fields) [][][]float64 {
	t.Helper()
	w, h := len(f.x)-1, len(f.y)-1
	var all [][][]float64
	before := make([][]int32, f.nz)
	for _, fr := range f.frames {
		frame := make([][]float64, f.nz)
		for k, data := range fr.planes {
			q, err := decode(data, w*h, w, before[k])
			if err != nil {
				t.Fatal(err)
			}
			before[k] = q
			for _, v := range q {
				frame[k] = append(frame[k], f.base+float64(v)*f.quantum)
			}
		}
		all = append(all, frame)
	}
	return all
}

// A temperature of the page is within the stated error of the field's, over many frames.
func TestErrorIsAsStated(t *testing.T) {
	const nx, ny, nz, steps = 40, 30, 3, 20
	g := grid(nx, ny, nz)
	at := func(s, k, n int) float64 {
		i, j := float64(n%nx), float64(n/nx)
		return 300 + 40*math.Exp(-((i-12)*(i-12)+(j-9)*(j-9))/50)*(1-math.Exp(-float64(s)/5)) + float64(k) +
			3*math.Sin(i*j)
	}
	for _, errorK := range []float64{0, 1e-3, 0.3} {
		f := NewFields(g, 300, steps, Budget{ErrorK: errorK})
		for s := range steps {
			if err := f.Add(s+1, float64(s), g, planes(func(k, n int) float64 { return at(s, k, n) })); err != nil {
				t.Fatal(err)
			}
		}
		limit := errorK
		if limit == 0 {
			limit = 0.01
		}
		if f.ErrorK() != limit || f.Factor() != 1 || f.Frames() != steps {
			t.Fatalf("error %g, factor %d, %d frames", f.ErrorK(), f.Factor(), f.Frames())
		}
		for s, frame := range kelvins(t, f) {
			for k, plane := range frame {
				for n, v := range plane {
					if !(math.Abs(v-at(s, k, n)) <= limit*(1+1e-9)) {
						t.Fatalf("frame %d, plane %d, cell %d is %g, want %g", s, k, n, v, at(s, k, n))
					}
				}
			}
		}
	}
}

// Where the budget is too small for every cell, squares of cells show their maximum: no hot spot is lost, however
// small.
func TestBudgetReducesByMaximum(t *testing.T) {
	const nx, ny, steps = 101, 67, 6
	g := grid(nx, ny, 2)
	r := rand.New(rand.NewPCG(1, 2))
	noise := make([]float64, nx*ny)
	for n := range noise {
		noise[n] = 300 + 50*r.Float64()
	}
	hot := 57*nx + 83
	f := NewFields(g, 300, steps, Budget{Bytes: 12_000})
	for s := range steps {
		err := f.Add(s+1, float64(s), g, planes(func(k, n int) float64 {
			if n == hot && k == 1 {
				return 400 + float64(s)
			}
			return noise[(n+s)%len(noise)]
		}))
		if err != nil {
			t.Fatal(err)
		}
	}
	n := f.Factor()
	if n < 2 || f.size > 12_000 || f.Frames() != steps {
		t.Fatalf("factor %d, %d bytes, %d frames", n, f.size, f.Frames())
	}
	w := len(f.x) - 1
	if w != (nx+n-1)/n || f.x[w] != g.X[nx] {
		t.Errorf("%d cells to %g", w, f.x[w])
	}
	for s, frame := range kelvins(t, f) {
		if v := frame[1][57/n*w+83/n]; math.Abs(v-400-float64(s)) > f.ErrorK()*(1+1e-9) {
			t.Errorf("frame %d: the hot cell shows %g", s, v)
		}
		want := 0.0 // of the south-west square of the lower plane
		for j := range n {
			for i := range n {
				want = max(want, noise[(j*nx+i+s)%len(noise)])
			}
		}
		if v := frame[0][0]; math.Abs(v-want) > f.ErrorK()*(1+1e-9) {
			t.Errorf("frame %d: the corner shows %g, want %g", s, v, want)
		}
	}
}

// Of a transient longer than expected every other frame goes, and what stays is right.
func TestManyFramesAreThinned(t *testing.T) {
	g := grid(4, 3, 1)
	f := NewFields(g, 300, 1, Budget{})
	const steps = 2*mostFrames + 50
	for s := 1; s <= steps; s++ {
		if !f.Wants(s) {
			continue
		}
		if err := f.Add(s, float64(s), g, planes(func(int, int) float64 { return 300 + float64(s) })); err != nil {
			t.Fatal(err)
		}
	}
	if f.Frames() > mostFrames || f.Frames() < mostFrames/4 {
		t.Fatalf("%d frames", f.Frames())
	}
	for n, frame := range kelvins(t, f) {
		if want := 300 + float64(f.frames[n].step); math.Abs(frame[0][5]-want) > 0.011 {
			t.Errorf("frame %d, step %d: %g", n, f.frames[n].step, frame[0][5])
		}
	}
	if large := NewFields(grid(1871, 1871, 10), 300, 50, Budget{}); large.Wants(4) || !large.Wants(8) ||
		!large.Wants(16) {
		t.Errorf("of 50 steps of 35 million cells every %d-th is shown", large.stride)
	}
	if long := NewFields(g, 300, 10*mostFrames, Budget{}); long.Wants(1) || !long.Wants(16) {
		t.Errorf("of %d steps every %d-th is shown", 10*mostFrames, long.stride)
	}
}

// Cells without a finite temperature stay apart from all others, also where planes are reduced.
func TestMissingCells(t *testing.T) {
	g := grid(2*largestSide, 2, 1)
	f := NewFields(g, 300, 1, Budget{})
	if err := f.Add(0, 0, g, planes(func(_, n int) float64 {
		if n%(2*largestSide) < 2 {
			return math.NaN()
		}
		return 300
	})); err != nil {
		t.Fatal(err)
	}
	if f.Factor() != 2 || !f.wide {
		t.Fatalf("factor %d, wide %v", f.Factor(), f.wide)
	}
	got := kelvins(t, f)[0][0]
	if got[0] > -1e6 || got[1] != 300 || f.lo[0] != 0 || f.hi[0] != 0 {
		t.Errorf("%g, %g, range %d to %d", got[0], got[1], f.lo[0], f.hi[0])
	}
}

// Two sets on one grid come to one resolution.
func TestMatch(t *testing.T) {
	g := grid(64, 64, 1)
	r := rand.New(rand.NewPCG(3, 4))
	rough, smooth := NewFields(g, 300, 1, Budget{Bytes: 1500}), NewFields(g, 300, 1, Budget{})
	for _, f := range []*Fields{rough, smooth} {
		if err := f.Add(0, 0, g, planes(func(int, int) float64 { return 300 + 90*r.Float64() })); err != nil {
			t.Fatal(err)
		}
	}
	if rough.Factor() == smooth.Factor() {
		t.Fatal("they match already")
	}
	if err := smooth.Match(rough); err != nil || smooth.Factor() != rough.Factor() || len(smooth.x) != len(rough.x) {
		t.Errorf("%v: factors %d and %d", err, smooth.Factor(), rough.Factor())
	}
}

// The field of a 10-layer stack on a 512 x 512 grid.
func BenchmarkAdd(b *testing.B) {
	const nx, ny = 512, 512
	g := grid(nx, ny, 10)
	plane := make([]float64, nx*ny)
	for n := range plane {
		i, j := float64(n%nx), float64(n/nx)
		plane[n] = 330 + 60*math.Exp(-((i-300)*(i-300)+(j-200)*(j-200))/4000) + 5*math.Sin(i/40)*math.Cos(j/30)
	}
	b.SetBytes(8 * nx * ny * 10)
	for b.Loop() {
		f := NewFields(g, 300, 1, Budget{})
		if err := f.Add(0, 0, g, repeated(plane)); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(f.size)/1e6, "MB")
	}
}

type repeated []float64

func (p repeated) Plane(_ int, dst []float64) error {
	copy(dst, p)
	return nil
}

// A running maximum moves from step to step: the frames of where it ends stay, those on the way may go.
func TestKeptSteps(t *testing.T) {
	const steps = 3000
	g := grid(2, 2, 1)
	f := NewFields(g, 300, steps, Budget{})
	hottest := [2]int{} // of the whole run, and of the time after step 2000
	f.Keep(steps, func(step int) bool { return step > 0 && (step == hottest[0] || step == hottest[1]) }, nil)
	kelvin := func(n int) float64 { return 300 + 50*math.Sin(float64(n)/1234.25*math.Pi/2) }
	for n := 1; n <= steps; n++ {
		if hottest[0] == 0 || kelvin(n) > kelvin(hottest[0]) {
			hottest[0] = n
		}
		if n > 2000 && (hottest[1] == 0 || kelvin(n) > kelvin(hottest[1])) {
			hottest[1] = n
		}
		if f.Wants(n) {
			if err := f.Add(n, float64(n), g, planes(func(int, int) float64 { return kelvin(n) })); err != nil {
				t.Fatal(err)
			}
		}
	}
	if f.Frames() > mostFrames+2 {
		t.Errorf("%d frames", f.Frames())
	}
	for _, want := range []int{1234, 2001} {
		if !slices.ContainsFunc(f.frames, func(fr frame) bool { return fr.step == want }) {
			t.Errorf("step %d, of a maximum, has no frame", want)
		}
	}
	for i := 1; i < len(f.frames); i++ {
		if f.frames[i].step-f.frames[i-1].step > 4*steps/mostFrames {
			t.Errorf("nothing between steps %d and %d", f.frames[i-1].step, f.frames[i].step)
		}
	}
}

// Of more steps than can all be packed, the hottest has a frame too, with its temperature.
func TestHottestOfVeryManySteps(t *testing.T) {
	const steps = 3000
	for _, turn := range []int{1, 1234, steps - 1, steps} {
		g := grid(2, 2, 1)
		f := NewFields(g, 300, steps, Budget{})
		hottest := 0
		f.Keep(math.MaxInt, nil, func(step int) bool { return step == hottest })
		for n := 1; n <= steps; n++ {
			if n <= turn {
				hottest = n
			}
			if !f.Wants(n) {
				continue
			}
			kelvin := 400 - 0.03*math.Abs(float64(n-turn))
			if err := f.Add(n, float64(n), g, planes(func(int, int) float64 { return kelvin })); err != nil {
				t.Fatal(err)
			}
		}
		f.Last()
		if !slices.ContainsFunc(f.frames, func(fr frame) bool { return fr.step == turn }) {
			t.Errorf("step %d, the hottest, has no frame", turn)
		}
		if top := f.base + float64(f.hi[0])*f.quantum; math.Abs(top-400) > DefaultErrorK {
			t.Errorf("the hottest step, %d, has %g K on the page", turn, top)
		}
		inOrder := slices.IsSortedFunc(f.frames, func(a, b frame) int { return a.step - b.step })
		if !inOrder || f.Frames() > mostFrames+1 {
			t.Errorf("%d frames in disorder", f.Frames())
		}
	}
}
