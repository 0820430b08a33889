package powergrid_test

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// ngspice runs a deck without its commands with steps of at most h/4, and returns the rows of its table, time first,
// then the voltages of nodes. Its trapezoidal steps end at every corner of a wave.
func ngspice(t *testing.T, elements string, nodes []string, h, stop float64) [][]float64 {
	t.Helper()
	if _, err := exec.LookPath("ngspice"); err != nil {
		t.Skip("ngspice is not installed")
	}
	dir := t.TempDir()
	columns := "v(" + strings.Join(nodes, ") v(") + ")"
	deck := fmt.Sprintf("* title\n%s.options reltol=1e-7 vntol=1e-12 abstol=1e-15\n.tran %g %g 0 %g\n.control\nrun\n"+
		"set wr_singlescale\nset numdgt=12\nwrdata out.txt %s\nquit\n.endc\n.end\n", elements, h, stop, h/4, columns)
	if err := os.WriteFile(filepath.Join(dir, "run.cir"), []byte(deck), 0o644); err != nil {
		t.Fatal(err)
	}
	run := exec.Command("ngspice", "-b", "run.cir")
	run.Dir = dir
	if out, err := run.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	f, err := os.Open(filepath.Join(dir, "out.txt"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var rows [][]float64
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		var row []float64
		for _, word := range strings.Fields(lines.Text()) {
			v, err := strconv.ParseFloat(word, 64)
			if err != nil {
				t.Fatal(err)
			}
			row = append(row, v)
		}
		rows = append(rows, row)
	}
	return rows
}

// between interpolates rows linearly at a time.
func between(rows [][]float64, t float64) []float64 {
	k := 1
	for k < len(rows)-1 && rows[k][0] < t {
		k++
	}
	a, b := rows[k-1], rows[k]
	part := (t - a[0]) / (b[0] - a[0])
	var v []float64
	for c := 1; c < len(a); c++ {
		v = append(v, a[c]+part*(b[c]-a[c]))
	}
	return v
}

// furthest is the largest difference of waveforms from ngspice, in V.
func furthest(w [][]float64, peer [][]float64) (worst float64) {
	for _, row := range w {
		for k, v := range between(peer, row[0]) {
			worst = math.Max(worst, math.Abs(row[1+k]-v))
		}
	}
	return worst
}

// Sources of all forms into resistors are those of ngspice at all times, and a package and a grid with capacitors,
// whose operating point has currents in a tree of inductors, comes to the solution of ngspice with an error that halves
// with the step. Extrapolation to a step of no length removes most of it.
func TestAgainstNgspice(t *testing.T) {
	const stop = 2e-9
	sources := `I1 0 a PULSE(1m 3m 100p 50p 80p 200p 600p)
I2 0 b DC 7m PULSE(0 1m 0 0 0 0.3n)
I3 0 c PWL(200p 1m 300p 2m 1n -1m
+ 1.5n 0)
I4 0 d SIN(1m 2m 1g 300p 1g)
V1 0 s PULSE(-1 1 250p 100p 100p 300p 700p)
Ra a 0 1k
Rb b 0 1k
Rc c 0 1k
Rd d 0 1k
Rs s e 1
Re e 0 1
`
	nodes := []string{"a", "b", "c", "d", "s", "e"}
	run := func(elements string, nodes []string, h float64) [][]float64 {
		return solved(t, fmt.Sprintf("%s.tran %g %g\n.print tran v(%s)\n", elements, h, stop,
			strings.Join(nodes, ") v(")), "").Waveforms
	}
	if off := furthest(run(sources, nodes, 10e-12), ngspice(t, sources, nodes, 10e-12, stop)); off > 2e-4 {
		t.Errorf("sources are %g V off", off)
	}
	const package1 = `V1 p 0 1.8
L1 p q 20p
L2 q r1 10p
L3 q r2 30p
R1 r1 g1 400m
R2 r2 g3 600m
R3 g1 g2 0.5
R4 g2 g3 0.4
R5 g3 0 100
C1 g1 0 20p
C2 g2 0 30p
C3 g3 g1 15p
Rvia g3 g4 0
C4 g4 0 25p
I1 g2 0 PULSE(50m 0.5 200p 200p 200p 300p 2n)
I2 g4 0 PWL(0 0.1 600p 0.1 1n 0.3 1.4n 0.1)
`
	nodes = []string{"q", "g1", "g2", "g4"}
	peer := ngspice(t, package1, nodes, 1e-12, stop)
	coarse, fine := run(package1, nodes, 2e-12), run(package1, nodes, 1e-12)
	first, second := furthest(coarse, peer), furthest(fine, peer)
	for n, row := range coarse {
		for k := 1; k < len(row); k++ {
			row[k] = 2*fine[2*n][k] - row[k]
		}
	}
	third := furthest(coarse, peer)
	t.Logf("off by %.3g, %.3g and %.3g V", first, second, third)
	if ratio := first / second; ratio < 1.8 || ratio > 2.1 || third > second/5 {
		t.Errorf("off by %g, %g and, extrapolated, %g V: not of first order", first, second, third)
	}
	if start := between(peer, 0); math.Abs(fine[0][1]-start[0]) > 1e-9 || math.Abs(fine[0][3]-start[2]) > 1e-9 {
		t.Errorf("operating point %v, ngspice has %v", fine[0], start)
	}
}
