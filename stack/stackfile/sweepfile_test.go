package stackfile

import "testing"

// A parameter is called by its label, or by the first of its keys.
func TestLabelsOfASweep(t *testing.T) {
	f, err := ParseSweep("sweep.toml",
		[]byte("stack = \"stack.toml\"\n[[vary]]\nkey = \"layer.die.thickness\"\nvalues = [\"1 mm\", \"2 "+
			"mm\"]\n[[vary]]\nlabel = \"h\"\nkey = \"boundary.top.h\"\nvalues = [1, 2]\n"))
	if err != nil {
		t.Fatal(err)
	}
	if f.Vary[0].Label != "layer.die.thickness" || f.Vary[1].Label != "h" {
		t.Errorf("labels %q and %q", f.Vary[0].Label, f.Vary[1].Label)
	}
}
