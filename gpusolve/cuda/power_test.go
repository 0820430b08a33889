package cuda_test

import (
	"math"
	"testing"
	"unsafe"

	"thermsim/gpusolve/cuda"
	"thermsim/gpusolve/cuda/cudriver"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/testing/interpreter"
	"thermsim/mesh"
	"thermsim/powermap"
	"thermsim/stack"
)

// poweredStack has two layers of blocks, under one of them a map, and a layer that is nothing but a map, on more cells
// than one tile has.
func poweredStack() *stack.Stack {
	s := &stack.Stack{
		Schema: 1, Ambient: 300, Size: [2]float64{4e-3, 3e-3},
		Grid:      stack.Grid{X: stack.Axis{Cells: 150}, Y: stack.Axis{Cells: 37}},
		Materials: []stack.Material{{Name: "silicon", K: [3]float64{150, 150, 150}, C: 1.6e6}},
	}
	blocks := stack.Power{AllowOverlap: true,
		Blocks: []stack.Block{{Name: "all", Watts: 3, Rects: []stack.Rect{{Width: 4e-3, Height: 3e-3}}}}}
	for i := range 40 {
		blocks.Blocks = append(blocks.Blocks, stack.Block{Name: "b", Watts: float64(i) / 7, Rects: []stack.Rect{
			{X: float64(i%8) * 0.51e-3, Y: float64(i/8) * 0.6e-3, Width: 0.43e-3, Height: 0.5e-3}}})
	}
	tiles := stack.Power{Map: &stack.PowerMap{NX: 3, NY: 2, Values: []float64{1, 0, 2, 3, 5, 4}}}
	for _, powers := range [][]stack.Power{{blocks}, nil, {tiles}, {blocks, tiles}} {
		s.Layers = append(s.Layers, stack.Layer{Name: "l", Thickness: 1e-4, Cells: 2, Powers: powers})
	}
	s.Boundary[stack.Top] = stack.Boundary{Kind: stack.Convective, H: 1e4, Temperature: 300}
	return s
}

// powered is a right-hand side that a counting driver sees drawn on the PTX interpreter.
type powered struct {
	ops.HeatSource
	mesh  *mesh.Mesh
	space *cuda.Space
	sent  *sentBytes
}

// onMachine assembles the stack on the PTX interpreter.
func onMachine(t *testing.T, s *stack.Stack) powered {
	t.Helper()
	m, err := mesh.Build(s)
	if err != nil {
		t.Fatal(err)
	}
	sent := &sentBytes{Driver: interpreter.New(interpreter.Options{})}
	d, err := cuda.Open(sent, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Bind())
	t.Cleanup(func() { d.Close() })
	sys, err := d.Assemble(m, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(sys.Free)
	b, err := sys.NewSource(true)
	if err != nil {
		t.Fatal(err)
	}
	space, _ := cuda.SpaceOf(sys)
	return powered{b, m, space, sent}
}

// watts is the power of each column of a layer's cells.
func (s powered) watts(t *testing.T, layer int) []float64 {
	t.Helper()
	b := make([]float64, s.mesh.Cells())
	s.Read(b)
	if err := s.space.Err(); err != nil {
		t.Fatal(err)
	}
	n := s.mesh.NX() * s.mesh.NY()
	sum := make([]float64, n)
	for k := s.mesh.LayerPlanes[layer][0]; k < s.mesh.LayerPlanes[layer][1]; k++ {
		for i, w := range b[k*n : (k+1)*n] {
			sum[i] += w
		}
	}
	return sum
}

func TestDrawnPowerEqualsTheMap(t *testing.T) {
	s := onMachine(t, poweredStack())
	p := s.mesh.Power
	total := 0.0
	s.SetPower(p.Steady())
	for _, l := range p.Layers {
		for i, w := range s.watts(t, l.Layer) {
			if math.Abs(w-l.Watts()[i]) > 1e-14*l.Watts()[i] {
				t.Fatalf("layer %d, cell %d: %.17g W on the device, want %.17g W", l.Layer, i, w, l.Watts()[i])
			}
			total += w
		}
	}
	if want := p.Requested; math.Abs(total-want) > 1e-12*want {
		t.Errorf("%.17g W on the device, %.17g W were asked for", total, want)
	}
}

// What does not change in time stays on the device: a change of power sends a few numbers and takes no memory.
func TestChangesOfPowerAreSmall(t *testing.T) {
	st := poweredStack()
	for i := range st.Layers {
		for n := range st.Layers[i].Powers {
			st.Layers[i].Powers[n].Schedule = []stack.ScalePoint{{Time: 1, Factor: 0.25}}
		}
	}
	s := onMachine(t, st)
	p := s.mesh.Power
	sequence := p.Sequence()
	over := func(t0, t1 float64) []powermap.Drawing {
		drawings, err := sequence.Over(t0, t1)
		if err != nil {
			t.Fatal(err)
		}
		return drawings
	}
	s.SetPower(over(0, 1))
	before := s.space.Allocated()
	s.sent.bytes = 0
	s.SetPower(over(1, 2))
	if live := s.space.Allocated(); s.sent.bytes > 2000 || live != before {
		t.Errorf("a change of power sent %d bytes and took %d", s.sent.bytes, live-before)
	}
	for _, l := range p.Layers {
		for i, w := range s.watts(t, l.Layer) {
			if want := l.Watts()[i] / 4; math.Abs(w-want) > 1e-14*want {
				t.Fatalf("layer %d, cell %d: %.17g W after the change, want %.17g W", l.Layer, i, w, want)
			}
		}
	}
	s.SetPower(p.Steady())
	s.SetPower(nil)
	if live := s.space.Allocated(); live >= before {
		t.Errorf("%d bytes are taken without power, %d with", live, before)
	}
}

// sentBytes counts what is copied to the device.
type sentBytes struct {
	cudriver.Driver
	bytes int64
}

func (d *sentBytes) MemcpyHtoDAsync(dst cudriver.DevicePtr, src unsafe.Pointer, bytes int64, s cudriver.Stream) error {
	d.bytes += bytes
	return d.Driver.MemcpyHtoDAsync(dst, src, bytes, s)
}
