package keys

import (
	"slices"
	"testing"

	"thermsim/stack/coolant"
)

// The liquids of the table are those of the package that uses them.
func TestTableAgrees(t *testing.T) {
	fluid := StackKey("coolant", "fluid")
	var names []string
	for _, l := range coolant.Liquids() {
		names = append(names, l.Name)
	}
	if !slices.Equal(fluid.Enum, names) {
		t.Errorf("the table lists the liquids %v, the library %v", fluid.Enum, names)
	}
}
