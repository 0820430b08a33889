// Package launch loads modules of kernels on a device and launches the kernels with typed arguments.
package launch

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"reflect"
	"strconv"
	"strings"
	"unsafe"

	"thermsim/gpusolve/cuda/cudriver"
)

// Module is what every generated type of a module embeds. The driver compiles each kernel when it is first launched, as
// a module of the driver: a solve uses few kernels of a module, and the compilation of all can take seconds.
type Module struct {
	driver cudriver.Driver
	name   string
	header string            // of the PTX, before its first kernel
	texts  map[string]string // PTX of the kernels by name, with the keywords that begin each
	loaded []cudriver.Module
}

// kernel is a kernel with memory for its arguments, the fields of A in their order.
type kernel[A any] struct {
	entry
	args A // of the next launch
}

// Kernel is a kernel that takes the fields of A. It belongs to one goroutine, as launches share the memory of their
// arguments, and must not be copied.
type Kernel[A any] struct{ kernel[A] }

// DynamicKernel is a Kernel whose launch states its dynamic shared memory.
type DynamicKernel[A any] struct{ kernel[A] }

// entry is a kernel without the type of its arguments.
type entry struct {
	name     string
	module   *Module
	function cudriver.Function // 0 before the first launch
	threads  uint32
	allowed  uint32 // dynamic shared memory in bytes that it has asked for so far
	params   []unsafe.Pointer
}

// Threads is the size of a block.
func (k *entry) Threads() int { return int(k.threads) }

// prepare finds the addresses of the arguments.
func (k *kernel[A]) prepare() *entry {
	a := reflect.TypeFor[A]()
	k.params = make([]unsafe.Pointer, a.NumField())
	for i := range k.params {
		k.params[i] = unsafe.Add(unsafe.Pointer(&k.args), a.Field(i).Offset)
	}
	return &k.entry
}

func (m *Module) base() *Module { return m }

// Load reads the PTX of a module and finds its kernels. M embeds Module and has a field for each kernel, with its name,
// which begins with a small letter in PTX; the tag threads is the size of its blocks.
func Load[M any](d cudriver.Driver, builds embed.FS, name string) (*M, error) {
	ptx, err := builds.ReadFile("ptx/" + name + ".ptx")
	if err != nil {
		return nil, fmt.Errorf("kernels: %w", err)
	}
	m := new(M)
	base := any(m).(interface{ base() *Module }).base()
	*base = Module{driver: d, name: name, texts: map[string]string{}}
	base.split(string(ptx))
	if err := base.find(reflect.ValueOf(m).Elem()); err != nil {
		return nil, fmt.Errorf("%w of %s", err, name)
	}
	return m, nil
}

// split separates the kernels of a module. They share its header only: the PTX has no functions and no variables
// outside kernels.
func (m *Module) split(ptx string) {
	const begin = ".visible .entry "
	parts := strings.Split(ptx, begin)
	m.header = parts[0]
	for _, text := range parts[1:] {
		name, _, _ := strings.Cut(text, "(")
		m.texts[name] = begin + text
	}
}

// LoadClass is Load with the build for a class, one of those that the generated file lists.
func LoadClass[M any](d cudriver.Driver, builds embed.FS, name string, class int) (*M, error) {
	m, err := Load[M](d, builds, fmt.Sprintf("%s_%d", name, class))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("kernels: module %s was not compiled for class %d: %w", name, class, err)
	}
	return m, err
}

// find finds the kernels of a module, which are fields of its type.
func (m *Module) find(of reflect.Value) error {
	for i := range of.NumField() {
		p, ok := of.Field(i).Addr().Interface().(interface{ prepare() *entry })
		if !ok {
			continue
		}
		field := of.Type().Field(i)
		threads, err := strconv.ParseUint(field.Tag.Get("threads"), 10, 32)
		if err != nil {
			return fmt.Errorf("block size of kernel %s: %w", field.Name, err)
		}
		k := p.prepare()
		k.name, k.module, k.threads = strings.ToLower(field.Name[:1])+field.Name[1:], m, uint32(threads)
		if m.texts[k.name] == "" {
			return fmt.Errorf("there is no kernel %s", k.name)
		}
	}
	return nil
}

// Compile has the driver compile the kernel, or take it from the driver's cache, unless it is loaded.
func (k *entry) Compile() error {
	if k.function != 0 {
		return nil
	}
	m := k.module
	module, err := m.driver.ModuleLoadData([]byte(m.header + m.texts[k.name] + "\x00")) // the driver takes a C string
	if err != nil {
		return fmt.Errorf("loading kernel %s of %s: %w", k.name, m.name, err)
	}
	m.loaded = append(m.loaded, module)
	if k.function, err = m.driver.ModuleGetFunction(module, k.name); err != nil {
		return fmt.Errorf("finding kernel %s of %s: %w", k.name, m.name, err)
	}
	return nil
}

// Unload removes the module from the device. The kernels must have finished, and none may be launched afterwards.
func (m *Module) Unload() error {
	var all []error
	for _, module := range m.loaded {
		if err := m.driver.ModuleUnload(module); err != nil {
			all = append(all, fmt.Errorf("unloading kernels: %w", err))
		}
	}
	m.loaded = nil
	return errors.Join(all...)
}

// Launch starts the kernel with blocks of threads in a row. The driver copies the arguments before it returns.
func (k *Kernel[A]) Launch(s cudriver.Stream, grid [3]uint32, args A) error {
	k.args = args
	return k.start(s, grid, 0)
}

// Launch starts the kernel with shared bytes of dynamic shared memory. It raises the kernel's limit first where they
// are more than it asked for so far: a block has 48 KiB without asking, and the kernel's static shared memory, of which
// only its PTX knows, is part of them.
func (k *DynamicKernel[A]) Launch(s cudriver.Stream, grid [3]uint32, shared uint32, args A) error {
	if shared > k.allowed {
		if err := k.Compile(); err != nil {
			return err
		}
		attribute := cudriver.MaxDynamicSharedSizeBytes
		if err := k.module.driver.FuncSetAttribute(k.function, attribute, int(shared)); err != nil {
			return fmt.Errorf("asking for %d bytes of shared memory for kernel %s: %w", shared, k.name, err)
		}
		k.allowed = shared
	}
	k.args = args
	return k.start(s, grid, shared)
}

func (k *entry) start(s cudriver.Stream, grid [3]uint32, shared uint32) error {
	if err := k.Compile(); err != nil {
		return err
	}
	block := [3]uint32{k.threads, 1, 1}
	if err := k.module.driver.LaunchKernel(k.function, grid, block, shared, s, k.params); err != nil {
		return fmt.Errorf("launching kernel %s: %w", k.name, err)
	}
	return nil
}
