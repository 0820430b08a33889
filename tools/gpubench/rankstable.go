package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
)

// What stands between these lines of the page is made here.
const ranksBegin, ranksEnd = "<!-- made by gpubench -ranks-table -->\n", "<!-- end -->\n"

// writeRanks writes the tables of docs/explanation/ranks-gpu.md, made of the files of -ranks and -slabs.
func writeRanks(w io.Writer, files []string) error {
	fmt.Fprint(w, ranksBegin)
	defer fmt.Fprint(w, ranksEnd)
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		var r rankResult
		if err := json.Unmarshal(data, &r); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		r.table(w)
	}
	return nil
}

func (r *rankResult) table(w io.Writer) {
	fmt.Fprintf(w, "%s, driver %s, measured on %s at commit %s.\n\n", r.GPU, r.Driver, r.Date, r.Commit)
	if len(r.Ranks) > 0 {
		fmt.Fprintln(w, "| case | cells | rule | ranks | processes | joined by | iterations | set-up | solve | times "+
			"faster | fields apart |")
		fmt.Fprintln(w, "|---|---|---|---|---|---|---|---|---|---|---|")
	}
	for _, row := range r.Ranks {
		faster, apart, by := "", "", row.Transport
		if row.Speedup > 0 && row.Ranks > 1 {
			faster = fmt.Sprintf("%.2f", row.Speedup)
		}
		if row.Apart != nil {
			apart = fmt.Sprintf("%.1e K", *row.Apart)
		}
		fmt.Fprintf(w, "| %s | %.0f M | %s | %d | %d | %s | %d | %.3g ms | %.3g ms | %s | %s |\n", row.Case,
			float64(row.Cells)/1e6, strings.ReplaceAll(row.Rule, "|", `\|`), row.Ranks, row.Processes, by,
			row.Iter, row.SetupMS, row.SolveMS, faster, apart)
	}
	if len(r.Transfers) > 0 {
		fmt.Fprintf(w, "\n| columns along x | what | time |\n|---|---|---|\n")
	}
	for _, t := range r.Transfers {
		fmt.Fprintf(w, "| %d | %s | %.1f us |\n", t.Columns, t.What, t.US)
	}
	if len(r.Slabs) > 0 {
		fmt.Fprintln(w)
		fmt.Fprintln(w, "| case | cells | one of | shared levels | an iteration | exchanges | gathers | "+
			"sent | memory |")
		fmt.Fprintln(w, "|---|---|---|---|---|---|---|---|---|")
	}
	for _, row := range r.Slabs {
		fmt.Fprintf(w, "| %s | %.3g M | %d | %d | %.3g ms | %d | %d | %.3g MB | %.3g GB |\n", row.Case,
			float64(row.Cells)/1e6, row.Ranks, row.Shared, row.IterationMS, row.Exchanges,
			row.Gathers, row.Megabytes, row.DeviceGB)
	}
	fmt.Fprintln(w)
}
