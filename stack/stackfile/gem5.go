package stackfile

import (
	"fmt"
	"regexp"

	"thermsim/stack"
	"thermsim/stack/internal/faults"
)

// gem5Power is the name of a power of an object in gem5's statistics, since version 21.1 and before.
var gem5Power = regexp.MustCompile(`^(.+)\.power_model\d*\.(?:dynamic|static)(?:Power|_power)$`)

// gem5Reader reads gem5's statistics (stats.txt), dump by dump. Each is an interval of a time trace. The columns are
// the objects with a power model, such as "system.cpu0", and their power is the dynamic and the static one.
type gem5Reader struct {
	*fileReader
	table   *PowerTable
	columns map[string]int
	last    float64 // tick at the end of the dump before

	row                     []float64
	values, first           int // numbers of values in this dump and in the first one
	seconds, ticks, endTick float64
}

func (r *fileReader) readGem5(t *PowerTable, data []byte) {
	g := &gem5Reader{fileReader: r, table: t, columns: map[string]int{}}
	r.words(data, func(line int, w []field) bool {
		switch {
		case len(w) == 1:
		case w[0].text == "----------" && w[1].text == "End":
			g.end(line)
		default:
			g.statistic(line, w)
		}
		return len(r.faults.Found) < faults.Most
	})
	if len(r.faults.Found) == 0 && (len(t.Names) == 0 || len(t.Rows) == 0) {
		r.fail(1, 1, "run gem5 with a power_model for each object", "the statistics have no power of an object")
	}
}

// statistic reads a line of a dump.
func (g *gem5Reader) statistic(line int, w []field) {
	name := w[0].text
	for known, into := range map[string]*float64{"simSeconds": &g.seconds, "sim_seconds": &g.seconds,
		"simTicks": &g.ticks, "sim_ticks": &g.ticks, "finalTick": &g.endTick, "final_tick": &g.endTick} {
		if name == known {
			*into, _ = g.watts(line, w[1], name)
		}
	}
	m := gem5Power.FindStringSubmatch(name)
	if m == nil {
		return
	}
	column, known := g.columns[m[1]]
	switch {
	case !known && len(g.table.Rows) > 0:
		g.fail(line, w[0].col, "", "object %q has no power in the first dump", faults.Shorten(m[1]))
		return
	case !known:
		column = len(g.columns)
		g.columns[m[1]] = column
		g.table.Names = append(g.table.Names, m[1])
		g.table.Pos = append(g.table.Pos, stack.Pos{File: g.file, Line: line, Col: w[0].col})
		g.row = append(g.row, 0)
	case g.row == nil:
		g.row = make([]float64, len(g.columns))
	}
	if x, ok := g.watts(line, w[1], fmt.Sprintf("power of %q", faults.Shorten(m[1]))); ok {
		g.row[column] += x
		g.values++
	}
}

// end adds the row of a dump, whose statistics must begin after the dump before.
func (g *gem5Reader) end(line int) {
	switch {
	case len(g.faults.Found) > 0:
	case !(g.seconds > 0):
		g.fail(line, 1, "", "the statistics have no simSeconds above 0")
	case g.endTick-g.ticks < g.last:
		g.fail(line, 1, "reset the statistics at each dump, as m5.stats.reset() does",
			"the statistics include those of the dump before")
	}
	t := g.table
	if len(t.Rows) == 0 {
		g.first = g.values
	} else if g.values != g.first && len(g.faults.Found) == 0 {
		g.fail(line, 1, "", "%d powers of objects in this dump, %d in the first", g.values, g.first)
	}
	t.Times, t.Rows, t.End = append(t.Times, t.End), append(t.Rows, g.row), t.End+g.seconds
	*g = gem5Reader{fileReader: g.fileReader, table: t, columns: g.columns, last: g.endTick, first: g.first}
}
