package mcpat

import (
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"thermsim/interop/importer"
	"thermsim/stack"
)

// numbers are the lines of a section: area in mm2, watts at run time, of channels and of gates.
func numbers(indent int, mm2, dynamic, subthreshold, gate float64) string {
	pad := strings.Repeat(" ", indent)
	return fmt.Sprintf("%[1]sArea = %[2]v mm^2\n%[1]sPeak Dynamic = 99 W\n%[1]sSubthreshold Leakage = %[3]v W\n"+
		"%[1]sSubthreshold Leakage with power gating = -nan W\n%[1]sGate Leakage = %[4]v W\n"+
		"%[1]sRuntime Dynamic = %[5]v W\n\n", pad, mm2, subthreshold, gate, dynamic)
}

func kind(heading, device string, mm2, dynamic, subthreshold, gate float64) string {
	return "  " + heading + " \n  Device Type= ITRS " + device + " device type\n" +
		numbers(4, mm2, dynamic, subthreshold, gate)
}

const (
	banner = "McPAT (version 1.3 of Feb, 2015) results (current print level is 1, please increase it):\n" + line +
		"  Technology 45 nm\n  Using Long Channel Devices When Appropriate\n" +
		"  Interconnect metal projection= aggressive interconnect technology projection\n" +
		"  Core clock Rate(MHz) 2000\n\n" + line
	line = "*****************************************************************************************\n"
	hp   = "high performance"
)

// brief is a report of print level 1: 64 mm2, 18 W at run time, 6 W and 1 W of leakage.
var brief = banner + "Processor: \n" + numbers(2, 64, 18, 6, 1) +
	kind("Total Cores: 4 cores", hp, 32, 12, 4, 0.5) +
	kind("Total L3s:", "low standby power", 24, 2, 1.5, 0.25) +
	kind("Total NoCs (Network/Bus):", "low operating power", 8, 4, 0.5, 0.25) + line

// unit is a part of a core.
func unit(heading string, mm2, dynamic, subthreshold, gate float64) string {
	return "      " + heading + ":\n" + numbers(8, mm2, dynamic, subthreshold, gate) +
		"          Branch Predictor:\n" + numbers(12, mm2/2, dynamic, subthreshold, gate)
}

// core is the detail of a core with 2.5 of its area, and half of its power in units.
func core(mm2, dynamic, subthreshold, gate float64) string {
	return "Core:\n" + numbers(6, mm2, dynamic, subthreshold, gate) +
		unit("Instruction Fetch Unit", mm2/4, dynamic/4, subthreshold/4, gate/4) +
		unit("Execution Unit", mm2/4, dynamic/8, subthreshold/8, gate/8) +
		"    L2\n" + numbers(4, mm2/8, dynamic/8, subthreshold/8, gate/8) + line
}

func convert(t *testing.T, text, xml string) (*importer.Result, error) {
	t.Helper()
	files := map[string]string{"mcpat.out": text, "in.xml": xml}
	r := importer.Request{Files: []string{"mcpat.out"}, Open: func(path string) ([]byte, error) {
		if data, ok := files[path]; ok {
			return []byte(data), nil
		}
		return nil, fs.ErrNotExist
	}}
	if xml != "" {
		r.Files = append(r.Files, "in.xml")
	}
	return Format.Import(r)
}

func blocks(t *testing.T, text, xml string) map[string]stack.Block {
	t.Helper()
	r, err := convert(t, text, xml)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]stack.Block{}
	for _, b := range r.Stack.Layers[0].Powers[0].Blocks {
		found[b.Name] = b
	}
	return found
}

func near(got, want float64) bool { return math.Abs(got-want) <= 1e-12*math.Abs(want) }

// Areas and powers are those of the report. Leakage has the temperature of McPAT's input and the slope of the device.
func TestBrief(t *testing.T) {
	all := blocks(t, brief, "<!-- <param name=\"temperature\" value=\"1\"/> -->\n"+
		"<param name=\"temperature\" value=\"360\"/>")
	for name, want := range map[string]struct{ mm2, watts, leakage, beta float64 }{
		"Core0": {8, 3.125, 1, 0.0126}, "Core3": {8, 3.125, 1, 0.0126}, "L3": {24, 2.25, 1.5, 0.039},
		"NoC": {8, 4.25, 0.5, 0.021},
	} {
		b := all[name]
		if !near(b.Area()*1e6, want.mm2) || !near(b.Watts, want.watts) || !near(b.Leakage.Watts, want.leakage) {
			t.Errorf("%s: %g mm2, %g W, %g W of leakage; expected %+v", name, b.Area()*1e6, b.Watts, b.Leakage.Watts,
				want)
		}
		if f := b.Leakage.Factor; f == nil || f.At != 360 || f.Exponent != want.beta {
			t.Errorf("%s: law %+v, expected a slope of %g", name, f, want.beta)
		}
	}
	if len(all) != 6 {
		t.Errorf("%d blocks, expected 6", len(all))
	}
	if b := blocks(t, brief, "")["L3"]; b.Leakage.Factor != nil || !near(b.Watts, 3.75) {
		t.Errorf("without a temperature: %g W and %+v, expected 3.75 W", b.Watts, b.Leakage)
	}
}

// Units of a core are blocks of all cores, with the rest of the core. Cores of their own details differ.
func TestDetails(t *testing.T) {
	all := blocks(t, brief+core(8, 3, 1, 0.125), "")
	for name, want := range map[string][2]float64{"Core2-IFU": {2, 4.125 / 4}, "Core2-EU": {2, 4.125 / 8},
		"Core2-L2": {1, 4.125 / 8}, "Core0-other": {3, 4.125 / 2}, "L3": {24, 3.75}} {
		if b := all[name]; !near(b.Area()*1e6, want[0]) || !near(b.Watts, want[1]) {
			t.Errorf("%s: %g mm2, %g W; expected %v", name, b.Area()*1e6, b.Watts, want)
		}
	}
	for _, unit := range []string{"IFU", "EU", "L2", "other"} {
		a, b := all["Core0-"+unit].Rects[0], all["Core3-"+unit].Rects[0]
		if math.Abs(a.Width-b.Width) > 1e-9*a.Width || math.Abs(a.Height-b.Height) > 1e-9*a.Height {
			t.Errorf("%s: %+v in core 0, %+v in core 3", unit, a, b)
		}
	}
	if len(all) != 4*4+2 {
		t.Errorf("%d blocks, expected 18", len(all))
	}
	all = blocks(t, brief+core(4, 6, 1, 0)+core(12, 2, 1, 0.5)+core(8, 4, 1, 0)+core(8, 0, 1, 0), "")
	if b := all["Core1-L2"]; !near(b.Area()*1e6, 1.5) || !near(b.Watts, 3.5/8) {
		t.Errorf("Core1-L2: %g mm2, %g W; expected 1.5 mm2, 0.4375 W", b.Area()*1e6, b.Watts)
	}
}

// Parts that add up to more are scaled, and the report says so; a part without area gives its power to the others.
func TestScaled(t *testing.T) {
	text := strings.Replace(brief, "Area = 8 mm", "Area = 0 mm", 1)
	r, err := convert(t, strings.Replace(text, "Area = 64 mm", "Area = 28 mm", 1), "")
	if err != nil {
		t.Fatal(err)
	}
	if b := r.Stack.Layers[0].Powers[0].Blocks[0]; b.Name != "Core0" || !near(b.Area()*1e6, 4) {
		t.Errorf("%s has %g mm2, expected 4", b.Name, b.Area()*1e6)
	}
	if w := r.Stack.Watts(); !near(w, 25) {
		t.Errorf("%g W, expected 25", w)
	}
	want := "mcpat.out:9:1: adapted: Area of Processor is 28 mm^2, but that of its parts adds up to 56 mm^2"
	if got := r.Notes[0].String(); !strings.HasPrefix(got, want) {
		t.Errorf("%s\nexpected\n%s", got, want)
	}
}

// Random chips: blocks do not overlap, fill the die, and have its area and power; twice the same.
func TestRandomFloorplans(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var sum amounts
		body, details := "", ""
		for k := range 1 + rng.IntN(6) {
			n := 1 + rng.IntN(40)
			v := amounts{math.Exp(6*rng.Float64() - 3), 10 * rng.Float64(), rng.Float64(), rng.Float64()}
			heading := fmt.Sprintf("Total Kind%d: %d things", k, n)
			if k == 0 {
				heading = fmt.Sprintf("Total Cores: %d cores", n)
				f := 1 / float64(n)
				details = core(f*v[area], f*v[dynamic], f*v[subthreshold], f*v[gate])
			}
			body += kind(heading, hp, v[area], v[dynamic], v[subthreshold], v[gate])
			for q := range sum {
				sum[q] += v[q]
			}
		}
		text := banner + "Processor:\n" + numbers(2, sum[area], sum[dynamic], sum[subthreshold], sum[gate]) + body +
			line + details
		r, err := convert(t, text, "")
		if err != nil {
			t.Fatal(err)
		}
		p := &r.Stack.Layers[0].Powers[0]
		total := 0.0
		for i := range p.Blocks {
			b := &p.Blocks[i]
			total += b.Area()
			f := b.Rects[0]
			if slack := 1e-9 * p.Area.Width; f.X < p.Area.X-slack || f.Y < p.Area.Y-slack ||
				f.X+f.Width > p.Area.X+p.Area.Width+slack || f.Y+f.Height > p.Area.Y+p.Area.Height+slack {
				t.Fatalf("%s %+v leaves the die %+v", b.Name, f, p.Area)
			}
		}
		watts := sum[dynamic] + sum[subthreshold] + sum[gate]
		if math.Abs(total*1e6-sum[area]) > 1e-9*sum[area] || math.Abs(p.Watts()-watts) > 1e-12*watts {
			t.Fatalf("%.17g mm2 and %.17g W, expected %.17g and %.17g", total*1e6, p.Watts(), sum[area], watts)
		}
		box := func(b *stack.Block) stack.Rect { return b.Rects[0] }
		if a, b, found := importer.FirstOverlap(p.Blocks, box); found {
			t.Fatalf("%s %+v overlaps %s %+v", a.Name, a.Rects, b.Name, b.Rects)
		}
		again, _ := convert(t, text, "")
		if fmt.Sprint(again.Stack.Layers) != fmt.Sprint(r.Stack.Layers) {
			t.Fatal("another floorplan of the same report")
		}
	}
}

func TestMalformed(t *testing.T) {
	change := func(from, to string) string {
		if !strings.Contains(brief, from) {
			t.Fatalf("no %q in the report", from)
		}
		return strings.Replace(brief, from, to, 1)
	}
	for _, c := range []struct{ text, xml, want string }{
		{banner, "", `mcpat.out:1: no line "Processor:"; give the text that McPAT prints`},
		{brief + brief, "", "mcpat.out:53:1: a second report begins here; give one report per file"},
		{change("Runtime Dynamic = 12 W", "Runtime Dynamic = -nan W"), "", `mcpat.out:24:23: Runtime Dynamic: got "-nan"; ` +
			"expected a number from 0 to 1e9; check the run time and the counts in McPAT's input"},
		{change("Area = 24 mm^2", "Area = 24 um^2"), "", `mcpat.out:28:5: Area: got "um^2"; expected a number and "mm^2"`},
		{change("Gate Leakage = 0.25 W", ""), "", `mcpat.out:26:3: section "Total L3s" has no line "Gate Leakage"; is the ` +
			"file complete?"},
		{change("Area = 64 mm^2", "Area = 0 mm^2"), "", "mcpat.out:9:1: the area is 0; expected a positive one"},
		{change("4 cores", "9000000000000000000 cores"), "", "mcpat.out:17:3: more than 20000 blocks"},
		{brief + core(8, 3, 1, 0) + core(8, 3, 1, 0), "", `mcpat.out:17:3: section "Total Cores": got 4 instances, but the ` +
			"details of 2; is the file complete?"},
		{"Processor:\n" + numbers(2, 1, 1, 1, 1), "", `mcpat.out:1:1: no section such as "Total Cores"; is the file complete?`},
		{brief, "\n <param name=\"temperature\" value=\"85\"/>", `in.xml:2:35: temperature: got "85"; expected a number ` +
			"from 300 to 400 (K)"},
		{brief, "<xml/>", `in.xml:1: no <param name="temperature" value="...">; give the file that McPAT read with -infile`},
	} {
		if _, err := convert(t, c.text, c.xml); err == nil || err.Error() != c.want {
			t.Errorf("got  %v\nwant %s", err, c.want)
		}
	}
}

// Any text is refused, or makes a stack of the processor's area that can be written and read.
func FuzzReport(f *testing.F) {
	f.Add([]byte(brief), []byte(""))
	f.Add([]byte(brief+core(8, 3, 1, 0.125)), []byte("<param name=\"temperature\" value=\"360\"/>"))
	f.Add([]byte("Processor:\nArea = 1 mm^2\nTotal Cores: 3\n"), []byte("<!-- "))
	f.Fuzz(func(t *testing.T, text, xml []byte) {
		r, err := convert(t, string(text), string(xml))
		if err != nil {
			return
		}
		total := 0.0
		for _, b := range r.Stack.Layers[0].Powers[0].Blocks {
			total += b.Area()
		}
		if want := r.Stack.Layers[0].Powers[0].Area.Area(); math.Abs(total-want) > 1e-9*want {
			t.Errorf("%g m2 of blocks, expected %g", total, want)
		}
		if err := r.WriteStack(new(strings.Builder)); err != nil {
			t.Error(err)
		}
	})
}
