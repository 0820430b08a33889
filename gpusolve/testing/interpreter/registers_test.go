package interpreter

import (
	"testing"

	"thermsim/gpusolve/testing/interpreter/asm"
)

// Registers share a vector if no path has both in use; what a guard or another way round may leave unwritten is
// cleared.
func TestRegistersShareVectors(t *testing.T) {
	module, err := asm.Parse([]byte(`.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 p)
{
	.reg .pred %p<2>;
	.reg .b32 %r<8>;
	mov.u32 %r1, 1;
	setp.eq.u32 %p1, %r1, 1;
	@%p1 mov.u32 %r2, 2;
$again:
	add.s32 %r3, %r1, %r2;
	add.s32 %r4, %r3, %r3;
	setp.lt.u32 %p1, %r4, 9;
	@%p1 bra $again;
	mov.u32 %r5, %tid.x;
	add.s32 %r6, %r5, %r7;
	ret;
}
`))
	if err != nil {
		t.Fatal(err)
	}
	e := module.Entry("k")
	slots, vectors, zeroed := assign(e)
	at := map[string]int{}
	for i, r := range e.Registers {
		at[r.Name] = slots[i]
	}
	if zeroed != 2 || at["%r2"] > 1 || at["%r7"] > 1 || at["%r2"] == at["%r7"] {
		t.Errorf("%d vectors are cleared; %v", zeroed, at)
	}
	if at["%r3"] == at["%r1"] || at["%r4"] == at["%r1"] || at["%r3"] < 2 || at["%r1"] < 2 {
		t.Errorf("what a loop needs again is overwritten: %v", at)
	}
	if vectors != 4 {
		t.Errorf("%d vectors instead of 4: %v", vectors, at)
	}
}
