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

// Keys exclude keys of their own table.
func TestExcludedKeysExist(t *testing.T) {
	for _, f := range []*Format{Stack(), Sweep(), Policies()} {
		for _, name := range f.Order {
			for _, k := range f.Spec(name).Keys {
				for _, other := range k.Excludes {
					if _, known := f.Spec(name).Key(other); !known || other == k.Name {
						t.Errorf("%s.%s excludes %s", name, k.Name, other)
					}
				}
			}
		}
	}
}
