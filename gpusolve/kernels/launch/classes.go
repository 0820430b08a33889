package launch

import (
	"embed"
	"fmt"
	"slices"

	"thermsim/gpusolve/cudriver"
	"thermsim/gpusolve/kernels/internal/lineclass"
)

// LoadClass is Load with the build for a class of column lengths, one of package kernels' LineClasses.
func LoadClass(d cudriver.Driver, name string, builds embed.FS, class int, kernels ...*Entry) (Module, error) {
	if classes := lineclass.All(); !slices.Contains(classes, class) {
		return Module{}, fmt.Errorf("kernels: no module %s for columns of class %d; the classes are %v", name, class, classes)
	}
	name = fmt.Sprintf("%s_%d", name, class)
	ptx, err := builds.ReadFile("ptx/" + name + ".ptx")
	if err != nil {
		return Module{}, fmt.Errorf("kernels: %w", err)
	}
	return Load(d, name, ptx, kernels...)
}
