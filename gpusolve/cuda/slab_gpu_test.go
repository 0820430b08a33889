package cuda_test

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"thermsim/gpusolve/cuda"
	"thermsim/gpusolve/cuda/cudriver"
	"thermsim/gpusolve/cuda/nccl"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/ranks"
	"thermsim/gpusolve/testing/cases"
	"thermsim/gpusolve/testing/opstest/devices"
	"thermsim/mesh"
)

// twoGPUs opens a GPU for each of two ranks; the test is skipped where there are fewer.
func twoGPUs(t *testing.T) opener {
	t.Helper()
	drv, err := cudriver.Open()
	if err == nil {
		err = drv.Init()
	}
	if err != nil {
		t.Skipf("needs two GPUs: %v", err)
	}
	if n, err := drv.DeviceGetCount(); n < 2 {
		t.Skipf("needs two GPUs: the driver lists %d (%v)", n, err)
	}
	return func(t *testing.T, rank int) *cuda.Device {
		d, err := cuda.Open(drv, rank)
		if err != nil {
			t.Error(err)
			t.FailNow()
		}
		return d
	}
}

func TestRowsChangeHandsOnTwoGPUs(t *testing.T) { rowsChangeHands(t, twoGPUs(t), []int{0, 6, 13}) }

func TestSumsOverTwoGPUs(t *testing.T) {
	sumsOverRanks(t, twoGPUs(t), ranks.Local, []int{0, 6, 13})
	sumsOverRanks(t, twoGPUs(t), severalProcesses, []int{0, 6, 13})
}

// TestTransportOfTwoGPUs times what passes between two GPUs in a multigrid cycle on 35 million cells, from recorded
// launches.
func TestTransportOfTwoGPUs(t *testing.T) {
	open := twoGPUs(t)
	for _, n := range []int{1871, 936, 468, 234, 117} {
		m, err := mesh.Build(cases.Stack10(cases.Options{NX: n}))
		if err != nil {
			t.Fatal(err)
		}
		p := ops.Partition{NX: n, Borders: []int{0, n / 2, n}}
		onRanks(t, open, m, 0, p, func(t *testing.T, rank int, s ops.SlabSystem) {
			x, _ := s.New32()
			r, _ := s.New32()
			whole := wholeVector(t, s, n*n*10)
			w, _ := s.NewWorkspace()
			measured := map[string]func(){
				"exchange": func() { s.Exchange(p, 3, 3, x) },
				"collect":  func() { s.Collect(p, whole, x) },
				"dot":      func() { w.Dot(r, x, true) },
			}
			for _, name := range []string{"exchange", "collect", "dot"} {
				const times = 50
				each := measured[name]
				each()
				replay, forget, err := s.(interface {
					Record(func()) (replay, forget func(), err error)
				}).Record(func() {
					for range times {
						each()
					}
				})
				if err != nil {
					t.Logf("rank %d, %s: not recorded: %v", rank, name, err)
					return
				}
				replay()
				w.Scalars()
				start := time.Now()
				replay()
				w.Scalars()
				if rank == 0 {
					t.Logf("%d x %d x 10, %s: %.2f us", n, n, name, 1e6*time.Since(start).Seconds()/times)
				}
				forget()
			}
			if space, ok := cuda.SpaceOf(s); rank == 0 && ok {
				text, warning := space.Transport()
				t.Logf("transport: %s %s", text, warning)
			}
		})
	}
}

// TestNCCLOnOneGPU joins a group of one: every call of NCCL but sends to others, at once and recorded.
func TestNCCLOnOneGPU(t *testing.T) {
	if os.Getenv(nccl.PathVariable) == nccl.Off {
		t.Skip(nccl.PathVariable)
	}
	d := devices.GPU(t)
	defer d.Close()
	defer d.Bind()()
	m := testMesh(t)
	p := ops.Partition{NX: m.NX(), Borders: []int{0, m.NY()}}
	s, err := d.AssembleSlab(m, 0, ops.Slab{Rows: p, Group: ranks.Local(1)[0]})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Free()
	text, warning := d.Transport()
	if !strings.HasPrefix(text, "NCCL ") {
		t.Skipf("%s: %s", text, warning)
	}
	x, _ := s.New32()
	whole := wholeVector(t, s, m.Cells())
	want, got := values(m.Cells()), make([]float64, m.Cells())
	s.Write(x, want)
	gather := func() { s.Collect(p, whole, x) }
	for _, how := range []string{"at once", "recorded"} {
		replay := gather
		if how == "recorded" {
			var err error
			if replay, _, err = s.(interface {
				Record(func()) (replay, forget func(), err error)
			}).Record(gather); err != nil {
				t.Fatal(err)
			}
		}
		clear(got)
		replay()
		s.Read(whole, got)
		if !slices.Equal(got, want) || s.Err() != nil {
			t.Errorf("%s through %s: another field came back, %v", how, text, s.Err())
		}
	}
}

// TestRanksOfOneGPU shares one GPU among ranks that copy from one another.
func TestRanksOfOneGPU(t *testing.T) {
	devices.GPU(t).Close()
	t.Setenv(nccl.PathVariable, nccl.Off)
	open := func(t *testing.T, _ int) *cuda.Device { return devices.GPU(t) }
	rowsChangeHands(t, open, []int{0, 4, 8, 13})
	sumsOverRanks(t, open, ranks.Local, []int{0, 6, 13})
}
