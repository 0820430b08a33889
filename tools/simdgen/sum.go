package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// sum is one FP64 sum per lane.
type sum struct{ lanes double }

func newSum() *sum {
	s := &sum{double{YMM(), YMM()}}
	for _, v := range s.lanes {
		VXORPD(v, v, v)
	}
	return s
}

func (s *sum) add(v double) {
	for h, lanes := range s.lanes {
		VADDPD(v[h], lanes, lanes)
	}
}

// value adds the lanes: 0 and 4, 1 and 5, ..., then the first two of these sums to the last two, then both.
func (s *sum) value() reg.VecVirtual {
	all, upper, swapped := YMM(), XMM(), XMM()
	VADDPD(s.lanes[1], s.lanes[0], all)
	VEXTRACTF128(Imm(1), all, upper)
	VADDPD(upper, all.AsX(), upper)
	VPERMILPD(Imm(1), upper, swapped)
	VADDSD(swapped, upper, upper)
	return upper
}

// largest of eight FP32 values.
func largest(v single) reg.VecVirtual {
	upper, other := XMM(), XMM()
	VEXTRACTF128(Imm(1), v, upper)
	VMAXPS(upper, v.AsX(), upper)
	VPERMILPS(Imm(0x4e), upper, other)
	VMAXPS(other, upper, upper)
	VPERMILPS(Imm(0xb1), upper, other)
	VMAXPS(other, upper, upper)
	return upper
}
