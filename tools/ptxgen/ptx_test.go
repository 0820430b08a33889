package ptxgen

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// examplePTX is in the form that clang writes for the example; the pointer attributes are those of later compilers.
const examplePTX = `.version 6.3
.target sm_70
.visible .entry add(
	.param .u64 add_param_0,
	.param .u32 add_param_1,
	.param .u64 .ptr .global .align 4 add_param_2,
	.param .u64 .ptr .align 1 add_param_3,
	.param .align 4 .f32 add_param_4,
	.param .u64 add_param_5,
	.param .u64 add_param_6
)
.maxntid 256, 1, 1
{
	ret;
}
	// .globl	none
.visible .entry none()
.maxntid 64, 1, 1
{
	ret;
}
`

func TestEntries(t *testing.T) {
	got, err := Entries(examplePTX)
	if err != nil {
		t.Fatal(err)
	}
	want := []Entry{{"add", 256, []string{"u64", "u32", "u64", "u64", "f32", "u64", "u64"}}, {"none", 64, nil}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestAgree(t *testing.T) {
	s, err := ParseSource("example.cu", example)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Agree(examplePTX); err != nil {
		t.Error(err)
	}
	for _, c := range []struct{ name, old, new, want string }{
		{"type", ".align 4 .f32", ".f64", "parameter 5 (scale) is a f64, example.cu has a float"},
		{"width", ".u64 add_param_0", ".u32 add_param_0", "parameter 1 (n) is a u32"},
		{"count", ",\n\t.param .u64 add_param_6", "", "6 parameters, example.cu has 7"},
		{"alignment", ".align 4 .f32", ".align 8 .f32", "not aligned to its size"},
		{"by value", ".u64 add_param_6", ".align 8 .b8 add_param_6[16]", "not a plain number or pointer"},
		{"threads", ".maxntid 64, 1, 1", ".maxntid 32, 1, 1", "blocks of 32 threads, example.cu has 64"},
		{"no bound", ".maxntid 64, 1, 1", "", "blocks of 0 threads"},
		{"name", ".entry none", ".entry other", "kernel none of example.cu is missing"},
		{"extra", ".target sm_70", ".target sm_70\n.visible .entry more()\n{\n}", "entry more is not a KERNEL"},
		{"unresolved", ".target sm_70", ".target sm_70\n.extern .func printf()", "refers to an external symbol"},
	} {
		t.Run(c.name, func(t *testing.T) {
			changed := strings.Replace(examplePTX, c.old, c.new, 1)
			if changed == examplePTX {
				t.Fatal("the case changes nothing")
			}
			if err := s.Agree(changed); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
}
