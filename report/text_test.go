package report

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"thermsim/gpusolve/solution"
	"thermsim/report/printout"
	"thermsim/report/quantity"
	"thermsim/report/samples"
	"thermsim/report/summary"
	"thermsim/stack"
)

func text(t testing.TB, s *summary.Summary, st printout.Style) string {
	t.Helper()
	var b bytes.Buffer
	if err := printout.Write(&b, s, st); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestTextTellsTheVerdictFirst(t *testing.T) {
	r := sampleRun(t, 97, 83)
	s := summarise(t, r)
	lines := strings.Split(text(t, s, printout.Style{Details: true}), "\n")
	peak := fmt.Sprintf("Peak %.2f degC in feol, block core at x 2.835, y 2.265 mm", s.Temperature.MaxK-273.15)
	rise := fmt.Sprintf("%.2f K above the ambient of 26.85 degC: R_th %.3f K/W", s.Temperature.MaxK-300,
		(s.Temperature.MaxK-300)/16)
	if lines[3] != peak || lines[4] != rise {
		t.Errorf("the verdict is\n%s\n%s\nwant\n%s\n%s", lines[3], lines[4], peak, rise)
	}
	for _, want := range []string{"requested 16.00, on the grid 16.00", "top 16.00 (100.0 %)", "imbalance 6.2e-08",
		"9 iterations, converged: tolerance reached"} {
		if !strings.Contains(strings.Join(lines, "\n"), want) {
			t.Errorf("the report lacks %q", want)
		}
	}
}

func TestTextShoutsWhenNotConverged(t *testing.T) {
	r := sampleRun(t, 10, 8)
	r.Solution.Status.Converged, r.Solution.Status.Reason = false, solution.ReasonIterations
	got := text(t, summarise(t, r), printout.Style{Details: true})
	if verdict, _, _ := strings.Cut(got, "Peak"); !strings.Contains(verdict, "NOT CONVERGED: the solve ended by "+
		"iteration limit.") {
		t.Errorf("before the peak:\n%s", verdict)
	}
	if colored := text(t, summarise(t, r), printout.Style{Color: true, Details: true}); !strings.Contains(colored,
		"\x1b[1;31mNOT CONVERGED") {
		t.Error("not in red")
	}
}

// Whatever the names and numbers, no line is wider than the page, and without colour there is no escape.
func TestTextFitsThePage(t *testing.T) {
	st := samples.Stack(30, 24)
	long := strings.Repeat("a_long_name_", 6)
	st.Title = strings.Repeat("title ", 40)
	st.Layers[1].Name = long
	p := &st.Layers[1].Powers[0]
	p.Blocks = nil
	for i := range 60 {
		x, y := float64(i%10)*1e-3, float64(i/10)*1.2e-3
		p.Blocks = append(p.Blocks, stack.Block{Name: fmt.Sprint(long, i), Rects: samples.Rect(x, y, 1e-3, 1.2e-3),
			Watts: 1e-4 * math.Pow(1.3, float64(i))})
	}
	m := samples.Build(t, st)
	r := sampleRun(t, 10, 8)
	r.Mesh, r.Solution.Field = m, samples.Field{Mesh: m, Of: samples.Bumps}
	r.Solution.Energy.ByFace = [6]float64{1.5, 2.5, 3.5, 4.5, -1.5, 5.5}
	r.Solution.Steps = []solution.Step{{Time: 1e-3, MaxK: 320, PowerW: 3, Converged: true}}
	r.Solution.Dt = 1e-3
	s := summarise(t, r)
	for _, width := range []int{80, 100, 132} {
		brief := text(t, s, printout.Style{Width: width})
		got := text(t, s, printout.Style{Width: width, Details: true}) + brief
		for _, l := range strings.Split(got, "\n") {
			if n := utf8.RuneCountInString(l); n > width {
				t.Errorf("%d characters on a page of %d: %s", n, width, l)
			}
		}
		if strings.Contains(got, "\x1b") {
			t.Error("an escape without colour")
		}
		if !strings.Contains(brief, "the 10 hottest; +50 more in blocks.csv") {
			t.Error("no note on the blocks left out")
		}
		if n := strings.Count(brief, "\n"); n > 60 || strings.Count(got, "\n")-n < n+60 {
			t.Errorf("%d lines of %d are brief", n, strings.Count(got, "\n"))
		}
	}
}

func TestNumbersForPeople(t *testing.T) {
	for got, want := range map[string]string{
		quantity.Significant(0.0123456, 3): "0.0123", quantity.Significant(123456, 3): "123456",
		quantity.Significant(1.23e-5, 3): "1.23e-05",
		quantity.Significant(0, 3):       "0", quantity.Significant(math.NaN(), 3): "-",
		quantity.Fixed(-0.001, 2): "0.00",
		quantity.Fixed(-1.5, 1):   "-1.5",
		quantity.Seconds(0.0123):  "12.3 ms", quantity.Seconds(0.5): "500 ms", quantity.Seconds(2.345): "2.35 s",
		quantity.Seconds(4.2e-5): "42.0 us",
		quantity.Seconds(0):      "0 s",
		quantity.Bytes(999):      "999 B", quantity.Bytes(165 << 20): "165 MiB", quantity.Count(2621440): "2,621,440",
		quantity.Count(999): "999",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestPeakMemoryFromProc(t *testing.T) {
	if got, ok := vmHWM("Name:\tx\nVmHWM:\t   1234 kB\nVmRSS: 1 kB\n"); !ok || got != 1234*1024 {
		t.Errorf("%d, %v", got, ok)
	}
	if _, ok := vmHWM("Name:\tx\n"); ok {
		t.Error("found a line that is not there")
	}
}

// Shares of what leaves and of what enters, each at most all of it, also where they nearly cancel.
func TestSharesOfHeat(t *testing.T) {
	for _, c := range []struct {
		energy summary.Energy
		want   string
	}{
		{summary.Energy{InW: 16, OutW: 16, ByFaceW: summary.Face{Top: 12, West: 4}},
			"top 12.00 (75.0 %), west 4.00 (25.0 %)"},
		{summary.Energy{OutW: 0.0014, ByFaceW: summary.Face{Bottom: -0.0586, Top: 0.06}},
			"bottom -0.06 (100.0 % of what enters), top 0.06 (100.0 % of what leaves)"},
		{summary.Energy{InW: 6, OutW: 6, ByFaceW: summary.Face{Bottom: -2, Top: 7, East: 1}},
			"bottom -2.00 (25.0 % of what enters), top 7.00 (87.5 % of what leaves), east 1.00 (12.5 % of " +
				"what leaves)"},
		{summary.Energy{OutW: -3, StoredW: 3, ByFaceW: summary.Face{South: -3}},
			"south -3.00 (100.0 % of what enters)"},
		{summary.Energy{}, "no heat passes any of them"},
	} {
		if got := strings.Join(summary.FacesText(&c.energy, 2), ", "); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
