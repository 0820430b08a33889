package ecxml

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"thermsim/internal/timeline/cputime"
)

// model is the text of a model with one material and a geometry.
func model(geometry string) string {
	return "<neutralXML><materials>" + plainMaterial("a", 10) + "</materials><geometry>" + geometry +
		"</geometry></neutralXML>"
}

var cube = cuboidText("a", [3]int{}, [3]int{1, 1, 1}, 1e-3)

// Errors have file, line and column.
func TestMalformed(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "m.ecxml:1:1: the file is no ECXML model; give a file whose root element is <neutralXML>"},
		{"<project/>", "is no ECXML model"},
		{"<neutralXML>", "m.ecxml:1:13: not well-formed XML: unexpected EOF"},
		{"<neutralXML></wrong>", "not well-formed XML: element <neutralXML> closed by </wrong>"},
		{"<neutralXML>\n &bomb;</neutralXML>", "m.ecxml:1:13: not well-formed XML: invalid character entity"},
		{"<?xml version=\"1.0\" encoding=\"UTF-16\"?><neutralXML/>", "encoding \"UTF-16\" is not supported"},
		{"<!DOCTYPE x [<!ENTITY a \"b\">]><neutralXML/>", "m.ecxml:1:1: <!DOCTYPE> and other declarations"},
		{"<neutralXML/>", "<neutralXML> has no <geometry>; add <geometry>"},
		{model(""), "the model has no solid; add a <solid3dBlock>"},
		{model("<solid3dBlock/>"), "<solid3dBlock> has no <location>"},
		{strings.Replace(model(cube), "<x>0.001", "<x>1 mm", 1), "<x> of <size>: got \"1 mm\"; expected a number"},
		{strings.Replace(model(cube), "<x>0.001", "<x>-0.001", 1), "<x> of <size>: got -0.001; expected 0 or more"},
		{strings.Replace(model(cube), "<x>0.001", "<x>0", 1), "solid3dBlock \"a\" has no size along x"},
		{strings.Replace(model(cube), "<x>0.001", "<x>1e300", 1), "got \"1e300\"; expected a number"},
		{strings.Replace(model(cube), "<x>0.001", "<x>NaN", 1), "got \"NaN\"; expected a number"},
		{strings.Replace(model(cube), "<material>a</material></s", "<material>b</material></s", 1),
			"m.ecxml:1:358: material \"b\" is not defined; define it in <materials>"},
		{strings.Replace(model(cube), "</name><location>", "</name><active>maybe</active><location>", 1),
			"<active> of <solid3dBlock>: got \"maybe\"; expected true or false"},
		{strings.Replace(model(cube), "isotropic>", "cubic>", 2), "expected isotropic, orthotropic,"},
		{strings.Replace(model(cube), "<conductivity>10", "<conductivity>0", 1), "k must be positive"},
		{model(strings.ReplaceAll(cube, "solid3dBlock", "solidCylinder")), "<solidCylinder> has no <plane>"},
		{model(strings.Replace(strings.ReplaceAll(cube, "solid3dBlock", "enclosure"), "<material>a",
			"<wallThickness>0.0005</wallThickness><material>a", 1)), "<wallThickness> of \"a\": got 0.0005 m"},
		{model(strings.Replace(strings.ReplaceAll(cube, "solid3dBlock", "solidCylinder"), "<material>a",
			"<plane>zz</plane><material>a", 1)), "<plane> of \"a\": got \"zz\"; expected +xy"},
		{model(strings.Replace(cube, "</solid", "<powerDissipation>-1</powerDissipation></solid", 1)), "power"},
	} {
		_, err := imported([]byte(c.text), nil)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.80q...: got %v; expected %q", c.text, err, c.want)
		}
	}
}

// Hostile models are refused within a few seconds of processor time and bounded memory.
func TestHostile(t *testing.T) {
	many := func(n int, at func(i int) ([3]int, [3]int)) string {
		var b strings.Builder
		for i := range n {
			lo, hi := at(i)
			b.WriteString(cuboidText("a", lo, hi, 1e-6))
		}
		return model(b.String())
	}
	stairs := func(i int) ([3]int, [3]int) { return [3]int{i, i, i}, [3]int{i + 1, i + 1, i + 2} }
	plates := func(i int) ([3]int, [3]int) {
		return [3]int{2 * (i % 300), 2 * (i / 300), i % 2 * 9}, [3]int{2*(i%300) + 1, 2*(i/300) + 1, i%2*9 + 1}
	}
	pins := func(i int) ([3]int, [3]int) {
		return [3]int{2 * (i % 100), 2 * (i / 100), 0}, [3]int{2*(i%100) + 1, 2*(i/100) + 1, 5 + i}
	}
	for name, text := range map[string]string{ // the last one is valid
		"nested":    strings.Repeat("<a>", 1_000_000),
		"elements":  "<neutralXML>" + strings.Repeat("<a/>", maxElements),
		"text":      "<neutralXML><name>" + strings.Repeat("x", 1<<24),
		"comments":  "<neutralXML><name>" + strings.Repeat("x<!---->", 1<<20),
		"attribute": "<neutralXML " + strings.Repeat(`a="1" `, 1<<18) + ">",
		"layers":    many(8000, stairs),
		"pins":      many(2000, pins),
		"enclosed":  many(8000, plates),
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		start := cputime.Used()
		_, err := imported([]byte(text), nil)
		spent := cputime.Used() - start
		runtime.ReadMemStats(&after)
		used := float64(after.TotalAlloc-before.TotalAlloc) / (1 << 20)
		if testing.Verbose() {
			fmt.Printf("%-10s %6.2f s %7.0f MiB allocated: %.150v\n", name, spent.Seconds(), used, err)
		}
		if (err == nil) != (name == "enclosed") || spent > 10*time.Second {
			t.Errorf("%s: %v after %v", name, err, spent)
		}
	}
}

// What is read has layers within the limits, whatever the text.
func FuzzModel(f *testing.F) {
	for _, name := range []string{"elements", "package"} {
		data, err := os.ReadFile("testdata/" + name + ".ecxml")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte(model(cube)))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := imported(data, map[string]string{ignoreFlow: "true"})
		if err == nil && !(r.Stack.Height() > 0 && r.Stack.Size[0] > 0 && len(r.Stack.Layers) > 0) {
			t.Errorf("%+v", r.Stack)
		}
	})
}
