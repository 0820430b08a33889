package interpreter_test

import (
	"strings"
	"testing"

	"thermsim/gpusolve/testing/interpreter"
)

// What the interpreter does not know is refused when the module is loaded, with the line and the instruction.
func TestWhatIsUnknownIsRefused(t *testing.T) {
	const head = ".version 6.3\n.target sm_70\n.address_size 64\n"
	body := func(text string) string {
		return head + ".visible .entry k(.param .u64 p)\n{\n.reg .pred %p<3>;\n.reg .b32 %r<4>;\n.reg .b64 " +
			"%rd<4>;\n.reg .f32 %f<4>;\n.shared .align 4 .b8 s[16];\n" + text + "\nret;\n}\n"
	}
	for text, want := range map[string]string{
		body("sin.approx.f32 %f1, %f2;"):                           `ptx line 11: instruction "sin.approx.f32"`,
		body("add.ftz.f32 %f1, %f2, %f3;"):                         `instruction "add.ftz.f32"`,
		body("add.rz.f32 %f1, %f2, %f3;"):                          `instruction "add.rz.f32"`,
		body("div.approx.f32 %f1, %f2, %f3;"):                      `instruction "div.approx.f32"`,
		body("div.full.f32 %f1, %f2, %f3;"):                        `instruction "div.full.f32"`,
		body("sqrt.f32 %f1, %f2;"):                                 `instruction "sqrt.f32"`,
		body("rcp.approx.ftz.f32 %f1, %f2;"):                       `instruction "rcp.approx.ftz.f32"`,
		body("cvt.rzi.ftz.s32.f32 %r1, %f2;"):                      `instruction "cvt.rzi.ftz.s32.f32"`,
		body("cvt.f32.f64 %f1, %rd1;"):                             `instruction "cvt.f32.f64"`,
		body("setp.lt.b32 %p1, %r1, %r2;"):                         `instruction "setp.lt.b32"`,
		body("setp.lt.and.s32 %p1, %r1, %r2;"):                     "takes 4 operands, found 3",
		body("ld.global.v8.f32 %f1, [%rd1];"):                      `instruction "ld.global.v8.f32"`,
		body("ld.shared.nc.f32 %f1, [%rd1];"):                      `instruction "ld.shared.nc.f32"`,
		body("st.const.f32 [%rd1], %f1;"):                          `instruction "st.const.f32"`,
		body("atom.global.add.f16 %r1, [%rd1], %r2;"):              `instruction "atom.global.add.f16"`,
		body("bar.sync 0, 64;"):                                    "with a thread count",
		body("bar.arrive 0;"):                                      `instruction "bar.arrive"`,
		body("shfl.down.b32 %r1, %r2, 1, 31;"):                     "takes 5 operands",
		body("mov.u32 %r1, %clock;"):                               "register %clock is not one the interpreter knows",
		body("call foo, (%r1);"):                                   "expected",
		body("bra nowhere;"):                                       "no label nowhere",
		body("add.s32 %r1, %r2;"):                                  "takes 3 operands, found 2",
		body("add.s32 %r1, %r2, %q3;"):                             "register %q3 is not one the interpreter knows",
		body(".loc 1 2 3;"):                                        `ptx line 11: unknown directive ".loc"`,
		body("{ .reg .b32 %t; } mov.u32 %r1, %t;"):                 "%t",
		head + ".func f() { ret; }":                                "functions (.func) are not supported",
		head + ".tex .u64 t;":                                      `unknown directive ".tex"`,
		head + ".visible .entry k() { .reg .b32 %r<2>;\n":          "has no closing brace",
		head + ".visible .entry k() { .reg .b32 %r<2>; }":          "does not end in ret",
		head + ".visible .entry k() { .reg .b32 %r<2>; L: L: ret;": "label L is defined twice",
		".version 6.3\n.address_size 32\n":                         "only 64 is supported",
		head + ".visible .entry k() { ret; } §":                    "unexpected character",
	} {
		m := interpreter.New(interpreter.Options{})
		if err := m.Init(); err != nil {
			t.Fatal(err)
		}
		if _, err := m.DevicePrimaryCtxRetain(0); err != nil {
			t.Fatal(err)
		}
		_, err := m.ModuleLoadData([]byte(text))
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "ptx line") {
			t.Errorf("error is %v, want %q", err, want)
		}
	}
}

// Whatever the text, loading gives a module or an error.
func FuzzModuleLoadData(f *testing.F) {
	for _, text := range []string{computePTX, faultsPTX} {
		for _, entry := range strings.Split(text, "\t// .globl") {
			f.Add(".version 6.3\n.target sm_70\n.address_size 64\n//" + entry)
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		m := interpreter.New(interpreter.Options{})
		if err := m.Init(); err != nil {
			t.Fatal(err)
		}
		if _, err := m.DevicePrimaryCtxRetain(0); err != nil {
			t.Fatal(err)
		}
		mod, err := m.ModuleLoadData([]byte(text))
		if err != nil {
			return
		}
		if err := m.ModuleUnload(mod); err != nil {
			t.Error(err)
		}
	})
}
