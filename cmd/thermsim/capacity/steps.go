package capacity

import (
	"fmt"
	"slices"
	"strings"

	"thermsim/cmd/thermsim/exit"
	"thermsim/cmd/thermsim/terminal"
	"thermsim/gpusolve/memory"
	"thermsim/mesh"
	"thermsim/report"
	"thermsim/report/saved"
)

// What a transient holds in memory for every step it finished, in bytes at the peak, measured over 200,000 steps (the
// collector's share included).
const (
	stepBytes      = 900  // figures of the step in tables and summary.json
	pageStepBytes  = 200  // its place in the chart of report.html
	savedStepBytes = 600  // its figures in run.zip
	columnCopies   = 150  // a column of trace.csv, where a chart of traces is drawn
	fieldFileBytes = 1500 // the name of a field file, until it and the record of the run are committed
)

// bytesPerStep is what a run keeps of every step. Fields go to files, and the page, the animation and the history bound
// what they keep.
func bytesPerStep(m *mesh.Mesh, kept report.OutputOptions, traces bool) float64 {
	need := float64(stepBytes)
	if kept.Page {
		need += pageStepBytes
	}
	if kept.SaveLast || kept.SaveAll {
		need += savedStepBytes
	}
	if kept.SaveAll {
		need += 1.2 * saved.EntryBytes * float64(m.NZ())
	}
	if traces {
		columns := 3 + len(m.Stack.Probes)
		for _, l := range m.Stack.Layers {
			for _, p := range l.Powers {
				columns += 2 * max(1, len(p.Blocks))
			}
			if len(l.Regions) > 0 {
				columns += 2 * (len(l.Regions) + 1)
			}
		}
		need += columnCopies * float64(columns)
	}
	return need
}

// fieldFiles is how many field files a run of that many steps writes.
func fieldFiles(steps int, kept report.OutputOptions) float64 {
	of := 0.0
	for _, r := range kept.FileSteps {
		of += float64((r.To-r.From)/r.Every + 1)
	}
	each := len(kept.Formats)
	if slices.Contains(kept.Formats, "raw") {
		each++ // a header beside the numbers
	}
	return float64(each) * min(of, float64(steps))
}

// maximaBytes is what the maps of maxima over time hold: a plane of every mapped layer, and two to read the others
// into.
func maximaBytes(m *mesh.Mesh) float64 {
	layers := len(m.Power.Layers) + len(m.Stack.Output.Maps)
	if slices.Contains(m.Stack.Output.Maps, "all") {
		layers = len(m.Stack.Layers)
	}
	return 8 * float64(m.NX()) * float64(m.NY()) * float64(layers+2)
}

// ForSteps refuses a transient of which the memory cannot hold what is kept of its steps beside the solve, a chart
// of the traces among it where one is drawn. Nothing is known where free is 0.
func ForSteps(m *mesh.Mesh, steps int, kept report.OutputOptions, traces bool, free float64) error {
	perStep := bytesPerStep(m, kept, traces) + fieldFileBytes*fieldFiles(steps, kept)/float64(max(1, steps))
	available := free
	if !strings.HasPrefix(m.Stack.Solver.Device, "gpu") {
		available = max(0, free-float64(memory.OfSystem(m, m.Stack.Solver.Preconditioner, true, false).Peak()))
	}
	available = max(0, available-maximaBytes(m))
	need := perStep * float64(steps)
	if free <= 0 || need <= available {
		return nil
	}
	return exit.With(exit.Device,
		fmt.Errorf("storing the results of %d steps needs about %s of memory (%.0f bytes per step), but only %s is "+
			"free; use a longer --dt and --steps %d or fewer",
			steps, terminal.Bytes(need), perStep, terminal.Bytes(available), max(1, int(available/perStep))))
}
