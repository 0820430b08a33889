package tree

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// Files of many values are refused before the parser makes something of each: it takes less memory than the file some
// times over.
func TestValuesAreCountedFirst(t *testing.T) {
	for name, value := range map[string]string{"pairs": "[1,2],", "numbers": "1,", "tables": "{},", "keys": "{a=1},"} {
		text := []byte("schema = 1\nx = [" + strings.Repeat(value, 5_000_000/len(value)) + "]")
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, fault := Parse("f.toml", text)
		runtime.ReadMemStats(&after)
		if fault == nil ||
			!strings.Contains(fault.Error(), fmt.Sprintf("more than %d values; put", maxValuesOf(text))) ||
			fault.Pos.Line != 2 {
			t.Errorf("%s: %v", name, fault)
		}
		if took := after.TotalAlloc - before.TotalAlloc; took > 1<<20 {
			t.Errorf("%s: %d bytes were taken", name, took)
		}
	}
}

// What stands in strings and comments is no value, whatever it looks like.
func TestOnlyValuesAreCounted(t *testing.T) {
	const most = 10
	commas := strings.Repeat("a=[1,2.3.4],", most)
	for _, text := range []string{
		"x = \"" + commas + "\\\"" + commas + "\"", "x = '" + commas + "\\'", "x = 1 # " + commas,
		"x = \"\"\"" + commas + "\n\"" + commas + "\"\"\"", "x = '''" + commas + "\n'" + commas + "'''",
		"\"" + commas + "\" = 1", "x = [1.25, 2.5, 3.5]\ny = \"\"\nz = ''\n", "# " + commas,
	} {
		if at := excess([]byte(text), most); at >= 0 {
			t.Errorf("too many values at %d of %s", at, text)
		}
	}
	for _, text := range []string{"x = [" + strings.Repeat("1,", most) + "]", "x" + strings.Repeat(".1", most+1) +
		" = 1", strings.Repeat("a = \"x\" # y\n", most+1), "x = '''\n''' # '''\ny = [" +
		strings.Repeat("\"\\\\\",", most)} {
		if at := excess([]byte(text), most); at < 0 {
			t.Errorf("%s has more than %d values", text, most)
		}
	}
}
