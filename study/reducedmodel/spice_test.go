package reducedmodel_test

import (
	"bufio"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"thermsim/study/reducedmodel"
)

// ngspice runs a deck in a folder and returns the rows of its table, time first.
func ngspice(t *testing.T, m *reducedmodel.Model, d reducedmodel.Deck) [][]float64 {
	t.Helper()
	if _, err := exec.LookPath("ngspice"); err != nil {
		t.Skip("ngspice is not installed: the netlists are not run")
	}
	dir := t.TempDir()
	for name, write := range map[string]func(io.Writer) error{
		d.Netlist: m.WriteSPICE,
		"run.cir": func(w io.Writer) error { return m.WriteDeck(w, d) },
	} {
		f, err := os.Create(filepath.Join(dir, name))
		if err == nil {
			err = write(f)
		}
		if err == nil {
			err = f.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	run := exec.Command("ngspice", "-b", "run.cir")
	run.Dir = dir
	if out, err := run.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	f, err := os.Open(filepath.Join(dir, d.Table))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var rows [][]float64
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var row []float64
		for _, word := range strings.Fields(lines.Text()) {
			if v, err := strconv.ParseFloat(word, 64); err == nil {
				row = append(row, v)
			}
		}
		if len(row) == 1+len(m.Outputs) {
			rows = append(rows, row)
		}
	}
	return rows
}

// ngspice comes to the temperatures of the exact steps to 1 mK at the end of every step of a random trace, from the
// model's start and with outputs that rest elsewhere than the ambient.
func TestNgspiceAgrees(t *testing.T) {
	for _, warm := range []bool{false, true} {
		m := random(9, 30, 5, 2)
		if !warm {
			m.Start = nil
		}
		d := reducedmodel.Deck{Netlist: "model.cir", Table: "run.txt", Dt: 0.01}
		for n := range 12 {
			var watts []float64
			for i := range m.Inputs {
				watts = append(watts, float64((7*n/3+5*i)%4))
			}
			d.Watts = append(d.Watts, watts)
		}
		rows := ngspice(t, m, d)
		run, err := reducedmodel.NewStepper(m)
		if err != nil {
			t.Fatal(err)
		}
		want, at, worst := make([]float64, len(m.Outputs)), 0, 0.0
		for n, watts := range d.Watts {
			if err := run.Step(d.Dt, watts); err != nil {
				t.Fatal(err)
			}
			run.Temperatures(want)
			end := float64(n+1) * d.Dt
			for at < len(rows)-1 && rows[at][0] < end*(1-1e-9) {
				at++
			}
			if math.Abs(rows[at][0]-end) > 1e-7*end {
				t.Fatalf("no row at %g s, the next is at %g s", end, rows[at][0])
			}
			for o := range want {
				worst = math.Max(worst, math.Abs(rows[at][1+o]-want[o]))
			}
		}
		if worst > 1e-3 {
			t.Errorf("warm %v: %g K off", warm, worst)
		}
		t.Logf("%.2g K off", worst)
	}
}

func TestPinsAreUnique(t *testing.T) {
	m := random(10, 3, 3, 1)
	m.Outputs[0].Name, m.Outputs[1].Name, m.Outputs[2].Name = "die/A+B", "die/a-b", "die/a b"
	seen := map[string]bool{}
	for _, p := range m.Pins() {
		if seen[p] || strings.ContainsAny(p, " /+-") {
			t.Errorf("pin %q", p)
		}
		seen[p] = true
	}
}
