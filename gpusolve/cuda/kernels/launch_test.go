package kernels_test

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"unsafe"

	"thermsim/gpusolve/cuda/cudriver"
	"thermsim/gpusolve/cuda/kernels"
	"thermsim/gpusolve/krylov"
	"thermsim/gpusolve/krylov/mixed"
	"thermsim/gpusolve/precond/chebyshev"
	"thermsim/gpusolve/precond/cmg"
	"thermsim/gpusolve/precond/ddilu"
	"thermsim/gpusolve/precond/downstream"
	"thermsim/gpusolve/precond/fourier"
	"thermsim/gpusolve/precond/ilu"
	"thermsim/gpusolve/precond/jacobi"
	"thermsim/gpusolve/precond/multigrid"
	"thermsim/gpusolve/precond/parac"
	"thermsim/tools/ptxgen"
)

// recorder is a driver that reads parameters as the loaded PTX declares them.
type recorder struct {
	cudriver.Driver
	entries   []ptxgen.Entry
	unloaded  int
	failAt    string // name of the call or kernel that fails
	launched  ptxgen.Entry
	values    []any
	grid      [3]uint32
	block     [3]uint32
	stream    cudriver.Stream
	shared    uint32
	allowed   int // dynamic shared memory of the function last asked about
	recording bool
}

var errInjected = errors.New("injected")

func (r *recorder) ModuleLoadData(ptx []byte) (cudriver.Module, error) {
	if r.failAt == "load" {
		return 0, errInjected
	}
	text, ended := strings.CutSuffix(string(ptx), "\x00")
	if !ended || strings.Contains(text, "\x00") {
		return 0, errors.New("the text does not end with its only NUL")
	}
	entries, err := ptxgen.Entries(text)
	r.entries = append(r.entries, entries...)
	return cudriver.Module(len(r.entries)), err
}

func (r *recorder) ModuleUnload(cudriver.Module) error {
	r.unloaded++
	return nil
}

func (r *recorder) ModuleGetFunction(_ cudriver.Module, name string) (cudriver.Function, error) {
	if r.failAt == name {
		return 0, errInjected
	}
	for i, e := range r.entries {
		if e.Name == name {
			return cudriver.Function(i + 1), nil
		}
	}
	return 0, fmt.Errorf("no entry %s", name)
}

func (r *recorder) FuncSetAttribute(f cudriver.Function, a cudriver.FunctionAttribute, value int) error {
	if a != cudriver.MaxDynamicSharedSizeBytes {
		return fmt.Errorf("attribute %d", a)
	}
	if r.failAt == "attribute" {
		return errInjected
	}
	r.allowed = value
	return nil
}

func (r *recorder) LaunchKernel(f cudriver.Function, grid, block [3]uint32, shared uint32, s cudriver.Stream,
	params []unsafe.Pointer) error {
	if r.failAt == "launch" {
		return errInjected
	}
	if !r.recording {
		return nil
	}
	r.launched, r.grid, r.block, r.stream, r.shared, r.values = r.entries[f-1], grid, block, s, shared, nil
	if len(params) != len(r.launched.Params) {
		return fmt.Errorf("%d parameters, the PTX has %d", len(params), len(r.launched.Params))
	}
	for i, t := range r.launched.Params {
		switch t {
		case "u32":
			r.values = append(r.values, *(*uint32)(params[i]))
		case "u64":
			r.values = append(r.values, *(*uint64)(params[i]))
		case "f32":
			r.values = append(r.values, *(*float32)(params[i]))
		case "f64":
			r.values = append(r.values, *(*float64)(params[i]))
		default:
			return fmt.Errorf("parameter %d of unknown type %s", i+1, t)
		}
	}
	return nil
}

// modules loads every module, each class of the line kernels apart.
func modules(t *testing.T, load func(name string, module any, d *recorder)) {
	t.Helper()
	missing := map[string]bool{}
	for _, f := range folders(t) {
		for _, s := range f.Sources {
			missing[s.Name] = true
		}
	}
	defer func() {
		for name := range missing {
			t.Errorf("no test loads %s.cu", name)
		}
	}()
	add := func(name string, loader func(d cudriver.Driver) (any, error)) {
		delete(missing, strings.Fields(name)[0])
		d := &recorder{recording: true}
		m, err := loader(d)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		load(name, m, d)
	}
	add("bicgstab", func(d cudriver.Driver) (any, error) { return krylov.LoadBicgstab(d) })
	add("bricks", func(d cudriver.Driver) (any, error) { return ddilu.LoadBricks(d) })
	add("parts", func(d cudriver.Driver) (any, error) { return ddilu.LoadParts(d) })
	add("chebyshev", func(d cudriver.Driver) (any, error) { return chebyshev.LoadKernels(d) })
	add("columns", func(d cudriver.Driver) (any, error) { return fourier.LoadColumns(d) })
	add("sheets", func(d cudriver.Driver) (any, error) { return fourier.LoadSheets(d) })
	add("transform", func(d cudriver.Driver) (any, error) { return fourier.LoadTransform(d) })
	add("cover", func(d cudriver.Driver) (any, error) { return kernels.LoadCover(d) })
	add("csr", func(d cudriver.Driver) (any, error) { return mixed.LoadCsr(d) })
	add("matrix", func(d cudriver.Driver) (any, error) { return kernels.LoadMatrix(d) })
	add("mixed", func(d cudriver.Driver) (any, error) { return mixed.LoadKernels(d) })
	add("quaddiag", func(d cudriver.Driver) (any, error) { return mixed.LoadQuaddiag(d) })
	add("assemble", func(d cudriver.Driver) (any, error) { return kernels.LoadAssemble(d) })
	add("forms", func(d cudriver.Driver) (any, error) { return kernels.LoadForms(d) })
	add("forms", func(d cudriver.Driver) (any, error) { return ilu.LoadForms(d) })
	add("ilu", func(d cudriver.Driver) (any, error) { return ilu.LoadKernels(d) })
	add("cmg", func(d cudriver.Driver) (any, error) { return cmg.LoadKernels(d) })
	add("segments", func(d cudriver.Driver) (any, error) { return cmg.LoadSegments(d) })
	add("jacobi", func(d cudriver.Driver) (any, error) { return jacobi.LoadKernels(d) })
	add("krylov", func(d cudriver.Driver) (any, error) { return kernels.LoadKrylov(d) })
	add("hierarchy", func(d cudriver.Driver) (any, error) { return multigrid.LoadHierarchy(d) })
	add("levels", func(d cudriver.Driver) (any, error) { return parac.LoadLevels(d) })
	add("parac", func(d cudriver.Driver) (any, error) { return parac.LoadKernels(d) })
	add("sort", func(d cudriver.Driver) (any, error) { return parac.LoadSort(d) })
	add("power", func(d cudriver.Driver) (any, error) { return kernels.LoadPower(d) })
	add("residual", func(d cudriver.Driver) (any, error) { return kernels.LoadResidual(d) })
	add("slab", func(d cudriver.Driver) (any, error) { return kernels.LoadSlab(d) })
	add("statistics", func(d cudriver.Driver) (any, error) { return kernels.LoadStatistics(d) })
	add("transfer", func(d cudriver.Driver) (any, error) { return multigrid.LoadTransfer(d) })
	add("weigh", func(d cudriver.Driver) (any, error) { return multigrid.LoadWeigh(d) })
	add("cooled", func(d cudriver.Driver) (any, error) { return multigrid.LoadCooled(d) })
	add("bound", func(d cudriver.Driver) (any, error) { return downstream.LoadBound(d) })
	add("streams", func(d cudriver.Driver) (any, error) { return downstream.LoadStreams(d) })
	for _, class := range multigrid.CooledlinesClasses() {
		add(fmt.Sprint("cooledlines ", class), func(d cudriver.Driver) (any, error) {
			return multigrid.LoadCooledlines(d, class)
		})
	}
	add("coolant", func(d cudriver.Driver) (any, error) { return kernels.LoadCoolant(d) })
	add("follow", func(d cudriver.Driver) (any, error) { return kernels.LoadFollow(d) })
	add("mixing", func(d cudriver.Driver) (any, error) { return kernels.LoadMixing(d) })
	for _, class := range multigrid.PairsClasses() {
		add(fmt.Sprint("pairs ", class), func(d cudriver.Driver) (any, error) { return multigrid.LoadPairs(d, class) })
	}
	for _, class := range multigrid.LinesClasses() {
		add(fmt.Sprint("lines ", class), func(d cudriver.Driver) (any, error) { return multigrid.LoadLines(d, class) })
	}
}

// TestParameters launches every kernel with a different value in each parameter and reads them back by the PTX's own
// types.
func TestParameters(t *testing.T) {
	total := 0
	modules(t, func(name string, module any, d *recorder) {
		launched := map[string]bool{}
		m := reflect.ValueOf(module).Elem()
		for i := range m.NumField() {
			field := m.Type().Field(i)
			launch := m.Field(i).Addr().MethodByName("Launch")
			if !launch.IsValid() {
				continue // the module
			}
			in := []reflect.Value{reflect.ValueOf(cudriver.Stream(7)), reflect.ValueOf([3]uint32{5, 6, 7})}
			shared := uint32(0)
			if launch.Type().NumIn() == 4 {
				shared = 100<<10 + uint32(i)
				in = append(in, reflect.ValueOf(shared))
			}
			arguments := reflect.New(launch.Type().In(len(in))).Elem()
			var want []any
			for p := range arguments.NumField() {
				want = append(want, distinct(t, arguments.Field(p), p))
			}
			if err := launch.Call(append(in, arguments))[0].Interface(); err != nil {
				t.Errorf("%s %s: %v", name, field.Name, err)
				continue
			}
			kernel := d.launched.Name
			if d.shared != shared || d.allowed != int(shared) {
				t.Errorf("%s %s: %d bytes of dynamic shared memory, %d allowed, want %d", name, kernel, d.shared,
					d.allowed, shared)
			}
			d.allowed = 0
			launched[kernel] = true
			if strings.ToUpper(kernel[:1])+kernel[1:] != field.Name {
				t.Errorf("%s: %s launches %s", name, field.Name, kernel)
			}
			if !reflect.DeepEqual(d.values, want) {
				t.Errorf("%s %s: parameters %v, want %v", name, kernel, d.values, want)
			}
			if d.grid != [3]uint32{5, 6, 7} || d.stream != 7 {
				t.Errorf("%s %s: grid %v, stream %d", name, kernel, d.grid, d.stream)
			}
			if d.block != [3]uint32{uint32(d.launched.Threads), 1, 1} {
				t.Errorf("%s %s: block %v, PTX was compiled for %d threads", name, kernel, d.block, d.launched.Threads)
			}
		}
		if len(launched) != len(d.entries) {
			t.Errorf("%s: %d kernels were launched, the driver compiled %d", name, len(launched), len(d.entries))
		}
		total += len(launched)
	})
	want := 0
	for _, f := range folders(t) {
		names, err := filepath.Glob(filepath.Join(f.Dir, "ptx", "*.ptx"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			want += strings.Count(string(text), "\n.visible .entry ")
		}
	}
	if total != want {
		t.Errorf("%d kernels have a launcher, the PTX has %d", total, want)
	}
}

// distinct gives an argument a value that no other parameter has, using its upper and lower bits, and returns what the
// device sees of it.
func distinct(t *testing.T, argument reflect.Value, p int) (raw any) {
	t.Helper()
	wide := uint64(p+1)<<40 + uint64(p) + 12345
	switch of := argument.Type(); {
	case of.Kind() == reflect.Int32:
		argument.SetInt(int64(-1 - p))
		return math.MaxUint32 - uint32(p)
	case of.Kind() == reflect.Uint32:
		argument.SetUint(uint64(math.MaxUint32 - uint32(p)))
		return math.MaxUint32 - uint32(p)
	case of.Kind() == reflect.Int64:
		argument.SetInt(int64(wide))
		return wide
	case of.Kind() == reflect.Uint64:
		argument.SetUint(wide)
		return wide
	case of.Kind() == reflect.Float32:
		argument.SetFloat(float64(p) + 0.5)
		return float32(p) + 0.5
	case of.Kind() == reflect.Float64:
		argument.SetFloat(float64(p) + 1e-9)
		return float64(p) + 1e-9
	case of.Implements(reflect.TypeFor[cudriver.Pointer]()):
		*(*uint64)(argument.Addr().UnsafePointer()) = wide
		if argument.Interface().(cudriver.Pointer).Address() != cudriver.DevicePtr(wide) {
			t.Fatalf("%v is not the address that its bits are", of)
		}
		return wide
	}
	t.Fatalf("parameter %d has type %v, which no launcher should have", p, argument.Type())
	return nil
}

func TestLaunchAllocatesNothing(t *testing.T) {
	var d cudriver.Driver = new(recorder)
	r, err := kernels.LoadResidual(d)
	if err != nil {
		t.Fatal(err)
	}
	grid := [3]uint32{100, 1, 1}
	allocations := testing.AllocsPerRun(100, func() {
		x, old := cudriver.At[float64](4096), cudriver.At[float64](8192)
		err = errors.Join(err, r.Fill.Launch(1, grid, kernels.ResidualFillArgs{N: 1 << 40, Value: 0.25, X: x}),
			r.Extrapolate.Launch(1, grid, kernels.ResidualExtrapolateArgs{N: 1 << 40, X: x, Old: old, W0: 1}))
	})
	if err != nil || allocations != 0 {
		t.Errorf("%g allocations per launch, error %v; want none", allocations, err)
	}
}

// Dynamic shared memory is asked for once, and again for more: also below 48 KiB, which static shared memory counts
// towards.
func TestDynamicSharedMemory(t *testing.T) {
	d := &recorder{recording: true}
	m, err := ddilu.LoadParts(d)
	if err != nil {
		t.Fatal(err)
	}
	solve := func(shared uint32) error {
		d.allowed = 0
		return m.SolveParts.Launch(1, [3]uint32{1, 1, 1}, shared, ddilu.PartsSolvePartsArgs[float32]{})
	}
	for _, c := range []struct {
		shared uint32
		asked  int
	}{{46596, 46596}, {50 << 10, 50 << 10}, {49 << 10, 0}, {50 << 10, 0}, {100 << 10, 100 << 10}} {
		if err := solve(c.shared); err != nil || d.allowed != c.asked || d.shared != c.shared {
			t.Errorf("%d bytes: asked for %d, launched with %d, error %v", c.shared, d.allowed, d.shared, err)
		}
	}
	d.failAt = "attribute"
	if err := solve(101 << 10); !errors.Is(err, errInjected) || !strings.Contains(err.Error(), "kernel solveParts") {
		t.Errorf("refused shared memory: %v", err)
	}
}

func TestErrors(t *testing.T) {
	grid := [3]uint32{1, 1, 1}
	fill := func(failAt string) (*recorder, *kernels.Residual, error) {
		d := &recorder{failAt: failAt}
		r, err := kernels.LoadResidual(d)
		if err != nil {
			t.Fatal(err)
		}
		return d, r, r.Fill.Launch(0, grid, kernels.ResidualFillArgs{N: 1})
	}
	for failAt, part := range map[string]string{"load": "kernel fill of residual", "fill": "finding kernel fill",
		"launch": "launching kernel fill"} {
		if _, _, err := fill(failAt); !errors.Is(err, errInjected) || !strings.Contains(err.Error(), part) {
			t.Errorf("failure of %s: error %v, want %q in it", failAt, err, part)
		}
	}
	if _, err := multigrid.LoadLines(new(recorder), 11); err == nil || !strings.Contains(err.Error(), "class 11") {
		t.Errorf("unknown class: error %v", err)
	}
	d, r, err := fill("")
	if err != nil || len(d.entries) != 1 {
		t.Errorf("launching one kernel compiles %d, error %v", len(d.entries), err)
	}
	if err := r.Unload(); err != nil || d.unloaded != 1 {
		t.Errorf("unload: error %v, %d calls", err, d.unloaded)
	}
}
