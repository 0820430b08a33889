package interpreter_test

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"thermsim/gpusolve/cuda/cudriver"
	"thermsim/gpusolve/testing/interpreter"
)

// form is an instruction to test: its opcode, the types of result and operands, and what it should give. The type
// "pred" is a predicate result.
type form struct {
	opcode string
	to     string
	from   []string
	want   func(x []uint64) uint64
	suffix string // further operands, as text
}

// casesPerForm is how many sets of operands each form is tested with.
const casesPerForm = 32 * 24

func registerOf(typ string) (prefix, decl string) {
	switch bitsOf(typ) {
	case 16:
		return "%h", "b16"
	case 32:
		return "%w", "b32"
	}
	return "%d", "b64"
}

func bitsOf(typ string) int {
	switch typ {
	case "f16", "b16", "u16", "s16":
		return 16
	case "b64", "u64", "s64", "f64":
		return 64
	}
	return 32
}

// source makes a module with one kernel per form: kernel k reads its operands from 8-byte slots of in and writes the
// result to a slot of out.
func source(forms []form) string {
	var b strings.Builder
	b.WriteString(".version 6.3\n.target sm_70\n.address_size 64\n")
	for k, f := range forms {
		fmt.Fprintf(&b, ".visible .entry t%d(.param .u64 in, .param .u64 out) {\n", k)
		b.WriteString(".reg .b16 %h<8>;\n.reg .b32 %w<12>;\n.reg .b64 %d<16>;\n.reg .pred %p<4>;\n")
		b.WriteString("ld.param.u64 %d8, [in];\nld.param.u64 %d9, [out];\nmov.u32 %w8, %tid.x;\nmov.u32 %w9, " +
			"%ctaid.x;\nmov.u32 %w10, %ntid.x;\nmad.lo.s32 %w8, %w9, %w10, %w8;\n")
		fmt.Fprintf(&b, "mul.wide.u32 %%d10, %%w8, %d;\nadd.s64 %%d8, %%d8, %%d10;\nmul.wide.u32 %%d10, %%w8, "+
			"8;\nadd.s64 %%d9, %%d9, %%d10;\n", 8*len(f.from))
		var args []string
		for i, t := range f.from {
			r, decl := registerOf(t)
			fmt.Fprintf(&b, "ld.global.%s %s%d, [%%d8+%d];\n", decl, r, i+1, 8*i)
			args = append(args, fmt.Sprintf("%s%d", r, i+1))
		}
		if f.to == "pred" {
			fmt.Fprintf(&b, "setp.ne.b32 %%p2, %%w8, 0;\n%s %%p1, %s%s;\nselp.u32 %%w0, 1, 0, %%p1;\nst.global.b32 "+
				"[%%d9], %%w0;\nret;\n}\n", f.opcode, strings.Join(args, ", "), f.suffix)
			continue
		}
		r, decl := registerOf(f.to)
		fmt.Fprintf(&b, "%s %s0, %s%s;\nst.global.%s [%%d9], %s0;\nret;\n}\n", f.opcode, r, strings.Join(args, ", "),
			f.suffix, decl, r)
	}
	return b.String()
}

// operands draws values that matter for a type: zeros, ends, ones, subnormals, infinities, NaN, and random ones.
func operands(rng *rand.Rand, typ string) uint64 {
	special := map[string][]uint64{
		"f16": {0, 0x8000, 0x3c00, 0xbc00, 1, 0x3ff, 0x400, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00, 0x3c01, 0x1400},
		"f32": {0, 1 << 31, 0x3f800000, 0xbf800000, 1, 0x7fffff, 0x800000, 0x7f7fffff, 0xff7fffff, 0x7f800000,
			0xff800000, 0x7fc00000,
			0x3f800001, 0x33800000, 0x34000000, 0x4f000000, 0xcf000000, 0x5f800000, 0x3effffff, 0x3f000000, 0x40200000,
			0xffc00000, 0x7f800001, 0xffe00003},
		"f64": {0, 1 << 63, 0x3ff0000000000000, 0xbff0000000000000, 1, 0x10000000000000, 0x7fefffffffffffff,
			0x7ff0000000000000, 0xfff0000000000000,
			0x7ff8000000000000, 0x3ff0000000000001, 0x3ca0000000000000, 0x41e0000000000000, 0xc1e0000000000000,
			0x43f0000000000000,
			0x3fe0000000000000, 0x4004000000000000, 0x3690000000000000, 0x380fffffffffffff, 0x47efffffefffffff,
			0x47effffff0000000,
			0xfff8000000000000, 0x7ff0000000000001, 0xfffc000060000000},
	}
	n := bitsOf(typ)
	if s := special[typ]; s != nil && rng.IntN(3) == 0 {
		return s[rng.IntN(len(s))]
	}
	x := rng.Uint64()
	switch {
	case typ == "f32" && rng.IntN(2) == 0: // magnitudes near one, where rounding is a matter of the last bits
		x = x&0x807fffff | uint64(120+rng.IntN(14))<<23
	case typ == "f64" && rng.IntN(2) == 0:
		x = x&0x800fffffffffffff | uint64(1000+rng.IntN(46))<<52
	case typ == "f16x2":
		return operands(rng, "f16") | operands(rng, "f16")<<16
	case typ[0] != 'f':
		switch rng.IntN(4) {
		case 0:
			return []uint64{0, 1, 1<<n - 1, 1 << (n - 1), 1<<(n-1) - 1, 31, 32, 63, 64}[rng.IntN(9)] & (1<<n - 1)
		case 1:
			x &= 0xff
		}
	}
	return x & (1<<n - 1)
}

// runForms executes all forms on a driver and gives back operands and results.
func runForms(t *testing.T, d cudriver.Driver, forms []form) (in [][]uint64, out [][]uint64) {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(d.Init())
	dev, err := d.DeviceGet(0)
	must(err)
	ctx, err := d.DevicePrimaryCtxRetain(dev)
	must(err)
	must(d.CtxSetCurrent(ctx))
	mod, err := d.ModuleLoadData(append([]byte(source(forms)), 0))
	must(err)
	rng := rand.New(rand.NewPCG(1, 2))
	for k, f := range forms {
		values := make([]uint64, casesPerForm*len(f.from))
		for i := range values {
			values[i] = operands(rng, f.from[i%len(f.from)])
			if (strings.HasPrefix(f.opcode, "div.") || strings.HasPrefix(f.opcode, "rem.")) && f.to[0] != 'f' {
				if i%2 == 1 && values[i] == 0 {
					values[i] = 3 // division by zero is tested elsewhere
				}
			}
		}
		src, err := d.MemAlloc(int64(8 * len(values)))
		must(err)
		dst, err := d.MemAlloc(8 * casesPerForm)
		must(err)
		must(d.MemcpyHtoDAsync(src, unsafe.Pointer(&values[0]), int64(8*len(values)), 0))
		must(d.MemsetD32Async(dst, 0, 2*casesPerForm, 0))
		fn, err := d.ModuleGetFunction(mod, fmt.Sprintf("t%d", k))
		must(err)
		must(d.LaunchKernel(fn, [3]uint32{casesPerForm / 96, 1, 1}, [3]uint32{96, 1, 1}, 0, 0,
			[]unsafe.Pointer{unsafe.Pointer(&src), unsafe.Pointer(&dst)}))
		result := make([]byte, 8*casesPerForm)
		must(d.MemcpyDtoHAsync(unsafe.Pointer(&result[0]), dst, int64(len(result)), 0))
		must(d.CtxSynchronize())
		must(d.MemFree(src))
		must(d.MemFree(dst))
		words := make([]uint64, casesPerForm)
		for i := range words {
			words[i] = binary.LittleEndian.Uint64(result[8*i:])
		}
		in, out = append(in, values), append(out, words)
	}
	must(d.ModuleUnload(mod))
	must(d.DevicePrimaryCtxRelease(dev))
	return in, out
}

func TestOpcodes(t *testing.T) {
	forms := allForms()
	in, out := runForms(t, interpreter.New(interpreter.Options{}), forms)
	for k, f := range forms {
		bad := 0
		for i, got := range out[k] {
			x := in[k][i*len(f.from) : (i+1)*len(f.from)]
			if f.to == "pred" && f.suffix != "" {
				x = append(x[:len(x):len(x)], min(uint64(i), 1))
			}
			if want := f.want(x); got != want && bad < 3 {
				t.Errorf("%s %x: %#x, want %#x", f.opcode, x, got, want)
				bad++
			}
		}
	}
}

// The same forms on a GPU, where there is one: the interpreter gives its bits.
func TestOpcodesAgainstGPU(t *testing.T) {
	d, err := cudriver.Open()
	if err != nil {
		t.Skipf("needs a GPU: %v", err)
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	forms := allForms()
	in, want := runForms(t, d, forms)
	_, got := runForms(t, interpreter.New(interpreter.Options{}), forms)
	for k, f := range forms {
		bad := 0
		for i := range got[k] {
			if f.to == "f64" && isNaN64(got[k][i]) && isNaN64(want[k][i]) {
				continue // payloads are nobody's promise
			}
			if got[k][i] != want[k][i] && bad < 3 {
				t.Errorf("%s %x: %#x, the GPU gives %#x", f.opcode, in[k][i*len(f.from):(i+1)*len(f.from)], got[k][i],
					want[k][i])
				bad++
			}
		}
	}
}

func isNaN64(x uint64) bool { return x&^(1<<63) > 0x7ff0000000000000 }
