package bench

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"thermsim/gpusolve/device"
	"thermsim/internal/nullable"
	"thermsim/stack"
)

var (
	peersFile   = flag.String("peers", "", "run HotSpot and 3D-ICE on Table II and write `FILE` for bench --external")
	peersCases  = flag.String("peers-cases", "sparc,ev6,9core", "`LIST` of stacks")
	peersGrids  = flag.String("peers-grids", "128,256", "`LIST` of cells per side")
	hotspotPath = flag.String("hotspot", "", "`PROGRAM`: hotspot, built with SUPERLU=1, changed to print 6 decimals")
	threedice   = flag.String("threedice", "", "`PROGRAM`: 3D-ICE-Emulator")
)

// peersSide is the number of cells per side of the reference.
const peersSide = 1024

// peer is another simulator: it writes the input files of a stack on n x n cells and names the file with the
// temperatures, one value per cell, layers from the bottom, rows from the south.
type peer struct {
	program, version, settings, rule string
	path                             *string
	write                            func(s *stack.Stack, n int) (files map[string]string, arguments []string)
	read                             func(dir string, s *stack.Stack, n int) ([][]float64, error)
}

func peers() []peer {
	return []peer{
		{"HotSpot", "7.0", "grid model, detailed_3D off, all layers in the layer file, SuperLU 5.3, " +
			"6 decimals printed; source f18831e", "rounding errors", hotspotPath, hotspotFiles, hotspotRead},
		{"3D-ICE", "4.0", "steady, SuperLU_MT 4.0, 4 threads; source 39ed2a7", "rounding errors", threedice,
			threediceFiles, threediceRead},
	}
}

// Other simulators on the floorplans of Table II, against the reference of the table. The errors are those of their
// whole calculation: HotSpot and 3D-ICE are started with files, and print temperatures.
func TestPeersOfTableII(t *testing.T) {
	if *peersFile == "" {
		t.Skip("needs -peers, HotSpot and 3D-ICE")
	}
	var grids [][2]int
	for text := range strings.SplitSeq(*peersGrids, ",") {
		n, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal(err)
		}
		grids = append(grids, [2]int{n, n})
	}
	b := &Bench{Options: Options{MaxCells: gpuCells}, dev: processor(t)}
	var rows []map[string]any
	for name := range strings.SplitSeq(*peersCases, ",") {
		largest := grids[len(grids)-1]
		fine, err := b.solveFine(t.Context(), name, largest, peersSide/largest[0], grids)
		if err != nil {
			t.Fatal(err)
		}
		for i, grid := range grids {
			for _, p := range peers() {
				if *p.path == "" {
					continue
				}
				row, err := p.measure(t, name, grid, fine[i])
				if err != nil {
					t.Errorf("%s, %s, %d: %v", p.program, name, grid[0], err)
					continue
				}
				t.Log(row)
				rows = append(rows, row)
			}
		}
	}
	text, err := json.MarshalIndent(map[string]any{"schema": 1, "table": "floorplans",
		"device": fmt.Sprintf("%s, %d cores", device.ProcessorName(), runtime.NumCPU()),
		"source": "thermsim, go test ./study/bench -run PeersOfTableII", "rows": rows}, "", " ")
	if err == nil {
		err = os.WriteFile(*peersFile, append(text, '\n'), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func (p *peer) measure(t *testing.T, name string, grid [2]int, fine layerMeans) (map[string]any, error) {
	s, err := loadFloorplan(name, grid)
	if err != nil {
		return nil, err
	}
	dir := t.TempDir()
	files, arguments := p.write(s, grid[0])
	for file, text := range files {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o644); err != nil {
			return nil, err
		}
	}
	cmd := exec.CommandContext(t.Context(), *p.path, arguments...)
	cmd.Dir = dir
	start := time.Now()
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, out)
	}
	took := time.Since(start).Seconds()
	layers, err := p.read(dir, s, grid[0])
	if err != nil {
		return nil, err
	}
	row := newRow()
	row.setErrors(newDifference(layerMeans{stack: s, layers: layers}, fine))
	return map[string]any{"case": name, "grid": fmt.Sprintf("%dx%dx%d", grid[0], grid[1], len(s.Layers)),
		"unknowns": grid[0] * grid[1] * len(s.Layers), "program": p.program, "version": p.version,
		"settings": p.settings, "rule": p.rule, "solve_s": nullable.Number(took), "max_ae_K": row.MaxAEK,
		"mae_K": row.MAEK, "top_max_ae_K": row.TopMaxAEK, "top_mae_K": row.TopMAEK}, nil
}

// rectangles calls f for every rectangle of a layer's blocks, with its power.
func rectangles(l *stack.Layer, f func(name string, r stack.Rect, watts float64)) {
	for _, p := range l.Powers {
		for _, b := range p.Blocks {
			area := 0.0
			for _, r := range b.Rects {
				area += r.Width * r.Height
			}
			for n, r := range b.Rects {
				f(fmt.Sprintf("%s_%s_%d", l.Name, b.Name, n), r, b.Watts*r.Width*r.Height/area)
			}
		}
	}
}

// hotspotFiles have every layer in the list of layers, and as HotSpot's own spreader and sink films without resistance:
// these have rims of one node per side, which would equalize the temperatures along each edge of thick layers.
func hotspotFiles(s *stack.Stack, n int) (files map[string]string, arguments []string) {
	var layers, names, watts strings.Builder
	files = map[string]string{"none.flp": fmt.Sprintf("all\t%g\t%g\t0\t0\n", s.Size[0], s.Size[1])}
	for i := range s.Layers {
		l := &s.Layers[i]
		m, power, plan := &s.Materials[l.Material], "N", "none.flp"
		if len(l.Powers) > 0 {
			power, plan = "Y", l.Name+".flp"
			var blocks strings.Builder
			rectangles(l, func(name string, r stack.Rect, w float64) {
				fmt.Fprintf(&blocks, "%s\t%.10g\t%.10g\t%.10g\t%.10g\n", name, r.Width, r.Height, r.X, r.Y)
				fmt.Fprintf(&names, "%s\t", name)
				fmt.Fprintf(&watts, "%.10g\t", w)
			})
			files[plan] = blocks.String()
		}
		fmt.Fprintf(&layers, "%d\nY\n%s\n%g\n%.12g\n%g\n%s\n", i, power, m.C, 1/m.K[0], l.Thickness, plan)
	}
	files["stack.lcf"] = layers.String()
	files["power.ptrace"] = strings.TrimSpace(names.String()) + "\n" + strings.TrimSpace(watts.String()) + "\n"
	top := s.Boundary[stack.Top]
	config := fmt.Sprintf("-ambient %g\n-init_temp %[1]g\n-r_convec %.12g\n-model_type grid\n-grid_rows %d\n"+
		"-grid_cols %[3]d\n-grid_map_mode avg\n-grid_layer_file stack.lcf\n", top.Temperature,
		1/(top.H*s.Size[0]*s.Size[1]), n)
	for j, part := range []string{"spreader", "sink"} {
		config += fmt.Sprintf("-s_%[1]s %.9[2]f\n-t_%[1]s 1e-10\n-k_%[1]s 1\n-p_%[1]s 1e6\n", part,
			s.Size[0]+float64(j+1)*8e-9)
	}
	files["stack.config"] = config
	return files, []string{"-c", "stack.config", "-p", "power.ptrace", "-grid_steady_file", "out.txt",
		"-steady_file", "blocks.txt"}
}

// hotspotRead reads layers from the bottom, whose rows are from the north.
func hotspotRead(dir string, s *stack.Stack, n int) ([][]float64, error) {
	f, err := os.Open(filepath.Join(dir, "out.txt"))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var layers [][]float64
	for lines := bufio.NewScanner(f); lines.Scan(); {
		fields := strings.Fields(lines.Text())
		switch {
		case len(fields) == 0:
		case fields[0] == "Layer":
			layers = append(layers, make([]float64, n*n))
		case len(fields) == 2 && len(layers) > 0:
			cell, err := strconv.Atoi(fields[0])
			v, err2 := strconv.ParseFloat(fields[1], 64)
			if err = errors.Join(err, err2); err != nil {
				return nil, err
			}
			layers[len(layers)-1][(n-1-cell/n)*n+cell%n] = v
		}
	}
	if len(layers) != len(s.Layers)+2 {
		return nil, fmt.Errorf("%d layers", len(layers))
	}
	return layers[:len(s.Layers)], nil
}

// threediceFiles have every layer as a layer of its own, so that all have maps. Lengths are in um.
func threediceFiles(s *stack.Stack, n int) (files map[string]string, arguments []string) {
	var materials, kinds, dies, stacked, maps strings.Builder
	files = map[string]string{}
	for i := range s.Materials {
		m := &s.Materials[i]
		fmt.Fprintf(&materials, "material M%d :\n thermal conductivity %.9e ;\n volumetric heat capacity %.9e ;\n", i,
			m.K[0]*1e-6, m.C*1e-18)
	}
	for i := len(s.Layers) - 1; i >= 0; i-- {
		l := &s.Layers[i]
		if len(l.Powers) == 0 {
			fmt.Fprintf(&kinds, "layer K%d :\n height %g ;\n material M%d ;\n", i, l.Thickness*1e6, l.Material)
			fmt.Fprintf(&stacked, " layer L%d K%[1]d ;\n", i)
		} else {
			fmt.Fprintf(&dies, "die K%d :\n source %g M%d ;\n", i, l.Thickness*1e6, l.Material)
			fmt.Fprintf(&stacked, " die L%d K%[1]d floorplan \"%s.flp\" ;\n", i, l.Name)
			var blocks strings.Builder
			rectangles(l, func(name string, r stack.Rect, w float64) {
				fmt.Fprintf(&blocks, "%s :\n position %.9g, %.9g ;\n dimension %.9g, %.9g ;\n power values %.9g ;\n",
					name, r.X*1e6, r.Y*1e6, r.Width*1e6, r.Height*1e6, w)
			})
			files[l.Name+".flp"] = blocks.String()
		}
		fmt.Fprintf(&maps, " Tmap ( L%d, \"%[1]d.txt\", final ) ;\n", i)
	}
	top := s.Boundary[stack.Top]
	files["case.stk"] = materials.String() + fmt.Sprintf("top heat sink :\n heat transfer coefficient %e ;\n"+
		" temperature %g ;\ndimensions :\n chip length %g, width %g ;\n cell length %.9g, width %[5]g ;\n"+
		" non-uniform false ;\n", top.H*1e-12, top.Temperature, s.Size[0]*1e6, s.Size[1]*1e6,
		s.Size[0]*1e6/float64(n)) +
		kinds.String() + dies.String() + "stack:\n" + stacked.String() +
		fmt.Sprintf("solver:\n steady ;\n initial temperature %g ;\n numofcores 4 ;\noutput:\n", s.Ambient) +
		maps.String()
	return files, []string{"case.stk"}
}

// threediceRead reads a map per layer, rows from the south.
func threediceRead(dir string, s *stack.Stack, n int) ([][]float64, error) {
	layers := make([][]float64, len(s.Layers))
	for i := range layers {
		text, err := os.ReadFile(filepath.Join(dir, fmt.Sprintf("%d.txt", i)))
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(string(text)) {
			if strings.HasPrefix(line, "%") {
				continue
			}
			for _, word := range strings.Fields(line) {
				v, err := strconv.ParseFloat(word, 64)
				if err != nil {
					return nil, err
				}
				layers[i] = append(layers[i], v)
			}
		}
		if len(layers[i]) != n*n {
			return nil, fmt.Errorf("layer %d: %d values", i, len(layers[i]))
		}
	}
	return layers, nil
}
