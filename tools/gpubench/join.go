package main

import (
	"flag"
	"slices"

	"thermsim/tools/campaign"
)

// join writes the rows of the files in its arguments into one file, whose header is the last one's. Rows of a table, a
// case and a right-hand side replace those of earlier files.
func join(out *output) func() error {
	return func() error {
		var all result[map[string]any]
		for _, path := range flag.Args() {
			var next result[map[string]any]
			if err := campaign.Load(path, &next); err != nil {
				return err
			}
			replaced := func(old map[string]any) bool {
				return slices.ContainsFunc(next.Rows, func(r map[string]any) bool {
					return r["table"] == old["table"] && r["case"] == old["case"] &&
						r["right_side"] == old["right_side"]
				})
			}
			next.Rows = append(slices.DeleteFunc(all.Rows, replaced), next.Rows...)
			if next.Command != "" {
				next.Commands = append(next.Commands, next.Command)
			}
			next.Commands, next.Command = append(all.Commands, next.Commands...), ""
			all = next
		}
		return out.write(all)
	}
}
