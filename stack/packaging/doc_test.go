package packaging

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"thermsim/stack/internal/keys"
)

var regen = flag.Bool("regen", false, "write the tables of docs/guides/packages.md anew")

const docFile = "../../docs/guides/packages.md"

// The table of defaults in the documentation is that of the code.
func TestDocumentedDefaults(t *testing.T) {
	page, err := os.ReadFile(docFile)
	if err != nil {
		t.Fatal(err)
	}
	const begin, end = "<!-- defaults -->\n", "<!-- end -->"
	before, rest, ok := strings.Cut(string(page), begin)
	_, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s has no table of defaults", docFile)
	}
	want := before + begin + defaultsTable() + end + after
	if want == string(page) {
		return
	}
	if !*regen {
		t.Fatalf("%s is out of date; run go test ./packaging -regen", docFile)
	}
	if err := os.WriteFile(docFile, []byte(want), 0o644); err != nil {
		t.Fatal(err)
	}
}

func defaultsTable() string {
	var b strings.Builder
	names := kindNames()
	b.WriteString("| part | " + strings.Join(names, " | ") + " |\n|---|" + strings.Repeat("---|", len(names)) + "\n")
	for _, part := range []string{"die", "board", "balls", "substrate", "bumps", "interposer", "microbumps", "attach",
		"mould", "tim1", "lid", "tim2", "tier", "bond"} {
		row := []string{"`" + part + "`"}
		for _, k := range keys.StackKey("package", "kind").Enum {
			row = append(row, describe(Kind(k), part))
		}
		b.WriteString("| " + strings.Join(row, " | ") + " |\n")
	}
	return b.String()
}

func kindNames() []string {
	var names []string
	for _, k := range keys.StackKey("package", "kind").Enum {
		names = append(names, "`"+k+"`")
	}
	return names
}

// describe is a part of a kind in words; "-" where the kind has none.
func describe(k Kind, part string) string {
	p := Defaults(k)
	if with := keys.StackKey("package", part).With; with != nil && !slices.Contains(with, string(k)) {
		return "-"
	}
	switch part {
	case "die":
		return thick(k.DefaultDie()) + " silicon"
	case "board":
		return fmt.Sprintf("%s, %s %s", p.Board.Name, thick(p.Board.Thickness), p.Board.Dielectric)
	case "balls":
		return joints(p.Balls)
	case "bumps":
		return joints(p.Bumps)
	case "microbumps":
		return joints(p.Microbumps)
	case "bond":
		return joints(p.Bond)
	case "substrate":
		return wiring(p.Substrate)
	case "lid":
		return sheet(p.Lid.Sheet) + fmt.Sprintf(", foot %s on %s", thick(p.Lid.Foot), p.Lid.Adhesive)
	case "mould":
		if k == Interposer {
			return p.Mold.Material + ", as high as the dies"
		}
		return sheet(p.Mold)
	}
	return sheet(map[string]Sheet{"interposer": p.Interposer.Sheet, "attach": p.Attach, "tim1": p.TIM1, "tim2": p.TIM2,
		"tier": p.Tier}[part])
}

func thick(x float64) string {
	if x >= mm {
		return fmt.Sprintf("%.4g mm", x/mm)
	}
	return fmt.Sprintf("%.4g um", x/um)
}

func sheet(s Sheet) string {
	if s.Thickness == 0 {
		return s.Material + ", none above"
	}
	return thick(s.Thickness) + " " + s.Material
}

func joints(j Joints) string {
	return fmt.Sprintf("%s high, %s at %s, %s in %s", thick(j.Height), thick(j.Diameter), thick(j.Pitch), j.Solder,
		j.Around)
}

func wiring(w Wiring) string {
	var copper []string
	for i := 0; i < len(w.Copper); {
		n := 1
		for i+n < len(w.Copper) && w.Copper[i+n] == w.Copper[i] {
			n++
		}
		copper = append(copper, fmt.Sprintf("%d x %s at %.3g %%", n, thick(w.Copper[i].Thickness),
			100*w.Copper[i].Coverage))
		i += n
	}
	return fmt.Sprintf("%s %s, copper %s, vias %.3g %%", thick(w.Thickness), w.Dielectric, strings.Join(copper, ", "),
		100*w.Vias)
}
