package interpreter

import "thermsim/gpusolve/testing/interpreter/asm"

// access describes a load, store or atomic operation.
type access struct {
	space    asm.Space
	size     uint64 // of one element
	width    uint64 // of the whole vector
	addr     int    // vector of addresses, -1: only the offset
	offset   uint64
	regs     []int
	signed   bool
	regBits  int
	strong   bool // volatile, relaxed, acquire, release or atomic
	blockly  bool // scope .cta: strong only within the block
	acquire  bool
	release  bool
	readOnly bool // ld.global.nc
	index    int  // of the page it touched last
}
