package launch

import (
	"embed"
	"fmt"

	"thermsim/gpusolve/cuda/cudriver"
)

// LoadClass is Load with the build for a class, one of those that the generated launcher lists.
func LoadClass(d cudriver.Driver, name string, builds embed.FS, class int, kernels ...*Entry) (Module, error) {
	ptx, err := builds.ReadFile(fmt.Sprintf("ptx/%s_%d.ptx", name, class))
	if err != nil {
		return Module{}, fmt.Errorf("kernels: module %s was not compiled for class %d: %w", name, class, err)
	}
	return Load(d, fmt.Sprintf("%s_%d", name, class), ptx, kernels...)
}
