package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
)

// writeRanks writes the tables of docs/ranks-gpu.md, made of the files of -ranks and -slabs.
func writeRanks(w io.Writer, files []string) error {
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
		fmt.Fprintln(w, "| case | cells | rule | ranks | processes | joined by | iterations | set-up | solve | times faster | fields apart |")
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
		fmt.Fprintf(w, "| %s | %.3g M | %s | %d | %d | %s | %d | %.3g ms | %.3g ms | %s | %s |\n", row.Case, float64(row.Cells)/1e6, row.Rule, row.Ranks, row.Processes, by,
			row.Iter, row.SetupMS, row.SolveMS, faster, apart)
	}
	if len(r.Slabs) > 0 {
		fmt.Fprintln(w, "| case | cells | one of | shared levels | an iteration | exchanges | gathers | sent | memory |")
		fmt.Fprintln(w, "|---|---|---|---|---|---|---|---|---|")
	}
	for _, row := range r.Slabs {
		fmt.Fprintf(w, "| %s | %.3g M | %d | %d | %.3g ms | %d | %d | %.3g MB | %.3g GB |\n", row.Case, float64(row.Cells)/1e6, row.Ranks, row.Shared, row.IterationMS, row.Exchanges,
			row.Gathers, row.Megabytes, row.DeviceGB)
	}
	fmt.Fprintln(w)
}
