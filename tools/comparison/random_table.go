package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// writeRandom tells what random projects showed, where that was measured. The document lies in the folder.
func writeRandom(w *bufio.Writer, path, folder string) error {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var r randomResults
	if err := json.Unmarshal(data, &r); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	fmt.Fprintf(w, `### Random projects

%d projects with everything drawn at random that the grid model takes (seeds %d to %d of `+"`go run ./tools/comparison -hotspot PATH`"+`): one to four
layers, grids with cells of any shape, floorplans cut anywhere, some with gaps, materials of blocks in every layer, the topmost too, layers without lateral
heat flow, materials by name, names that layers share, columns of traces in any order, every grid_map_mode, repeated parameters, detailed_3D in the
configuration, where HotSpot does not look for it, transients of 1 to 12 steps from 10 us to 1 s, half of them from an init_file. Every number of the four
files that HotSpot's executable wrote, its formats set to %d decimals, is compared with what thermsim wrote with `+"`--compat --tol %s`"+`.

| projects | run | number | numbers compared | largest difference, K |
|---|---|---|---|---|
`, r.Projects, r.Seed, r.Seed+uint64(r.Projects)-1, r.Decimals, r.Tol)
	for _, g := range r.Groups {
		fmt.Fprintf(w, "| %s | %s | %d | %d | %.1e |\n", g.Kind, g.Run, g.Projects, g.Numbers, g.WorstK)
	}
	link, err := filepath.Rel(folder, path)
	if err != nil {
		link = path
	}
	fmt.Fprintf(w, "\nThe figures are those of [%s](%s).\n\n", filepath.Base(path), filepath.ToSlash(link))
	return nil
}
