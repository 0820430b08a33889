package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// width is the number of cells in a block, in FP32 and in FP64.
const width = 8

// single is eight FP32 values, double as many in FP64.
type (
	single = reg.VecVirtual
	double [2]reg.VecVirtual
)

// block is eight cells of a row, or fewer at its end. There, lanes beyond the end are neither read nor written.
type block struct {
	cell reg.GPVirtual
	mask *masks
}

// masks have all bits set in the lanes of cells that exist.
type masks struct {
	single reg.VecVirtual
	double [2]reg.VecVirtual
}

// row is where a row of values starts: bytes from a pointer on.
type row struct {
	base reg.Register
	disp int
}

func pointer(name string) row { return row{Load(Param(name), GP64()), 0} }

// plus moves a row by a number of elements, with the given number of bytes each.
func (r row) plus(elements reg.GPVirtual, bytes uint8) row {
	at := GP64()
	LEAQ(Mem{Base: r.base, Index: elements, Scale: bytes, Disp: r.disp}, at)
	return row{at, 0}
}

// by moves a row by a fixed number of bytes.
func (r row) by(bytes int) row { return row{r.base, r.disp + bytes} }

func (b block) at(r row, bytes uint8, offset int) Mem {
	return Mem{Base: r.base, Index: b.cell, Scale: bytes, Disp: r.disp + offset}
}

// load reads FP32 values.
func (b block) load(r row) single {
	v := YMM()
	if b.mask == nil {
		VMOVUPS(b.at(r, 4, 0), v)
	} else {
		VMASKMOVPS(b.at(r, 4, 0), b.mask.single, v)
	}
	return v
}

func (b block) store(v single, r row) {
	if b.mask == nil {
		VMOVUPS(v, b.at(r, 4, 0))
	} else {
		VMASKMOVPS(v, b.mask.single, b.at(r, 4, 0))
	}
}

// widen reads FP32 values as FP64.
func (b block) widen(r row) double {
	if b.mask != nil {
		return promote(b.load(r))
	}
	lo, hi := YMM(), YMM()
	VCVTPS2PD(b.at(r, 4, 0), lo)
	VCVTPS2PD(b.at(r, 4, 16), hi)
	return double{lo, hi}
}

func promote(v single) double {
	lo, hi, upper := YMM(), YMM(), XMM()
	VEXTRACTF128(Imm(1), v, upper)
	VCVTPS2PD(v.AsX(), lo)
	VCVTPS2PD(upper, hi)
	return double{lo, hi}
}

// loadDouble reads FP64 values.
func (b block) loadDouble(r row) double {
	var v double
	for h := range v {
		v[h] = YMM()
		if b.mask == nil {
			VMOVUPD(b.at(r, 8, 32*h), v[h])
		} else {
			VMASKMOVPD(b.at(r, 8, 32*h), b.mask.double[h], v[h])
		}
	}
	return v
}

func (b block) storeDouble(v double, r row) {
	for h := range v {
		if b.mask == nil {
			VMOVUPD(v[h], b.at(r, 8, 32*h))
		} else {
			VMASKMOVPD(v[h], b.mask.double[h], b.at(r, 8, 32*h))
		}
	}
}

// narrow rounds to FP32.
func narrow(v double) single {
	lo, hi, both := XMM(), XMM(), YMM()
	VCVTPD2PSY(v[0], lo)
	VCVTPD2PSY(v[1], hi)
	VINSERTF128(Imm(1), hi, lo.AsY(), both)
	return both
}

// forCells emits f for the blocks of a row of n cells and for the remainder at its end.
func forCells(n reg.Register, f func(b block)) {
	cell, whole := GP64(), GP64()
	XORQ(cell, cell)
	MOVQ(n, whole)
	ANDQ(I8(-width), whole)
	JZ(LabelRef("end"))
	Label("blocks")
	f(block{cell: cell})
	ADDQ(Imm(width), cell)
	CMPQ(cell, whole)
	JL(LabelRef("blocks"))
	Label("end")
	left := GP64()
	MOVQ(n, left)
	SUBQ(cell, left)
	JZ(LabelRef("done"))
	f(block{cell, endMasks(left)})
	Label("done")
}

// ones is eight lanes of set bits and eight of zeros. Read from an offset, it is the mask of any number of lanes.
var ones Mem

func declareOnes() {
	ones = GLOBL("ones", NOPTR|RODATA)
	for lane := range 2 * width {
		bits := uint32(0)
		if lane < width {
			bits = ^uint32(0)
		}
		DATA(4*lane, U32(bits))
	}
}

func endMasks(left reg.GPVirtual) *masks {
	from, table := GP64(), GP64()
	MOVQ(I32(width), from)
	SUBQ(left, from)
	LEAQ(ones, table)
	m := &masks{single: YMM(), double: [2]reg.VecVirtual{YMM(), YMM()}}
	VMOVUPS(Mem{Base: table, Index: from, Scale: 4}, m.single)
	VPMOVSXDQ(Mem{Base: table, Index: from, Scale: 4}, m.double[0])
	VPMOVSXDQ(Mem{Base: table, Index: from, Scale: 4, Disp: 16}, m.double[1])
	return m
}

// parameter broadcasts a scalar argument.
func parameter(name string) single {
	x, v := XMM(), YMM()
	Load(Param(name), x)
	VBROADCASTSS(x, v)
	return v
}

func parameterDouble(name string) double {
	x, v := XMM(), YMM()
	Load(Param(name), x)
	VBROADCASTSD(x, v)
	return double{v, v}
}
