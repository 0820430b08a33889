package memory_test

import (
	"slices"
	"testing"

	"thermsim/gpusolve/testing/solves"

	"thermsim/gpusolve/cuda"
	"thermsim/gpusolve/host"
	"thermsim/gpusolve/memory"
	"thermsim/gpusolve/methods"
	"thermsim/gpusolve/precond/fourier"
	"thermsim/gpusolve/testing/cases"
	"thermsim/gpusolve/testing/interpreter"
	"thermsim/gpusolve/testing/opstest/devices"
	"thermsim/internal/testtier"
	"thermsim/mesh"
	"thermsim/stack"
)

// methodsFor are those that a mesh can be solved by.
func methodsFor(m *mesh.Mesh) []string {
	return slices.DeleteFunc(methods.Names(), func(name string) bool {
		return name == "fourier" && fourier.CheckSides(m.Stack) != nil
	})
}

// sampled says whether a method is taken of a shape: in the quick tier of every other one. turn numbers both.
func sampled(method string, shape int) (turn int, ok bool) {
	turn = slices.Index(methods.Names(), method) + shape
	return turn / 2, testtier.Pick(turn%2 == 0, true)
}

// shaped is a mesh and what it is called.
type shaped struct {
	name string
	mesh *mesh.Mesh
}

func shapedMesh(t *testing.T, name string, s *stack.Stack) shaped {
	t.Helper()
	m, err := mesh.Build(s)
	if err != nil {
		t.Fatal(err)
	}
	return shaped{name, m}
}

// times are a steady state and a transient, or, in the quick tier, one of them each turn.
func times(turn int) []bool {
	return testtier.Pick([]bool{turn%2 == 0}, []bool{false, true})
}

// The need that is stated before anything is allocated covers what the solve then takes on the processor, set-up
// included, and wastes little.
func TestNeedOnTheProcessor(t *testing.T) {
	for shape, c := range []shaped{
		shapedMesh(t, "homogeneous", cases.Stack10(cases.Options{NX: 64})),
		shapedMesh(t, "2.5D", cases.Interposer(cases.Stack10(cases.Options{NX: 64}))),
		shapedMesh(t, "slab", cases.Slab(cases.Options{NX: testtier.Pick(47, 90), NY: 41}, 19)),
		shapedMesh(t, "graded", cases.Graded(cases.Stack10(cases.Options{NX: 60, NY: 70}), 4)),
	} {
		for _, method := range methodsFor(c.mesh) {
			turn, ok := sampled(method, shape)
			if !ok {
				continue
			}
			for _, inTime := range times(turn) {
				d := host.Open()
				held := solves.SolveOnce(t, c.mesh, d, method, inTime)
				taken := d.Peak()
				solves.Compare(t, c.name+", "+method+map[bool]string{true: ", in time"}[inTime],
					memory.OfSystem(c.mesh, method, inTime, false), taken, held, true)
			}
		}
	}
}

// The same on a GPU, by what is allocated there.
func TestNeedOnInterpreter(t *testing.T) {
	t.Parallel()
	needOnDevice(t, solves.Interpreted, testtier.Pick(1, 2))
}
func TestNeedOnGPU(t *testing.T) { needOnDevice(t, devices.GPU, 20) }

// needOnDevice holds what is stated for every method to what is allocated, on grids so many times finer than the
// interpreter can take.
func needOnDevice(t *testing.T, open func(testing.TB) *cuda.Device, finer int) {
	for shape, c := range []shaped{
		shapedMesh(t, "homogeneous", cases.Stack10(cases.Options{NX: 9 * finer, NY: 8 * finer})),
		shapedMesh(t, "2.5D", cases.Interposer(cases.Stack10(cases.Options{NX: 10 * finer}))),
		shapedMesh(t, "tall", cases.Slab(cases.Options{NX: 5 * finer, NY: 4 * finer}, testtier.Pick(35, 131))),
	} {
		for _, method := range methodsFor(c.mesh) {
			turn, ok := sampled(method, shape)
			if !ok {
				continue
			}
			if method == "cmg" {
				method = "cmg:direct=64" // inverting a larger graph takes the interpreter minutes
			}
			for _, inTime := range times(turn) {
				allocated(t, open(t), c.name, c.mesh, method, inTime)
			}
		}
	}
	// most of it the eigenvectors
	long := shapedMesh(t, "graded", cases.Graded(cases.Stack10(cases.Options{NX: 100 * finer, NY: 4}), 4))
	allocated(t, open(t), long.name, long.mesh, "fourier", false)
}

// allocated holds the need of a method to what a device, which it closes, counts.
func allocated(t *testing.T, d *cuda.Device, name string, m *mesh.Mesh, method string, inTime bool) {
	t.Helper()
	solves.SolveOnce(t, m, d, method, inTime)
	s := memory.ShapeOf(m, inTime, true)
	s.Multiprocessors = int64(d.MultiprocessorCount())
	need := memory.Of(s, method, memory.SystemBytes(s))
	if methods.SolvesDirectly(m, method) {
		need = memory.OfDirect(s, 1)
	}
	solves.Compare(t, name+", "+method+map[bool]string{true: ", in time"}[inTime], need, d.Peak(), 0, false)
}

// Graphs of more than 20,000 vertices are taken apart on the device itself.
func TestNeedOfLargeGraphOnInterpreter(t *testing.T) {
	t.Parallel()
	needOfLargeGraph(t, solves.Interpreted)
}
func TestNeedOfLargeGraphOnGPU(t *testing.T) { needOfLargeGraph(t, devices.GPU) }

func needOfLargeGraph(t *testing.T, open func(testing.TB) *cuda.Device) {
	m, err := mesh.Build(cases.Interposer(cases.Stack10(cases.Options{NX: 46})))
	if err != nil {
		t.Fatal(err)
	}
	allocated(t, open(t), "2.5D, 21160 cells", m, "cmg:direct=64", false)
}

// The same with coolant, on both.
func TestNeedWithCoolant(t *testing.T) {
	t.Parallel()
	for turn, model := range []stack.CavityModel{stack.PorousCavity, stack.ResolvedChannels} {
		onHost := shapedMesh(t, "", cases.Tiers(testtier.Pick(35, 49), 2, 2e-6, model)).mesh
		onGPU := shapedMesh(t, "", cases.Tiers(testtier.Pick(9, 49), 2, 2e-6, model)).mesh
		for _, inTime := range times(turn) {
			what := string(model) + map[bool]string{true: ", in time"}[inTime]
			d := host.Open()
			held := solves.SolveOnce(t, onHost, d, "", inTime)
			solves.Compare(t, what, memory.OfSystem(onHost, "", inTime, false), d.Peak(), held, true)
			g := devices.Interpreter(t, interpreter.Options{NoRaces: true})
			held = solves.SolveOnce(t, onGPU, g, "", inTime)
			solves.Compare(t, what+", on a GPU", memory.OfSystem(onGPU, "", inTime, true), g.Peak(),
				held,
				false)
		}
	}
}
