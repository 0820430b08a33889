// Package interpreter runs PTX on the CPU: an implementation of cudriver.Driver for tests on machines without a GPU. It
// executes the text that a GPU's driver would compile. Unlike a GPU, it reports accesses that are out of bounds or
// misaligned, reads of uninitialized memory, data races in shared and global memory, divergent barriers and shuffles,
// and kernels that never end. An opcode it does not know is an error when the module is loaded. Arithmetic is IEEE,
// bit for bit what a GPU gives. See docs/contributing/ptx-interpreter.md.
package interpreter

import "sync"

// Options configure a Machine. The zero value is ready for use.
type Options struct {
	Memory int64 // bytes of the fake device; default 64 GiB. Only what kernels touch is really allocated.
	SMs    int   // multiprocessors, default 4: with a kernel's size this bounds how many blocks are resident at a time
	Seed   int64 // order in which warps and blocks take turns; the same seed gives the same run
	// GridRows is how many blocks a launch may have along y, and along z; default 65,535, as on GPUs. Fewer let small
	// grids show what large ones do.
	GridRows int
	// MaxInstructions is the budget of one launch in warp instructions, default 4e9.
	MaxInstructions int64
	// StallLimit is how many warp instructions may pass in a launch without any memory changing, any barrier completing
	// or any thread finishing, before it is reported as hanging. Default 4e6.
	StallLimit int64
	// Delay leaves a warp without turns now and then, for up to this number of turns of all, like a slow or late block
	// that others wait for.
	Delay int
	// AtOnce does work when it is asked for. Without it, copies, fills, launches and graphs take effect as late as the
	// rules of streams allow: when something waits for them. With a Seed other than 0 some are done earlier, in an
	// order that the streams allow.
	AtOnce  bool
	NoRaces bool // do not look for data races: faster
	// Cache, when not nil, keeps modules decoded for the machines that share it.
	Cache *Cache
}

func (o Options) withDefaults() Options {
	if o.Memory == 0 {
		o.Memory = 64 << 30
	}
	if o.SMs == 0 {
		o.SMs = 4
	}
	if o.GridRows == 0 {
		o.GridRows = 65535
	}
	if o.MaxInstructions == 0 {
		o.MaxInstructions = 4e9
	}
	if o.StallLimit == 0 {
		o.StallLimit = 4e6
	}
	return o
}

// Cache holds decoded modules. Tests that open many machines share one: decoding a large module takes longer than
// running it. It may be used by several goroutines. The zero value is ready for use.
type Cache struct {
	mu      sync.Mutex
	decoded map[string]*decoded
}
