package asm_test

import (
	"strings"
	"testing"

	"thermsim/gpusolve/testing/interpreter/asm"
)

const text = `
.version 6.3 // comment
.target sm_70, debug
.address_size 64
.extern .shared .align 16 .b8 dynamic[];
.visible .const .align 4 .u32 table[3] = {1, 0x10, -1};
.global .align 8 .f64 one = 0d3FF0000000000000;

.visible .entry k(
	.param .u32 k_param_0,
	.param .align 8 .b8 k_param_1[12],
	.param .u64 .ptr .global .align 4 k_param_2,
	.param .u16 k_param_3
)
.maxntid 128, 2, 1
.minnctapersm 2
{
	.local .align 4 .b8 depot[40];
	.reg .pred %p<2>;
	.reg .b32 %r<3>, %x;
	.reg .b64 %rd<2>;
	/* a block has registers
	   of its own */
	{ .reg .b32 %r1; mov.u32 %r1, %tid.x; }
	ld.param.u32 %r1, [k_param_1+8];
@!%p1	bra $done;
	ld.shared.v2.u32 {%r0, _}, [%rd1+-4];
	shfl.sync.idx.b32 %x|%p0, %r1, -1, 0x1f, -1;
$done:
	.pragma "nounroll";
	ret;
}
`

func TestParse(t *testing.T) {
	m, err := asm.Parse([]byte(text + "\x00 behind the end"))
	if err != nil {
		t.Fatal(err)
	}
	if m.Version != "6.3" || m.Target != "sm_70" || len(m.Variables) != 3 {
		t.Errorf("module is %+v", m)
	}
	if v := m.Variables[0]; !v.Extern || v.Align != 16 || v.Size != 0 || v.Space != asm.Shared {
		t.Errorf("dynamic is %+v", v)
	}
	if v := m.Variables[1]; string(v.Init) != "\x01\x00\x00\x00\x10\x00\x00\x00\xff\xff\xff\xff" ||
		v.Space != asm.Const {
		t.Errorf("table is %+v", v)
	}
	if v := m.Variables[2]; string(v.Init) != "\x00\x00\x00\x00\x00\x00\xf0\x3f" || v.Size != 8 {
		t.Errorf("one is %+v", v)
	}
	e := m.Entry("k")
	// u32 at 0, 12 bytes aligned to 8 at 8, u64 at 24, u16 at 32.
	for i, want := range []int64{0, 8, 24, 32} {
		if p := e.Params[i]; p.Offset != want {
			t.Errorf("parameter %s is at %d, want %d", p.Name, p.Offset, want)
		}
	}
	if e.ParamBytes != 34 || e.MaxThreads != 256 || len(e.Registers) != 7 || e.Predicates != 2 ||
		e.Variables[0].Size != 40 {
		t.Errorf("entry is %+v", e)
	}
	c := e.Code
	if len(c) != 6 {
		t.Fatalf("%d instructions, want 6", len(c))
	}
	if inner, outer := c[0].Args[0].Index, c[1].Args[0].Index; inner == outer || e.Registers[inner].Name != "%r1" ||
		c[0].Args[1].Kind != asm.SpecialOperand {
		t.Errorf("registers %d and %d are not apart", inner, outer)
	}
	if a := c[1].Args[1]; a.Param != &e.Params[1] || a.Offset != 8 || a.Index != -1 {
		t.Errorf("address is %+v", a)
	}
	if c[2].Guard != 1 || c[2].GuardIs || c[2].Args[0].Target != 5 || c[2].Line != 26 {
		t.Errorf("branch is %+v", c[2])
	}
	if v := c[3].Args[0].Vector; len(v) != 2 || v[1].Kind != asm.SinkOperand || c[3].Args[1].Offset != -4 {
		t.Errorf("load is %+v", c[3])
	}
	if a := c[4].Args; a[0].Pair == nil || a[0].Pair.Kind != asm.PredicateOperand || a[2].Bits != ^uint64(0) ||
		a[3].Bits != 31 {
		t.Errorf("shuffle is %+v", c[4])
	}
}

func TestParseErrorsNameTheLine(t *testing.T) {
	for from, to := range map[string]string{
		"%tid.x;":       "%tid.x",
		"[k_param_1+8]": "[k_param_1+8",
		"0x1f":          "0xzz",
		"@!%p1":         "@!%r1",
		".align 16":     ".align 12",
		"{1, 0x10, -1}": "{1, 2, 3, 4}",
		".maxntid":      ".maxwhat",
		"%x|%p0":        "%x|",
		"depot[40]":     "depot[]",
		"dynamic[]":     "dynamic[9][9999999]",
		".b8 k_param":   ".b9 k_param",
		"table[3]":      "table[-3]",
		"[%rd1+-4]":     "[nobody]",
		"of its own */": "of its own",
		`"nounroll"`:    `"nounroll`,
	} {
		_, err := asm.Parse([]byte(strings.Replace(text, from, to, 1)))
		if err == nil || !strings.HasPrefix(err.Error(), "ptx line ") {
			t.Errorf("%q for %q gives %v", to, from, err)
		}
	}
}
