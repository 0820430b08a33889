package stackfile

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"thermsim/stack"
)

const timedBlocks = `schema = 1
size = ["4 mm", "4 mm"]
boundary.top = { h = 1000 }
[[layer]]
name = "die"
material = "silicon"
thickness = "0.1 mm"
power_at = "volume"
block = [
  { name = "core", x = 0, y = 0, width = "1 mm", height = "1 mm", power = 1 },
  { name = "radio", x = "2 mm", y = 0, width = "1 mm", height = "1 mm",
    duty = { period = "10 ms", on = "2 ms", power = 3, idle = 0.5 } },
  { name = "gpu", x = 0, y = "2 mm", width = "1 mm", height = "1 mm",
    schedule = [{ t = 0, power = 2 }, { t = "1 s", power = 0 }, { t = "3 s", power = 6 }] },
  { name = "npu", x = "2 mm", y = "2 mm", width = "1 mm", height = "1 mm", power = 9, period = "2 s",
    schedule = [{ t = 0, power = 4 }, { t = "500 ms", power = 1 }] },
]
`

// Every block with a schedule becomes a source with a trace, and its steady power is the mean unless given:
// by hand 0.2 x 3 + 0.8 x 0.5 W, and (2 x 1 + 0 x 2 + 6 x 2)/5 W.
func TestBlocksInTime(t *testing.T) {
	s := mustParse(t, files{"stack.toml": timedBlocks})
	want := map[string]struct {
		watts float64
		trace *stack.Trace
	}{
		"core":  {1, nil},
		"radio": {1, &stack.Trace{Times: []float64{0, 2e-3}, End: 10e-3, Repeat: true, Watts: [][]float64{{3}, {0.5}}}},
		"gpu":   {2.8, &stack.Trace{Times: []float64{0, 1, 3}, End: 5, Watts: [][]float64{{2}, {0}, {6}}}},
		"npu":   {9, &stack.Trace{Times: []float64{0, 0.5}, End: 2, Repeat: true, Watts: [][]float64{{4}, {1}}}},
	}
	for _, p := range s.Layers[0].Powers {
		b := p.Blocks[0]
		w := want[b.Name]
		if delete(want, b.Name); len(p.Blocks) != 1 || !(w.watts-1e-12 < b.Watts && b.Watts < w.watts+1e-12) {
			t.Errorf("block %s of %d: %g W, want %g", b.Name, len(p.Blocks), b.Watts, w.watts)
		}
		if diff := cmp.Diff(w.trace, p.Trace); diff != "" {
			t.Errorf("block %s (-want +got):\n%s", b.Name, diff)
		}
	}
	if len(want) > 0 {
		t.Errorf("missing: %v", want)
	}
	again, text, err := reload(s)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if diff := cmp.Diff(s, again, sameStack); diff != "" {
		t.Errorf("changed (-before +after):\n%s", diff)
	}
}

func TestBlockTimeFaults(t *testing.T) {
	const npu = "{ t = 0, power = 4 }, { t = \"500 ms\", power = 1 }"
	for name, c := range map[string]struct{ old, new, want string }{
		"always on": {`on = "2 ms"`, `on = "10 ms"`,
			"stack.toml:12:37: a duty cycle must be on for less than its period"},
		"late start": {npu, `{ t = 1, power = 4 }`, "stack.toml:16:23: a schedule must start at 0 s"},
		"descending": {npu, `{ t = 0, power = 4 }, { t = 0, power = 4 }`,
			"stack.toml:16:45: times of a schedule must ascend"},
		"short period": {`period = "2 s"`, `period = "0.5 s"`,
			"stack.toml:15:96: period must exceed the last time of the schedule"},
		"one point": {`{ t = 0, power = 2 }, { t = "1 s", power = 0 }, { t = "3 s", power = 6 }`,
			`{ t = 0, power = 2 }`, "stack.toml:14:16: a schedule of one point is a constant power"},
		"duty and period": {`duty = {`, `period = "1 s", duty = {`,
			"stack.toml:12:28: a block has both duty and period; remove one of them"},
		"period only": {`power = 1 }`, `power = 1, period = "1 s" }`,
			"stack.toml:10:87: period needs a schedule; add schedule, or use duty"},
		"schedule and row": {"block = [", "power = { trace = { times = [0], end = 1, blocks = [\"core\", " +
			"\"radio\", \"gpu\", \"npu\"], watts = [[1, 1, 1, 1]] }, block = [",
			`stack.toml:11:3: block "radio" has its own schedule in addition to a trace; remove one of them`},
	} {
		text := strings.Replace(timedBlocks, c.old, c.new, 1)
		if name == "schedule and row" {
			text = strings.TrimSuffix(text, "\n") + " }\n"
		}
		_, err := Parse("stack.toml", []byte(text), nil)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got\n%v\nwant\n%s", name, err, c.want)
		}
	}
}
