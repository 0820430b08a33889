package stackfile

import (
	"fmt"
	"strings"
	"testing"
)

// gem5Stats are two dumps of 1 and 3 ms, in the names of gem5 25.
const gem5Stats = `
---------- Begin Simulation Statistics ----------
simSeconds                                   0.001000                       # Number of seconds simulated (Second)
simTicks                                   1000000000                       # Number of ticks simulated (Tick)
finalTick                                  1500000000                       # Number of ticks from beginning (Tick)
hostSeconds                                      1.38                       # Real time elapsed on the host (Second)
system.cpu0.numCycles                         1000000                       # Number of cpu cycles simulated (Cycle)
system.cpu0.power_model.dynamicPower             1.25                       # Dynamic power for this power state (Watt)
system.cpu0.power_model.staticPower              0.25                       # Static power for this power state (Watt)
system.cpu0.power_model.pm0.dynamicPower          nan                       # Dynamic power for this object (Watt)
system.l2.power_model.dynamicPower               0.00                       # Dynamic power for this power state (Watt)

---------- End Simulation Statistics   ----------

---------- Begin Simulation Statistics ----------
simSeconds                                   0.003000                       # Number of seconds simulated (Second)
simTicks                                   3000000000                       # Number of ticks simulated (Tick)
finalTick                                  4500000000                       # Number of ticks from beginning (Tick)
system.cpu0.power_model.dynamicPower             2.00                       # Dynamic power for this power state (Watt)
system.cpu0.power_model.staticPower              0.50                       # Static power for this power state (Watt)
system.l2.power_model.dynamicPower               0.75                       # Dynamic power for this power state (Watt)
---------- End Simulation Statistics   ----------
`

// Statistics of gem5 are a trace of the powers of objects, in the names of either version.
func TestGem5Statistics(t *testing.T) {
	old := strings.NewReplacer("simSeconds", "sim_seconds", "simTicks", "sim_ticks", "finalTick", "final_tick",
		"dynamicPower", "dynamic_power", "staticPower", "static_power").Replace(gem5Stats)
	for _, text := range []string{gem5Stats, old} {
		got, err := ReadTraceCSV("stats.txt", []byte(text))
		if want := "[system.cpu0 system.l2] [0 0.001] 0.004 [[1.5 0] [2.5 0.75]]"; err != nil ||
			fmt.Sprint(got.Names, got.Times, got.End, got.Rows) != want {
			t.Errorf("%v, %v, %+v; want %s", err, got, got.Rows, want)
		}
	}
	power := small + "power_at = 'volume'\n[layer.power]\ntrace = 'stats.txt'\nblock = [" +
		"{ name = 'system.cpu0', x = 0, y = 0, width = '1 mm', height = '1 mm' }," +
		"{ name = 'system.l2', x = '1 mm', y = 0, width = '1 mm', height = '1 mm' }]\n"
	p := mustParse(t, files{"stack.toml": power, "stats.txt": gem5Stats}).Layers[0].Powers[0]
	if p.Trace.End != 0.004 || p.Blocks[0].Watts != 2.25 || p.Blocks[1].Watts != 0.5625 {
		t.Errorf("%+v, %+v", p.Trace, p.Blocks)
	}
	for _, c := range []struct{ old, replaced, want string }{
		{"power_model", "powermodel", "stats.txt:1:1: the statistics have no power of an object; run gem5 with"},
		{" 2.00", "  nan", `stats.txt:19:51: power of "system.cpu0" must be a finite number, got "nan"`},
		{" 0.003000", "-0.003000", "stats.txt:16:45: simSeconds must not be negative, got -0.003000"},
		{"simSeconds", "seconds", "stats.txt:13:1: the statistics have no simSeconds above 0"},
		{"3000000000", "4500000000", "stats.txt:22:1: the statistics include those of the dump before; reset"},
		{"system.l2.power_model.dynamicPower               0.75", "",
			"stats.txt:22:1: 2 powers of objects in this dump, 3 in the first"},
		{"system.l2.power_model.dynamicPower               0.00", "",
			`stats.txt:21:1: object "system.l2" has no power in the first dump`},
	} {
		_, err := ReadTraceCSV("stats.txt", []byte(strings.ReplaceAll(gem5Stats, c.old, c.replaced)))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %s", c.replaced, err, c.want)
		}
	}
}
