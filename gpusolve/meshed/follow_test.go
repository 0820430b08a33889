package meshed_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"thermsim/gpusolve/testing/solves"

	"thermsim/gpusolve/ops"
	"thermsim/mesh"
	"thermsim/stack"
	"thermsim/stack/geometry"
)

// followed is a stack with regions whose edges cut cells, contacts, conditions on all faces, and materials that follow
// the temperature by all laws. With a temperature given, the properties are constants: what they are there.
func followed(kelvin float64) *stack.Stack {
	s := &stack.Stack{Schema: 1, Ambient: 300, Size: [2]float64{3e-3, 2e-3}}
	s.Grid = stack.Grid{X: stack.Axis{Cells: 7}, Y: stack.Axis{Cells: 5}}
	laws := []*stack.Curve{
		{Law: stack.PowerLaw, Value: 148, At: 300, Exponent: 1.3, Range: [2]float64{250, 500}},
		{Law: stack.PolynomialLaw, Coefficients: []float64{2, 3e-3, 1e-6}, At: 300, Range: [2]float64{250, 500}},
		{Law: stack.TableLaw, Temperatures: []float64{250, 310, 333, 480},
			Values: []float64{1.2e6, 1.6e6, 1.7e6, 2.1e6}, Range: [2]float64{250, 480}},
		{Law: stack.TableLaw, Temperatures: []float64{290, 400}, Values: []float64{380, 20},
			Range: [2]float64{290, 400}},
	}
	add := func(name string, x, y, z, c *stack.Curve) {
		m := stack.Material{Name: name, K: [3]float64{5, 6, 7}, C: 2e6, KCurve: [3]*stack.Curve{x, y, z}, CCurve: c}
		if kelvin > 0 {
			m = m.At(kelvin)
			m.KCurve, m.CCurve = [3]*stack.Curve{}, nil
		}
		s.Materials = append(s.Materials, m)
	}
	add("isotropic", laws[0], laws[0], laws[0], laws[2])
	add("mould", laws[1], nil, laws[1], nil)
	add("constant", nil, nil, nil, nil)
	add("steep", laws[3], laws[0], laws[3], laws[2])
	for l, name := range []string{"a", "b", "c", "d"} {
		s.Layers = append(s.Layers,
			stack.Layer{Name: name, Material: []int{0, 1, 2, 2}[l], Thickness: 1e-4 * float64(l+1), Cells: 1 + l%2,
				ContactResistance: 1e-6 * float64(l)})
	}
	s.Layers[1].Regions = []stack.Region{
		{Material: 0, Rect: stack.Rect{X: 0.5e-3, Y: 0.3e-3, Width: 1.7e-3, Height: 1.1e-3}},
		{Material: 3, Rect: stack.Rect{X: 1.1e-3, Y: 0.7e-3, Width: 0.9e-3, Height: 0.5e-3}},
	}
	// Beside them the cells of fills and shapes, of constant materials, stay what they are.
	add("good", nil, nil, nil, nil)
	s.Materials[4].K, s.Materials[4].C = [3]float64{400, 300, 350}, 3.4e6
	disc := geometry.Circle{X: 1.2e-3, Y: 1.1e-3, Diameter: 1.3e-3}
	s.Layers[2].Regions =
		[]stack.Region{{Material: 2, Rect: stack.Rect{X: 0.2e-3, Y: 0.1e-3, Width: 2.1e-3, Height: 1.7e-3},
			Fill: &stack.Fill{Inclusion: 4, Rule: stack.Square, NX: 2, NY: 1, Values: []float64{0.1, 0.4}}}}
	s.Layers[3].Regions = []stack.Region{{Material: 4, Rect: stack.Around(disc), Shape: disc}}
	// A disc cuts cells of materials that are temperature-dependent.
	s.Layers[0].Regions = []stack.Region{{Material: 1, Rect: stack.Around(disc), Shape: disc}}
	s.Boundary[stack.Top] = stack.Boundary{Kind: stack.Convective, H: 1e4, Temperature: 310}
	s.Boundary[stack.Bottom] = stack.Boundary{Kind: stack.FixedTemperature, Temperature: 340}
	s.Boundary[stack.West] = stack.Boundary{Kind: stack.HeatFlux, Flux: 1e4}
	s.Boundary[stack.East] = stack.Boundary{Kind: stack.Convective, H: 500, Temperature: 300}
	s.Boundary[stack.North] = stack.Boundary{Kind: stack.LumpedResistance, Resistance: 100, Temperature: 300}
	return s
}

// crowded has layers with several rectangles in a cell: apart, over each other, of a material whose conductivities
// follow in their own ways, and in the first layer the same stripes in every cell, so that it is uniform. Other than
// that it is as followed.
func crowded(kelvin float64) *stack.Stack {
	s := followed(kelvin)
	s.Grid.X.Cells, s.Grid.Y.Cells = 3, 1
	for n, y := range []float64{0.3e-3, 0.9e-3, 1.2e-3} {
		s.Layers[0].Regions = append(s.Layers[0].Regions,
			stack.Region{Material: 1 + n, Rect: stack.Rect{Y: y, Width: 3e-3, Height: 0.2e-3}})
	}
	s.Layers[1].Regions = nil
	for n := range 12 {
		x, y := 0.23e-3*float64(n), 0.17e-3*float64(n*5%11)
		s.Layers[1].Regions = append(s.Layers[1].Regions,
			stack.Region{Material: []int{3, 0, 2}[n%3], Rect: stack.Rect{X: x, Y: y, Width: 0.31e-3, Height: 0.19e-3}})
	}
	return s
}

// assembled is all that a system holds: the matrix, the right side of a step, what leaves a state through the faces,
// and what it stores.
type assembled struct {
	matrix [][]float64
	b      []float64
	heat   [6]float64
	stored float64
}

func assembledOf(t *testing.T, sys ops.System, x, old ops.Vector) assembled {
	t.Helper()
	d, err := sys.(ops.Forms).Diagonals()
	if err != nil {
		t.Fatal(err)
	}
	defer d.Release()
	a := d.Download()
	source, err := sys.NewSource(true)
	if err != nil {
		t.Fatal(err)
	}
	b := make([]float64, x.Len())
	source.Read(b)
	source.Close()
	return assembled{[][]float64{a.Main, a.X, a.Y, a.Z}, b, sys.FaceHeat(x), sys.Stored(x, old)}
}

func (a *assembled) same(t *testing.T, name string, o *assembled, slack float64) {
	t.Helper()
	for n := range a.matrix {
		if !slices.Equal(a.matrix[n], o.matrix[n]) {
			t.Errorf("%s: diagonal %d of the matrix differs:\n%v\n%v", name, n, a.matrix[n], o.matrix[n])
		}
	}
	if !slices.Equal(a.b, o.b) {
		t.Errorf("%s: the right sides differ:\n%v\n%v", name, a.b, o.b)
	}
	for f := range a.heat {
		if math.Abs(a.heat[f]-o.heat[f]) > slack*(math.Abs(a.heat[f])+1e-3) {
			t.Errorf("%s: face %d: %.15g W and %.15g W", name, f, a.heat[f], o.heat[f])
		}
	}
	if math.Abs(a.stored-o.stored) > slack*math.Abs(a.stored) {
		t.Errorf("%s: stored %.15g W and %.15g W", name, a.stored, o.stored)
	}
}

// TestRefreshAt forms a system at a uniform temperature, which must give the bits of a stack with these constants, and
// at random ones, where processor and GPU must agree to the bit. Cells outside the ranges are counted alike.
func TestRefreshAt(t *testing.T) {
	t.Run("cut cells", func(t *testing.T) { refreshAt(t, followed) })
	t.Run("several rectangles in a cell", func(t *testing.T) { refreshAt(t, crowded) })
}

func refreshAt(t *testing.T, followed func(kelvin float64) *stack.Stack) {
	const dt = 1e-3
	random := map[string]assembled{}
	counts := map[string][]int64{}
	for name, open := range solves.Executors(t) {
		dev := open()
		defer dev.Close()
		defer dev.Bind()()
		m, err := mesh.Build(followed(0))
		if err != nil {
			t.Fatal(err)
		}
		sys, err := dev.Assemble(m, dt)
		if err != nil {
			t.Fatal(err)
		}
		defer sys.Free()
		x, _ := sys.New64()
		old, _ := sys.New64()
		for _, kelvin := range []float64{300, 333, 371.5, 396} {
			sys.Fill(x, kelvin-300)
			if err := sys.RefreshAt(x, nil); err != nil {
				t.Fatal(err)
			}
			got := assembledOf(t, sys, x, old)
			constant, err := mesh.Build(followed(kelvin))
			if err != nil {
				t.Fatal(err)
			}
			plain, err := dev.Assemble(constant, dt)
			if err != nil {
				t.Fatal(err)
			}
			y, _ := plain.New64()
			zero, _ := plain.New64()
			plain.Fill(y, kelvin-300)
			want := assembledOf(t, plain, y, zero)
			got.near(t, name, &want)
			plain.Free()
		}
		rng := rand.New(rand.NewPCG(7, 7))
		a, b := make([]float64, x.Len()), make([]float64, x.Len())
		for c := range a {
			a[c], b[c] = -40+200*rng.Float64(), -60+300*rng.Float64()
		}
		b[3], b[8] = a[3], a[8]
		sys.Write(x, a)
		sys.Write(old, b)
		if err := sys.RefreshAt(x, old); err != nil {
			t.Fatal(err)
		}
		random[name], counts[name] = assembledOf(t, sys, x, old), sys.OutOfRange()
	}
	host, device := random["host"], random["interpreter"]
	host.same(t, "host and GPU", &device, 1e-13)
	if !slices.Equal(counts["host"], counts["interpreter"]) || counts["host"][3] == 0 || counts["host"][2] != 0 {
		t.Errorf("cells out of range: %v and %v", counts["host"], counts["interpreter"])
	}
}

// near compares with a system of constants, whose laws were evaluated by other means: to a rounding of FP32.
func (a *assembled) near(t *testing.T, name string, o *assembled) {
	t.Helper()
	for n := range a.matrix {
		for c := range a.matrix[n] {
			if v, w := a.matrix[n][c], o.matrix[n][c]; math.Abs(v-w) > 1.3e-7*math.Abs(w) {
				t.Errorf("%s: diagonal %d of the matrix, cell %d: %g and %g", name, n, c, v, w)
			}
		}
	}
	for c := range a.b {
		if math.Abs(a.b[c]-o.b[c]) > 2e-7*math.Abs(o.b[c]) {
			t.Errorf("%s: right side of cell %d: %g and %g", name, c, a.b[c], o.b[c])
		}
	}
	for f := range a.heat {
		if math.Abs(a.heat[f]-o.heat[f]) > 2e-7*math.Abs(o.heat[f]) {
			t.Errorf("%s: face %d: %.15g W and %.15g W", name, f, a.heat[f], o.heat[f])
		}
	}
	if math.Abs(a.stored-o.stored) > 2e-7*math.Abs(o.stored) {
		t.Errorf("%s: stored %.15g W and %.15g W", name, a.stored, o.stored)
	}
}
