package spelling

import "testing"

func TestHint(t *testing.T) {
	names := []string{"multigrid", "fourier", "ic"}
	for name, want := range map[string]string{"multgrid": `; did you mean "multigrid"?`, "ci": "", "ia": `; did you mean "ic"?`,
		"pressure": "", "": ""} {
		if got := Hint(name, names); got != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
}
