package multigrid

import "testing"

// WithManyColumns makes levels of any size take the kernels for many columns until the test ends.
func WithManyColumns(t *testing.T) {
	before := fewColumns
	fewColumns = 0
	t.Cleanup(func() { fewColumns = before })
}
