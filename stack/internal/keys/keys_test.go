package keys

import (
	"slices"
	"strings"
	"testing"

	"thermsim/stack/coolant"
)

// The liquids and the limits of the table are those of the packages that use them.
func TestTableAgrees(t *testing.T) {
	limits := func(table, key string) [2]int {
		k, _ := Stack().Spec(table).Key(key)
		return [2]int{k.Min, k.Max}
	}
	for key, want := range map[string][2]int{"grid.nx": {1, MaxAxisCells}, "grid.ny": {1, MaxAxisCells},
		"segment.cells": {1, MaxAxisCells}, "layer.cells": {1, MaxLayerCells},
		"grid.max_cells": {MinAutoCells, MaxAutoCells}} {
		table, name, _ := strings.Cut(key, ".")
		if got := limits(table, name); got != want {
			t.Errorf("%s has the limits %v, the code %v", key, got, want)
		}
	}
	fluid, _ := Stack().Spec("coolant").Key("fluid")
	var names []string
	for _, l := range coolant.Liquids() {
		names = append(names, l.Name)
	}
	if !slices.Equal(fluid.Enum, names) {
		t.Errorf("the table lists the liquids %v, the library %v", fluid.Enum, names)
	}
}
