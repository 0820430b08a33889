package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"thermsim/cmd/thermsim/flags"
	"thermsim/cmd/thermsim/session"
	"thermsim/cmd/thermsim/terminal"
	"thermsim/gpusolve/device"
	"thermsim/gpusolve/ranks"
	"thermsim/internal/launcher"
	"thermsim/internal/machine"
	"thermsim/internal/testtier"
	"thermsim/report/saved"
	"thermsim/stack"
)

// regionsStack has dies side by side in epoxy, and blocks of power.
const regionsStack = `schema  = 1
ambient = "300 K"
size    = ["8 mm", "6 mm"]
grid    = { nx = 48, ny = 64 }
boundary.top = { h = "4000 W/(m^2 K)" }

[[layer]]
name      = "interposer"
material  = "silicon"
thickness = "100 um"

[[layer]]
name      = "dies"
material  = "die_attach_epoxy"
thickness = "150 um"
cells     = 2
power     = { uniform = "2 W" }
  [[layer.region]]
  material = "silicon"
  x = "1 mm"
  y = "0.7 mm"
  width = "3 mm"
  height = "4 mm"
  [[layer.region]]
  material = "copper"
  x = "5 mm"
  y = "2 mm"
  width = "2 mm"
  height = "3.3 mm"
  [[layer.block]]
  name = "core"
  x = "1 mm"
  y = "1 mm"
  width = "1 mm"
  height = "2.5 mm"
  power = "5 W"

[[layer]]
name      = "lid"
material  = "copper"
thickness = "500 um"
cells     = 2
`

// stackFolder makes a folder with a stack in it.
func stackFolder(t *testing.T, text string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "stack.toml"), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return dir
}

// lastField reads the temperatures that a run saved last.
func lastField(t *testing.T, dir string) []float64 {
	t.Helper()
	run, err := saved.Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer run.Close()
	f, err := run.Field(run.Last())
	if err != nil {
		t.Fatal(err)
	}
	m := run.Mesh
	all := make([]float64, m.Cells())
	for k := range m.NZ() {
		if err := f.Plane(k, all[k*m.NX()*m.NY():(k+1)*m.NX()*m.NY()]); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

func furthest(a, b []float64) float64 {
	worst := math.Abs(float64(len(a) - len(b)))
	for i := range a {
		worst = max(worst, math.Abs(a[i]-b[i]))
	}
	return worst
}

// Ranks find the field that a run alone finds, as processes and within one, and write the same files.
func TestRanksFindTheSameField(t *testing.T) {
	sizes := testtier.Pick([]int{3}, []int{1, 2, 3, 4, 8})
	for i, args := range [][]string{
		{"steady", "--quiet", "--rtol", "1e-11", "--save", "last", "--dpi", "36"},
		{"transient", "--quiet", "--rtol", "1e-11", "--save", "last", "--steps", "12", "--dt",
			"2 ms", "--formats", "none"},
		{"transient", "--quiet", "--rtol", "1e-11", "--save", "last", "--until", "20 ms",
			"--dt-tol", "0.05 K", "--every", "5 ms", "--initial", "steady", "--set", "layer.dies.block.core.power=9",
			"--formats", "none"},
		{"transient", "--quiet", "--rtol", "1e-11", "--save", "last", "--steps", "3", "--dt",
			"2 ms", "--initial", "steady", "--set", "layer.dies.block.core.power=9", "--formats", "none"},
	} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			t.Parallel()
			dir := stackFolder(t, regionsStack)
			run := func(out string, more ...string) {
				t.Helper()
				if said, err := program(t, dir,
					append(append(append([]string{}, args...), "--out", out), more...)...).CombinedOutput(); err !=
					nil {
					t.Fatalf("%v: %s", err, said)
				}
			}
			run("alone")
			want := lastField(t, filepath.Join(dir, "alone"))
			check := func(n int, out, how string) {
				t.Helper()
				if d := furthest(want, lastField(t, out)); !(d <= 1e-9) {
					t.Errorf("%d ranks %s: %g K from the field of one", n, how, d)
				} else {
					t.Logf("%d ranks %s: %.2g K from the field of one", n, how, d)
				}
			}
			for _, n := range sizes {
				here := fmt.Sprintf("here%d", n)
				run(here, "--ranks", fmt.Sprint(n))
				check(n, filepath.Join(dir, here), "in one process")
				if told := ranksTold(t, filepath.Join(dir, here)); n > 1 &&
					told != fmt.Sprintf("%d by the memory of one process", n) {
					t.Errorf("the summary tells of %s", told)
				}
				if i > 1 && !testtier.Pick(false, true) {
					continue // each launcher started one of the first two
				}
				for _, launcher := range launchers(i) {
					j := newJob(t, dir, launcher, n, args, nil)
					if status := j.run(); status != 0 || j.said.Len() > 0 {
						t.Fatalf("%s, %d ranks: status %d, %s", launcher, n, status, j.said.String())
					}
					check(n, j.out, launcher)
					sameFiles(t, j.out, filepath.Join(dir, here))
					if told := ranksTold(t, j.out); n > 1 && told != fmt.Sprintf("%d by MPI", n) {
						t.Errorf("the summary tells of %s", told)
					}
				}
			}
		})
	}
}

// ranksTold is how many ranks a summary tells of, and what joined them.
func ranksTold(t *testing.T, dir string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "summary.json"))
	if err != nil {
		t.Fatal(err)
	}
	var summary struct {
		Device struct {
			Ranks     int
			Transport string
		}
	}
	if err := json.Unmarshal(text, &summary); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%d by %s", summary.Device.Ranks, summary.Device.Transport)
}

// Processes that may use the same cores of one machine say the same, others do not.
func TestRankCores(t *testing.T) {
	identity := func(boot, status string) string {
		return machine.Cores(func(path string) ([]byte, error) {
			text := map[string]string{"/proc/sys/kernel/random/boot_id": boot, "/proc/self/status": status}[path]
			if text == "" {
				return nil, os.ErrNotExist
			}
			return []byte(text), nil
		})
	}
	a := identity("b1\n", "Name:\tx\nCpus_allowed:\tff\nCpus_allowed_list:\t0-7\n")
	if a == "" || a != identity("b1\n", "Name:\ty\nCpus_allowed_list:\t0-7\n") ||
		a == identity("b2\n", "Cpus_allowed_list:\t0-7\n") || a == identity("b1\n", "Cpus_allowed_list:\t0-3\n") {
		t.Errorf("%q", a)
	}
	if identity("", "Cpus_allowed_list:\t0-7\n") != "" || identity("b1", "") != "" ||
		identity("b1", "Name: x\n") != "" {
		t.Error("cores where the system does not tell")
	}
	said := []string{a, "", a, "another"}
	want := []int{2, 0, 2, 1}
	groups := ranks.Local(len(said))
	var all sync.WaitGroup
	for i, g := range groups {
		all.Go(func() {
			if got, err := sameOnRanks(g, said[i]); err != nil || got != want[i] {
				t.Errorf("rank %d: %d alike, %v", i, got, err)
			}
		})
	}
	all.Wait()
}

// Processes that nobody told their places on a machine take one GPU each; those that were told, or that name one, keep
// theirs.
func TestRanksSpreadOverGPUs(t *testing.T) {
	list := func() ([]device.GPU, error) {
		return []device.GPU{{Ordinal: 0, Usable: true}, {Ordinal: 1, Usable: true}, {Ordinal: 2, Usable: true}}, nil
	}
	for _, tt := range []struct {
		wishes []string
		local  []int
		want   string
	}{
		{[]string{"gpu", "gpu", "", "auto"}, []int{-1, -1, -1, -1}, "gpu:0 gpu:1 gpu:2 gpu:0"},
		{[]string{"gpu:1", "gpu", "gpu:1", "gpu"}, []int{-1, -1, -1, -1}, "gpu:1 gpu:0 gpu:1 gpu:1"},
		{[]string{"gpu:2,0", "gpu:2,0", "gpu:all", "gpu:all"}, []int{-1, -1, 1, 0}, "gpu:2 gpu:0 gpu:1 gpu:0"},
		{[]string{"cpu", "cpu", "cpu", "cpu"}, []int{-1, -1, -1, -1}, "cpu cpu cpu cpu"},
	} {
		got := make([]string, len(tt.wishes))
		var all sync.WaitGroup
		for rank, g := range ranks.Local(len(got)) {
			all.Go(func() {
				var d flags.Devices
				if tt.wishes[rank] != "" {
					if err := d.Set(tt.wishes[rank]); err != nil {
						t.Error(err)
					}
				}
				o := &team{g: &session.Session{Console: new(terminal.Console)}, requested: tt.wishes[rank],
					groups: []ranks.Group{g}}
				o.plan = launcher.Plan{Ranks: len(got), Rank: rank, Launcher: "Slurm", Local: tt.local[rank]}
				var err error
				if o.devices, err = rankDevices(o.plan, o.requested, &d, list); err == nil {
					err = o.spread(new(stack.Stack), &d, list)
				}
				if got[rank] = o.devices[0]; err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if strings.Join(got, " ") != tt.want {
			t.Errorf("--device %q: %q, want %s", tt.wishes, got, tt.want)
		}
	}
}

func TestRankDevices(t *testing.T) {
	gpus := func(n int) func() ([]device.GPU, error) {
		return func() ([]device.GPU, error) {
			if n == 0 {
				return nil, errors.New("no driver")
			}
			list := make([]device.GPU, n)
			for i := range list {
				list[i] = device.GPU{Ordinal: i, Usable: true}
			}
			return list, nil
		}
	}
	together := func(n int) launcher.Plan { return launcher.Plan{Ranks: n} }
	process := func(local int) launcher.Plan {
		return launcher.Plan{Ranks: 8, Rank: local, Local: local, Launcher: "Slurm"}
	}
	for _, tt := range []struct {
		plan   launcher.Plan
		device string
		there  int
		want   string // "" where it is refused
	}{
		{together(3), "cpu", 4, "cpu cpu cpu"}, {together(2), "", 0, "cpu cpu"}, {together(2), "auto", 1, "cpu cpu"},
		{together(2), "auto", 2, "gpu:0 gpu:1"},
		{together(2), "gpu", 4, "gpu:0 gpu:1"}, {together(2), "gpu", 1, ""}, {together(2), "gpu", 0, ""},
		{together(2), "gpu:1", 4, ""}, {together(2), "gpu:3,1", 4, "gpu:3 gpu:1"},
		{together(3), "gpu:0,1", 4, ""}, {together(2), "gpu:0,1,2", 4, ""},
		{together(4), "gpu:all", 4, "gpu:0 gpu:1 gpu:2 gpu:3"}, {together(2), "gpu:all", 0, ""},
		{process(5), "cpu", 4, "cpu"}, {process(5), "", 0, "cpu"}, {process(5), "", 4, "gpu:1"},
		{process(2), "gpu", 4, "gpu:2"}, {process(3), "gpu", 1, "gpu:0"},
		{process(3), "gpu:1", 1, "gpu:1"}, {process(3), "gpu:4,5", 8, "gpu:5"}, {process(3), "gpu:all", 2, "gpu:1"},
		{process(3), "gpu", 0, ""},
	} {
		var d flags.Devices
		if tt.device != "" {
			if err := d.Set(tt.device); err != nil {
				t.Fatal(err)
			}
		}
		got, err := rankDevices(tt.plan, tt.device, &d, gpus(tt.there))
		if strings.Join(got, " ") != tt.want || (err == nil) != (tt.want != "") {
			t.Errorf("%d ranks, process of rank %d, --device %s, %d GPUs: %v, %v; want %s", tt.plan.Ranks, tt.plan.Rank,
				tt.device, tt.there, got, err, tt.want)
		}
	}
	for _, text := range []string{"gpu:", "gpu:0,", "gpu:0,-1", "gpu:a,b", "gpus", "gpu:all,1", "cpu,gpu"} {
		if err := new(flags.Devices).Set(text); err == nil {
			t.Errorf("--device %s is taken", text)
		}
	}
}
