package interpreter

import (
	"fmt"
	"strings"

	"thermsim/gpusolve/cuda/cudriver"
)

// fault is what a kernel did wrong, with all there is to say about where.
type fault struct {
	code   cudriver.Result
	kernel string
	line   int
	opcode string
	block  [3]uint32
	thread [3]uint32
	what   string
	more   []string // further lines: the other access of a race, what everybody waits for
}

func (f *fault) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "kernel %s, ptx line %d (%s), block (%d,%d,%d), thread (%d,%d,%d): %s", f.kernel, f.line, f.opcode,
		f.block[0], f.block[1], f.block[2], f.thread[0], f.thread[1], f.thread[2], f.what)
	for _, m := range f.more {
		b.WriteString("\n    " + m)
	}
	return b.String()
}

// raise records the first fault of a launch, at the instruction the warp executes.
func (w *warp) raise(code cudriver.Result, lane int, format string, args ...any) {
	if w.run.fault == nil {
		w.run.fault = w.fault(code, lane, int(w.pc), fmt.Sprintf(format, args...))
	}
}

func (w *warp) fault(code cudriver.Result, lane, pc int, what string) *fault {
	in := &w.run.kernel.code[pc]
	return &fault{code: code, kernel: w.run.kernel.name, line: int(in.line), opcode: in.opcode, block: w.block.at,
		thread: w.threadAt(lane), what: what}
}

// location names a thread and an instruction in the second line of a report.
func (w *warp) location(lane, pc int) string {
	in := &w.run.kernel.code[pc]
	t := w.threadAt(lane)
	return fmt.Sprintf("block (%d,%d,%d), thread (%d,%d,%d), ptx line %d (%s)", w.block.at[0], w.block.at[1],
		w.block.at[2], t[0], t[1], t[2], in.line, in.opcode)
}
