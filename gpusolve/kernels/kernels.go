// Package kernels holds the CUDA kernels of the GPU executor: their sources (*.cu), the PTX that clang makes of them (ptx/, embedded) and one Go
// launcher per kernel, generated from its declaration.
//
// After a change of a source run "make ptx" (needs clang-19) and commit what it wrote.
package kernels

//go:generate go run ./internal/ptxgen/gen

import (
	"embed"
	"fmt"
	"slices"
	"unsafe"

	"thermsim/gpusolve/cu"
	"thermsim/gpusolve/kernels/internal/lineclass"
)

//go:embed ptx/*.ptx
var embedded embed.FS

// AnyLength is the class of columns of every length: slower, and the only one that needs scratch memory.
const AnyLength = lineclass.Any

// LineClasses returns the column lengths that the line kernels are compiled for, in ascending order and AnyLength first. A class takes columns
// up to its length.
func LineClasses() []int { return lineclass.All() }

// LineClass returns the smallest class for columns of nz cells, AnyLength above the greatest.
func LineClass(nz int) int { return lineclass.For(nz) }

// loaded is a module on a device.
type loaded struct {
	driver cu.Driver
	module cu.Module
}

// kernel says where the handle of a kernel goes.
type kernel struct {
	name     string
	function *cu.Function
}

func loadClass(d cu.Driver, name string, class int, kernels ...kernel) (loaded, error) {
	if classes := LineClasses(); !slices.Contains(classes, class) {
		return loaded{}, fmt.Errorf("kernels: no module %s for columns of class %d; the classes are %v", name, class, classes)
	}
	return load(d, fmt.Sprintf("%s_%d", name, class), kernels...)
}

func load(d cu.Driver, name string, kernels ...kernel) (loaded, error) {
	ptx, err := embedded.ReadFile("ptx/" + name + ".ptx")
	if err != nil {
		return loaded{}, fmt.Errorf("kernels: %w", err)
	}
	module, err := d.ModuleLoadData(append(ptx, 0)) // the driver takes a C string
	if err != nil {
		return loaded{}, fmt.Errorf("loading the kernels %s: %w", name, err)
	}
	l := loaded{driver: d, module: module}
	for _, k := range kernels {
		if *k.function, err = d.ModuleGetFunction(module, k.name); err != nil {
			err = fmt.Errorf("finding kernel %s of %s: %w", k.name, name, err)
			if unload := l.Unload(); unload != nil {
				err = fmt.Errorf("%w (and then %w)", err, unload)
			}
			return loaded{}, err
		}
	}
	return l, nil
}

// Unload removes the module from the device. The kernels must have finished, and none may be launched afterwards.
func (l *loaded) Unload() error {
	if err := l.driver.ModuleUnload(l.module); err != nil {
		return fmt.Errorf("unloading kernels: %w", err)
	}
	return nil
}

// launch starts a kernel with blocks of threads in a row. The driver copies the parameters before it returns.
func (l *loaded) launch(name string, f cu.Function, grid [3]uint32, threads uint32, s cu.Stream, params []unsafe.Pointer) error {
	if err := l.driver.LaunchKernel(f, grid, [3]uint32{threads, 1, 1}, 0, s, params); err != nil {
		return fmt.Errorf("launching kernel %s: %w", name, err)
	}
	return nil
}

// staticShared is the shared memory that every launch may take; more has to be asked for.
const staticShared = 48 << 10

// launchDynamic starts a kernel with shared bytes of dynamic shared memory, after raising the kernel's limit where they are more than it was
// allowed so far.
func (l *loaded) launchDynamic(name string, f cu.Function, grid [3]uint32, threads, shared uint32, allowed *uint32, s cu.Stream, params []unsafe.Pointer) error {
	if shared > max(*allowed, staticShared) {
		if err := l.driver.FuncSetAttribute(f, cu.MaxDynamicSharedSizeBytes, int(shared)); err != nil {
			return fmt.Errorf("asking for %d bytes of shared memory for kernel %s: %w", shared, name, err)
		}
		*allowed = shared
	}
	if err := l.driver.LaunchKernel(f, grid, [3]uint32{threads, 1, 1}, shared, s, params); err != nil {
		return fmt.Errorf("launching kernel %s: %w", name, err)
	}
	return nil
}
