package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// Products and sums are separate instructions: fused ones would round once, but plain Go rounds twice.

func mul(a, b single) single {
	v := YMM()
	VMULPS(b, a, v)
	return v
}

func add(a, b single) single {
	v := YMM()
	VADDPS(b, a, v)
	return v
}

func sub(a, b single) single {
	v := YMM()
	VSUBPS(b, a, v)
	return v
}

func div(a, b single) single {
	v := YMM()
	VDIVPS(b, a, v)
	return v
}

func mulDouble(a, b double) (v double) {
	for h := range v {
		v[h] = YMM()
		VMULPD(b[h], a[h], v[h])
	}
	return v
}

func addDouble(a, b double) (v double) {
	for h := range v {
		v[h] = YMM()
		VADDPD(b[h], a[h], v[h])
	}
	return v
}

func subDouble(a, b double) (v double) {
	for h := range v {
		v[h] = YMM()
		VSUBPD(b[h], a[h], v[h])
	}
	return v
}

// absDouble clears the sign bits.
func absDouble(a double) (v double) {
	positive := YMM()
	VPCMPEQQ(positive, positive, positive)
	VPSRLQ(Imm(1), positive, positive)
	for h := range v {
		v[h] = YMM()
		VANDPD(positive, a[h], v[h])
	}
	return v
}
