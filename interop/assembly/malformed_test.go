package assembly

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"thermsim/internal/timeline/cputime"
)

// hostile are assemblies that ask for more than they should get; the values are the expected refusals.
func hostile() map[string]struct {
	main, want string
	files      files
} {
	type c = struct {
		main, want string
		files      files
	}
	chiplet := func(text, want string) c {
		return c{"a.chiplet", want, files{"a.chiplet": "format_version: \"1.0\"\nassembly: {name: a}\n" + text}}
	}
	dblox := func(text, want string) c { return c{"a.3dbx", want, files{"a.3dbx": text}} }
	die := "{id: d, type: die_array, anchor: gds_origin, dimensions: {width: 1, height: 1, thickness: 1}, array: "
	var bomb, defs strings.Builder
	bomb.WriteString("a0: &a0 [x, x]\n")
	for i := range 40 {
		fmt.Fprintf(&bomb, "a%d: &a%d [*a%d, *a%d]\n", i+1, i+1, i, i)
	}
	chain, nested := files{}, files{}
	for i := range 200 {
		chain[fmt.Sprintf("%d.3dbx", i)] = fmt.Sprintf("Header: {include: [%d.3dbx]}", i+1)
	}
	chain["a.3dbx"] = "Header: {include: [0.3dbx]}"
	inst := func(of string) string {
		var b strings.Builder
		b.WriteString("ChipletInst:\n")
		for i := range 10 {
			fmt.Fprintf(&b, "  i%d: {reference: %s}\n", i, of)
		}
		b.WriteString("Stack:\n")
		for i := range 10 {
			fmt.Fprintf(&b, "  i%d: {loc: [0, 0], z: 0, orient: R0}\n", i)
		}
		return b.String()
	}
	nested["0.3dbx"] = "Design: {name: \"n0\"}\n"
	for i := 1; i < 9; i++ {
		nested[fmt.Sprintf("%d.3dbx", i)] = fmt.Sprintf("Header: {include: [%d.3dbx]}\nDesign: {name: n%d}\n", i-1, i) +
			inst(fmt.Sprintf("n%d", i-1))
	}
	nested["a.3dbx"] = "Header: {include: [8.3dbx]}\nDesign: {name: top}\n" + inst("n8")
	for i := range 3000 {
		fmt.Fprintf(&defs, "#!define w%d w%d\n", i, i+1)
	}
	return map[string]c{
		"bomb":   chiplet(bomb.String(), "aliases are not supported"),
		"cycle":  chiplet("a: &a [*a]\n", "aliases are not supported"),
		"flow":   chiplet("a: "+strings.Repeat("[", 100_000), "not valid YAML"),
		"closed": chiplet("a: "+strings.Repeat("[", 5000)+strings.Repeat("]", 5000), "nested more than 100 deep"),
		"maps": chiplet("a: "+strings.Repeat("{a: ", 5000)+strings.Repeat("}", 5000),
			"nested more than 100 deep"),
		"block":     chiplet("a:\n"+strings.Repeat("- ", 500_000), "not valid YAML"),
		"indents":   chiplet(indents(1500), "nested more than 100 deep"),
		"large":     chiplet("a: ["+strings.Repeat("1, ", 1<<20)+"1]", "2 MiB"),
		"items":     chiplet("a: ["+strings.Repeat(",", 1<<20)+"]", "not valid YAML"),
		"words":     chiplet("a: ["+strings.Repeat("b,", 1<<19)+"b]", "the assembly has no parts"),
		"keys":      chiplet("a: {"+strings.Repeat("? b\n", 1<<17)+"}", "not valid YAML"),
		"questions": chiplet(strings.Repeat("? ", 500_000), "not valid YAML"),
		"comments":  chiplet(strings.Repeat("#\n", 1<<19), "the assembly has no parts"),
		"text":      chiplet("a: \""+strings.Repeat("\\x41", 1<<18)+"\"", "the assembly has no parts"),
		"tags":      chiplet("a: "+strings.Repeat("!!str ", 1<<17), "not valid YAML"),
		"huge array": chiplet("components: ["+die+"{count: {x: 10000, y: 10000}, pitch: {x: 1, y: 1}}}]",
			"more than 10000 parts"),
		"no count": chiplet("components: ["+die+"{count: {x: -1, y: 1e300}}}]", "expected a number of at most"),
		"nan":      chiplet("components: ["+die+"{count: {x: .nan, y: 1}}}]", "got \".nan\"; expected a number"),
		"inf":      chiplet("components: ["+die+"{count: {x: .inf, y: 1}}}]", "got \".inf\"; expected a number"),
		"null": chiplet("components: [~, ~]\nconnection_stacks: ~\ninterfaces: ~\n",
			"component \"\" of type \"\": expected an id"),
		"include":   {"a.3dbx", "more than 100 files", chain},
		"itself":    dblox("Header: {include: [a.3dbx]}\n", "the file has no Design"),
		"recursion": dblox("Design: {name: a}\n"+inst("a"), "got \"a\"; expected the name of a ChipletDef"),
		"hierarchy": {"a.3dbx", "more than 10000 designs", nested},
		"defines":   dblox(defs.String()+"Design: {name: w0}\n", "#!define: expected a word, at most 100 times"),
		"growth": dblox("#!define a "+strings.Repeat("b", 1<<15)+"\n#!define b "+strings.Repeat("c", 1<<15)+"\nx: a\n",
			"lines of at most 2 MiB"),
		"lines":  dblox("#!define a "+strings.Repeat("b", 1<<15)+"\n"+strings.Repeat("a\n", 1<<14), "more than 2 MiB"),
		"binary": dblox("\x00\x01\x02", "not valid YAML"),
		"empty":  dblox("", "expected a mapping"),
		"list":   dblox("- a\n", "expected a mapping"),
	}
}

// indents is a mapping in a mapping, n deep.
func indents(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat(" ", i) + "a:\n")
	}
	return b.String()
}

// Hostile assemblies are refused within seconds of processor time and bounded memory.
func TestHostile(t *testing.T) {
	for name, c := range hostile() {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		start := cputime.Used()
		_, err := imported(c.main, c.files)
		spent := cputime.Used() - start
		runtime.ReadMemStats(&after)
		used := float64(after.TotalAlloc-before.TotalAlloc) / (1 << 20)
		if testing.Verbose() {
			fmt.Printf("%-10s %6.2f s %7.0f MiB allocated: %.150v\n", name, spent.Seconds(), used, err)
		}
		if err == nil || !strings.Contains(err.Error(), c.want) || spent > 5*time.Second || used > 1500 {
			t.Errorf("%s: %.200v after %v, %.0f MiB; expected %q", name, err, spent, used, c.want)
		}
	}
}
