package stackfile

import (
	"fmt"

	"thermsim/stack"
	"thermsim/stack/internal/faults"
	"thermsim/stack/internal/keys"
	"thermsim/stack/internal/tree"
)

// series is a PowerTable together with the columns that floorplans have claimed.
type series struct {
	*PowerTable
	claimed []bool
	index   map[string]int
	broken  bool // its faults have been reported
}

// watts fills in the powers of the blocks: steady ones from watts or the blocks themselves, else from the mean of the
// trace.
func (l *loader) watts(t *table, p *stack.Power, given []bool) {
	l.checkWattsKeys(t)
	steady := false
	if n, k := t.get("watts"); n != nil {
		for i, b := range p.Blocks {
			if given[i] {
				l.fail(b.Pos, "remove one of them", "block %q has its own power in addition to watts",
					faults.Shorten(b.Name))
			}
		}
		steady = true
		if n.Kind == tree.String {
			l.ptraceWatts(t, n, p)
		} else {
			l.tableWatts(n, k, p, func(b int, w float64) { p.Blocks[b].Watts = w })
		}
	}
	if t.has("trace") {
		l.trace(t, p)
	}
	if p.Trace == nil {
		return
	}
	p.Trace.Repeat = t.boolean("repeat")
	for b := range p.Blocks {
		if !steady && !given[b] {
			p.Blocks[b].Watts = p.Trace.Mean(b)
		}
	}
}

// checkWattsKeys reports keys that need another one.
func (l *loader) checkWattsKeys(t *table) {
	n, _ := t.get("watts")
	ptrace := n != nil && n.Kind == tree.String
	trace, _ := t.get("trace")
	for _, name := range []string{"row", "interval"} {
		if t.has(name) && !ptrace {
			l.fail(t.pos(name), "remove it", "%s needs watts from a .ptrace file", name)
		}
	}
	if t.has("repeat") && !t.has("interval") && !t.has("trace") {
		l.fail(t.pos("repeat"), "add interval or trace", "repeat needs a time trace")
	}
	if t.has("end") && (trace == nil || trace.Kind != tree.String) {
		l.fail(t.pos("end"), "remove it", "end needs a trace from a CSV file")
	}
}

// tableWatts takes powers from { name = "5 W", ... }.
func (l *loader) tableWatts(n *tree.Node, k *keys.Key, p *stack.Power, set func(block int, watts float64)) {
	if n.Kind != tree.Table {
		l.fail(n.Pos, `write watts = "file.ptrace" or watts = { name = "5 W" }`, "watts must be a file or a "+
			"table, got %s", n.Describe())
		return
	}
	blocks := map[string]int{}
	var names []string
	for i, b := range p.Blocks {
		blocks[b.Name] = i
		names = append(names, b.Name)
		if n.Find(b.Name) == nil {
			l.fail(n.Pos, `give it a power, "0 W" if it has none`, "block %q has no watts", faults.Shorten(b.Name))
		}
	}
	for _, e := range n.Entries {
		b, ok := blocks[e.Name]
		if !ok {
			l.fail(e.Pos, l.suggest(e.Name, these(names)), "no block is called %q", faults.Shorten(e.Name))
			continue
		}
		if w, ok := l.quantity(e.Value, e.Name, k); ok {
			set(b, w)
		}
	}
}

// ptraceWatts takes powers from a .ptrace file, and the trace too if the rows have a duration.
func (l *loader) ptraceWatts(t *table, n *tree.Node, p *stack.Power) {
	s := l.readSeries(n, "watts", ReadPTrace)
	if s == nil {
		return
	}
	rows, ok := l.columns(s, p.Blocks, n)
	if !ok {
		return
	}
	for b, w := range l.steadyRow(t, s, rows) {
		p.Blocks[b].Watts = w
	}
	if !t.has("interval") {
		return
	}
	dt := t.scalar("interval")
	times := make([]float64, len(rows))
	for i := range times {
		times[i] = float64(i) * dt
	}
	p.Trace = &stack.Trace{Times: times, End: float64(len(rows)) * dt, Watts: rows}
}

// steadyRow selects the power values of a steady state. The row of the largest total is that of the whole file, so that
// layers that share a file use the same time.
func (l *loader) steadyRow(t *table, s *series, rows [][]float64) []float64 {
	n, _ := t.get("row")
	switch {
	case n == nil || n.Kind == tree.String && n.Text == "mean":
		mean := make([]float64, len(rows[0]))
		for b := range mean {
			for _, row := range rows {
				mean[b] += row[b]
			}
			mean[b] /= float64(len(rows))
		}
		return mean
	case n.Kind == tree.String && n.Text == "max":
		best, at := -1.0, 0
		for i, row := range s.Rows {
			if total := sum(row); total > best {
				best, at = total, i
			}
		}
		return rows[at]
	case n.Kind == tree.Integer:
		if i, err := parseNumber(n); err == nil && i >= 1 && i <= float64(len(rows)) {
			return rows[int(i)-1]
		}
		l.fail(n.Pos, "", "row must lie between 1 and %d, the rows of %s, got %s", len(rows), s.File, n.Describe())
	default:
		l.fail(n.Pos, `write a row number from 1, "mean" or "max"`, "row cannot be %s", n.Describe())
	}
	return nil
}

func sum(xs []float64) float64 {
	total := 0.0
	for _, x := range xs {
		total += x
	}
	return total
}

// readSeries reads a file of powers once, however many layers share it. It is nil if that fails.
func (l *loader) readSeries(n *tree.Node, key string, read func(string, []byte) (*PowerTable, error)) *series {
	path, ok := l.inputPath(n, key)
	if !ok {
		return nil
	}
	// A file is one or the other kind; one that serves as both is read as each.
	id := key + " " + path
	s := l.series[id]
	if s == nil {
		data, ok := l.read(n, path)
		if !ok {
			return nil
		}
		table, err := read(path, data)
		s = &series{PowerTable: table, broken: err != nil, index: map[string]int{}}
		if err != nil {
			l.addAll(err)
		} else {
			s.claimed = make([]bool, len(table.Names))
			for i, name := range table.Names {
				s.index[name] = i
			}
		}
		l.series[id] = s
	}
	if s.broken {
		return nil
	}
	return s
}

// columns selects the columns of the blocks.
func (l *loader) columns(s *series, blocks []stack.Block, n *tree.Node) ([][]float64, bool) {
	at := make([]int, len(blocks))
	ok := true
	for i, b := range blocks {
		c, found := s.index[b.Name]
		if !found {
			remedy := l.suggest(b.Name, these(s.Names))
			if remedy == "" {
				remedy = fmt.Sprintf("add the column to the file that %s:%d names", n.Pos.File, n.Pos.Line)
			}
			l.fail(b.Pos, remedy, "block %q has no column in %s", faults.Shorten(b.Name), s.File)
			ok = false
			continue
		}
		at[i] = c
		s.claimed[c] = true
	}
	rows := make([][]float64, len(s.Rows))
	for r, row := range s.Rows {
		rows[r] = make([]float64, len(blocks))
		for b, c := range at {
			rows[r][b] = row[c]
		}
	}
	return rows, ok
}

// checkColumns reports columns that no floorplan of the stack uses: their power would be lost.
func (l *loader) checkColumns() {
	var names []string
	for p := range stack.Sources(l.stack.Layers) {
		for i := range p.Blocks {
			names = append(names, p.Blocks[i].Name)
		}
	}
	if len(l.faults.Found) > 0 {
		return // blocks that could not be read would be missed here
	}
	for _, s := range l.series {
		l.unclaimed(s, names, "no block of a floorplan")
	}
}

// unclaimed reports columns without a block.
func (l *loader) unclaimed(s *series, names []string, none string) {
	for c, ok := range s.claimed {
		if !ok {
			l.fail(s.Pos[c], l.suggest(s.Names[c], these(names)), "%s is called %q, so its power would be lost", none,
				faults.Shorten(s.Names[c]))
		}
	}
}

// trace reads a time trace from a CSV file or a table.
func (l *loader) trace(t *table, p *stack.Power) {
	n, k := t.get("trace")
	s := &series{}
	end := 0.0
	if n.Kind == tree.String {
		if s = l.readSeries(n, "trace", ReadTraceCSV); s == nil {
			return
		}
		end = l.traceEnd(t, s.PowerTable, n)
	} else {
		tt, ok := l.decoder.open(n, k.Sub)
		if !ok || !l.inlineTrace(tt, s) {
			return
		}
		end = tt.scalar("end")
		l.checkEnd(tt.pos("end"), s.Times, end)
	}
	rows, ok := l.columns(s, p.Blocks, n)
	if !ok {
		return
	}
	if n.Kind != tree.String {
		l.unclaimed(s, each(p.Blocks, func(b stack.Block) string { return b.Name }), "no block")
	}
	p.Trace = &stack.Trace{Times: s.Times, End: end, Watts: rows}
}

// traceEnd is when the last interval of a CSV trace ends.
func (l *loader) traceEnd(t *table, s *PowerTable, n *tree.Node) float64 {
	times, last := s.Times, len(s.Times)-1
	if t.has("end") {
		end := t.scalar("end")
		l.checkEnd(t.pos("end"), times, end)
		return end
	}
	if s.End > 0 {
		return s.End
	}
	if last == 0 {
		l.fail(n.Pos, `add end = "1 s"`, "the duration of a trace with one row is undefined")
		return 0
	}
	return times[last] + (times[last] - times[last-1])
}

func (l *loader) checkEnd(pos stack.Pos, times []float64, end float64) {
	// An end of 0 has been reported as not positive.
	if last := times[len(times)-1]; end != 0 && end <= last {
		l.fail(pos, "", "end must come after the last time, %v s", last)
	}
}

// inlineTrace fills a series from a table.
func (l *loader) inlineTrace(t *table, s *series) bool {
	names, nodes := t.texts("blocks")
	times, _ := t.get("times")
	watts, _ := t.get("watts")
	if times == nil || watts == nil || !t.has("blocks") {
		return false // reported as missing
	}
	s.PowerTable = &PowerTable{Names: names}
	s.index, s.claimed = map[string]int{}, make([]bool, len(names))
	for i, name := range names {
		if _, twice := s.index[name]; twice {
			l.fail(nodes[i].Pos, "", "block %q is listed twice", faults.Shorten(name))
			return false
		}
		s.index[name] = i
		s.Pos = append(s.Pos, nodes[i].Pos)
	}
	var ok bool
	if s.Times, ok = l.numbers(times, "times"); !ok {
		return false
	}
	for i, x := range s.Times {
		if i == 0 && x != 0 || i > 0 && x <= s.Times[i-1] {
			l.fail(times.Items[i].Pos, "", "times must ascend from 0, got %v", x)
			return false
		}
	}
	if s.Rows, ok = t.numberRows(watts, "watts"); !ok {
		return false
	}
	if len(s.Rows) != len(s.Times) || len(s.Rows[0]) != len(names) {
		l.fail(watts.Pos, "", "watts has %d rows of %d, expected %d times by %d blocks", len(s.Rows), len(s.Rows[0]),
			len(s.Times), len(names))
		return false
	}
	return true
}
