package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"time"

	"gonum.org/v1/gonum/floats"

	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/precond/cmg"
	"thermsim/gpusolve/sparse/netlist"
)

// writeGrid writes the power grid of a chip as a SPICE netlist of 4 tracks^2 nodes. There are two nets, each of two
// layers of wires, the lower along x and the upper along y, with vias of 0.5 ohm at their crossings. A twentieth of the
// vias are shorts, half of these written as resistors of 0 ohm and half as sources of 0 V. A hundredth of the wire
// segments is missing. A source fixes every 32nd crossing of the upper layer, and a fifth of the crossings of the lower
// layer draw a current from one net to the other.
//
// With time steps, a package of 10 pH and 10 mohm is in series with each source, a capacitor of 10 to 50 fF connects
// the nets at every crossing of the lower layers, and the loads are pulses.
func writeGrid(out io.Writer, tracks, steps int, seed uint64) error {
	w := bufio.NewWriter(out)
	inTime := rand.New(rand.NewPCG(seed, 5))
	rng := rand.New(rand.NewPCG(seed, 4))
	fmt.Fprintf(w, "* power grid: 2 nets of 2 layers, %d x %d tracks\n", tracks, tracks)
	count := 0
	next := func() int { count++; return count }
	for net, volts := range []float64{1.8, 0} {
		node := func(layer, x, y int) string { return fmt.Sprintf("n%d_%d_%d", 2*net+layer, x, y) }
		for y := range tracks {
			for x := range tracks {
				if x+1 < tracks && rng.IntN(100) > 0 {
					fmt.Fprintf(w, "R%d %s %s %.4g\n", next(), node(0, x, y), node(0, x+1, y), 0.8+0.4*rng.Float64())
				}
				if y+1 < tracks && rng.IntN(100) > 0 {
					fmt.Fprintf(w, "R%d %s %s %.4g\n", next(), node(1, x, y), node(1, x, y+1), 0.2+0.1*rng.Float64())
				}
				switch rng.IntN(40) {
				case 0:
					fmt.Fprintf(w, "R%d %s %s 0\n", next(), node(0, x, y), node(1, x, y))
				case 1:
					fmt.Fprintf(w, "V%d %s %s 0\n", next(), node(0, x, y), node(1, x, y))
				default:
					fmt.Fprintf(w, "R%d %s %s 0.5\n", next(), node(0, x, y), node(1, x, y))
				}
				if x%32 == 16 && y%32 == 16 {
					supply := node(1, x, y)
					if steps > 0 {
						n := next()
						fmt.Fprintf(w, "L%d p%d q%d 10p\nR%d q%d %s 10m\n", n, n, n, next(), n, supply)
						supply = fmt.Sprintf("p%d", n)
					}
					fmt.Fprintf(w, "V%d %s 0 %g\n", next(), supply, volts)
				}
				if net == 0 && rng.IntN(5) == 0 {
					fmt.Fprintf(w, "I%d n0_%d_%d n2_%d_%d ", next(), x, y, x, y)
					if amperes := 2e-4 * rng.Float64(); steps > 0 {
						fmt.Fprintf(w, "PULSE(0 %.4g %dp 50p 50p 100p 500p)\n", 5*amperes, 50*inTime.IntN(10))
					} else {
						fmt.Fprintf(w, "%.4g\n", amperes)
					}
				}
				if net == 0 && steps > 0 {
					fmt.Fprintf(w, "C%d n0_%d_%d n2_%d_%d %.4gf\n", next(), x, y, x, y, 10+40*inTime.Float64())
				}
			}
		}
	}
	if steps > 0 {
		fmt.Fprintf(w, ".tran 10p %dp\n", 10*steps)
	}
	fmt.Fprintln(w, ".op\n.end")
	return w.Flush()
}

// tracksOf is the number of tracks of a grid with about that number of nodes.
func tracksOf(nodes int) int { return int(math.Round(math.Sqrt(float64(nodes) / 4))) }

// writeFile writes a netlist for thermsim solve.
func writeFile(path string, nodes, steps int) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(writeGrid(f, tracksOf(nodes), steps, 1), f.Close())
}

// netlists reads power grids and solves them on every device, by every method: the thesis's comparison of a processor
// and a GPU.
func (b *bench) netlists() error {
	for _, nodes := range *b.nodes {
		var text bytes.Buffer
		if err := writeGrid(&text, tracksOf(nodes), 0, 1); err != nil {
			return err
		}
		start := time.Now()
		grid, err := netlist.Read("grid.sp", &text)
		if err != nil {
			return err
		}
		read, counts := time.Since(start), grid.Counts()
		about := circuit{ReadS: read.Seconds(), Resistors: counts.Resistors, Shorts: counts.Shorts, Nodes: counts.Nodes}
		start = time.Now()
		system, err := netlist.NewSystem(grid)
		if err != nil {
			return err
		}
		about.ConnectS = time.Since(start).Seconds()
		if err := b.solveGrid(system, about); err != nil {
			return err
		}
	}
	return nil
}

func (b *bench) solveGrid(system *netlist.System, about circuit) error {
	p := problem{
		name: fmt.Sprintf("power grid of %d nodes", about.Nodes), n: len(system.B), entries: int64(system.Entries()),
		source: system.B, rtol: 1e-8,
		load: func(d ops.Device) (ops.Operator, error) { return d.LoadCSR(system.CSR) },
	}
	var first []float64
	return b.eachMethod("netlists", p, func(r *networkRow, x []float64) {
		voltages := system.Voltages(x)
		if first == nil {
			first = voltages
		}
		r.circuit = about
		r.ApartV = floats.Distance(voltages, first, math.Inf(1))
		for _, n := range system.Nets(voltages) {
			r.DropV = max(r.DropV, math.Abs(n.Worst))
		}
	})
}

// timeProducts times the products of a cycle one by one. A GPU replays a recording, as in a solve.
func timeProducts(a ops.Operator, products []cmg.Product, of networkRow) ([]networkRow, error) {
	var all []networkRow
	for n, q := range products {
		best, err := timeRepeated(a, q.Run, 20)
		if err != nil {
			return nil, err
		}
		all = append(all, networkRow{
			Table: "products", Case: of.Case, Unknowns: q.Vertices, Entries: of.Entries, Method: of.Method,
			Converged: true, cycle: cycle{Level: &n, Layout: q.Layout, PerCycle: q.PerCycle, ProductS: best,
				ProductBytes: q.Bytes, TBPerS: float64(q.Bytes) / best / 1e12},
		})
	}
	return all, nil
}
