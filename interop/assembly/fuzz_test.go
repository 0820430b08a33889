package assembly

import "testing"

// What is accepted is a stack within the limits, whatever the texts.
func fuzz(f *testing.F, main, second string, seeds ...[2]string) {
	for _, s := range seeds {
		f.Add([]byte(s[0]), []byte(s[1]))
	}
	f.Fuzz(func(t *testing.T, a, b []byte) {
		r, err := imported(main, files{main: string(a), second: string(b), "case.toml": chip["case.toml"],
			"d.def": chip["d.def"], "c.lef": chip["c.lef"], "p.rpt": chip["p.rpt"],
			"bump.lef": bonded["a/lef/bump.lef"]})
		if err != nil {
			return
		}
		s := r.Stack
		if !(s.Height() > 0 && s.Size[0] > 0 && s.Size[1] > 0) || len(s.Layers) == 0 {
			t.Errorf("%+v", s)
		}
	})
}

func FuzzDblox(f *testing.F) {
	fuzz(f, "a.3dbx", "lib/pair.3dbv", [2]string{bonded["a/pair.3dbx"], bonded["a/lib/pair.3dbv"]},
		[2]string{"Header: {include: [lib/pair.3dbv]}\nDesign: {name: a}\nChipletInst: {b: {reference: die}}\n" +
			"Stack: {b: {loc: [-500, 20], z: -3, orient: MZ_MX_R90}}\n", chip["a.3dbv"]})
}

func FuzzChiplet(f *testing.F) {
	fuzz(f, "a.chiplet", "parts.toml", [2]string{twoDies, twoDiesParts["parts.toml"]}, [2]string{twoDies,
		chip["parts.toml"]})
}
