// Package launch is what generated launchers have in common: modules of kernels on a device, and kernels with room for
// their arguments.
package launch

import (
	"embed"
	"fmt"
	"reflect"
	"unsafe"

	"thermsim/gpusolve/cuda/cudriver"
)

type Module struct {
	driver cudriver.Driver
	module cudriver.Module
}

// Entry is a kernel of a module without the type of its arguments.
type Entry struct {
	name     string
	driver   cudriver.Driver
	function cudriver.Function
	threads  uint32
	allowed  uint32 // dynamic shared memory in bytes that it has asked for so far
	params   []unsafe.Pointer
}

// Kernel is a kernel that takes the fields of A, in their order. It belongs to one goroutine, as launches share the
// memory of their arguments, and must not be copied.
type Kernel[A any] struct {
	Entry
	Args A // of the next launch
}

// Prepare names the kernel for Load and says how many threads its blocks have.
func (k *Kernel[A]) Prepare(name string, threads uint32) *Entry {
	k.name, k.threads = name, threads
	a := reflect.TypeFor[A]()
	k.params = make([]unsafe.Pointer, a.NumField())
	for i := range k.params {
		k.params[i] = unsafe.Add(unsafe.Pointer(&k.Args), a.Field(i).Offset)
	}
	return &k.Entry
}

// Load compiles PTX for the device and finds its kernels.
func Load(d cudriver.Driver, name string, ptx []byte, kernels ...*Entry) (Module, error) {
	text := append(ptx[:len(ptx):len(ptx)], 0) // the driver takes a C string
	module, err := d.ModuleLoadData(text)
	if err != nil {
		return Module{}, fmt.Errorf("loading the kernels %s: %w", name, err)
	}
	m := Module{driver: d, module: module}
	for _, k := range kernels {
		k.driver = d
		if k.function, err = d.ModuleGetFunction(module, k.name); err != nil {
			err = fmt.Errorf("finding kernel %s of %s: %w", k.name, name, err)
			if unload := m.Unload(); unload != nil {
				err = fmt.Errorf("%w (and then %w)", err, unload)
			}
			return Module{}, err
		}
	}
	return m, nil
}

// Unload removes the module from the device. The kernels must have finished, and none may be launched afterwards.
func (m *Module) Unload() error {
	if err := m.driver.ModuleUnload(m.module); err != nil {
		return fmt.Errorf("unloading kernels: %w", err)
	}
	return nil
}

// Launch starts the kernel with blocks of threads in a row. The driver copies Args before it returns.
func (k *Entry) Launch(s cudriver.Stream, grid [3]uint32) error { return k.start(s, grid, 0) }

// LaunchDynamic starts the kernel with shared bytes of dynamic shared memory. It raises the kernel's limit first where
// they are more than it asked for so far: a block has 48 KiB without asking, and the kernel's static shared memory, of
// which only its PTX knows, is part of them.
func (k *Entry) LaunchDynamic(s cudriver.Stream, grid [3]uint32, shared uint32) error {
	if shared > k.allowed {
		if err := k.driver.FuncSetAttribute(k.function, cudriver.MaxDynamicSharedSizeBytes, int(shared)); err != nil {
			return fmt.Errorf("asking for %d bytes of shared memory for kernel %s: %w", shared, k.name, err)
		}
		k.allowed = shared
	}
	return k.start(s, grid, shared)
}

func (k *Entry) start(s cudriver.Stream, grid [3]uint32, shared uint32) error {
	if err := k.driver.LaunchKernel(k.function, grid, [3]uint32{k.threads, 1, 1}, shared, s, k.params); err != nil {
		return fmt.Errorf("launching kernel %s: %w", k.name, err)
	}
	return nil
}

// LoadClass is Load with the build for a class, one of those that the generated launcher lists.
func LoadClass(d cudriver.Driver, name string, builds embed.FS, class int, kernels ...*Entry) (Module, error) {
	ptx, err := builds.ReadFile(fmt.Sprintf("ptx/%s_%d.ptx", name, class))
	if err != nil {
		return Module{}, fmt.Errorf("kernels: module %s was not compiled for class %d: %w", name, class, err)
	}
	return Load(d, fmt.Sprintf("%s_%d", name, class), ptx, kernels...)
}
