// Package icepak writes heat sources in the CSV form in which Icepak saves source objects, and which its power-map
// import of PyAEDT (https://aedt.docs.pyansys.com) reads: a table of names and powers, then a table of names and
// polygons in m.
package icepak

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"thermsim/internal/printable"
	"thermsim/stack"
	"thermsim/stack/geometry"
)

// maxSources is far above what Icepak can take.
const maxSources = 1_000_000

// source is a polygon with a power.
type source struct {
	name    string
	corners []geometry.Point
	z       float64
	watts   float64
}

// writer collects the sources of a stack.
type writer struct {
	sources []source
	names   map[string]int
	notes   []string
}

// Write writes every block, uniform power and tile of a power map as a polygon at the height of its power. notes lists
// what is not in the file.
func Write(out io.Writer, s *stack.Stack) (notes []string, err error) {
	w := &writer{names: map[string]int{}}
	z := 0.0
	for l := range s.Layers {
		y := &s.Layers[l]
		at := z + y.Thickness/2
		switch y.PowerAt {
		case stack.HeatedBottom:
			at = z
		case stack.HeatedTop:
			at = z + y.Thickness
		}
		for p := range y.Powers {
			if w.power(y, &y.Powers[p], at); len(w.sources) > maxSources {
				return nil, &stack.Error{Pos: y.Powers[p].Pos, Msg: fmt.Sprintf("more than %d sources; expected fewer",
					maxSources), Remedy: "use a coarser power map"}
			}
		}
		z += y.Thickness
	}
	if len(w.sources) == 0 {
		return nil, &stack.Error{Pos: stack.Pos{File: s.File}, Msg: "the stack has no power; expected a heat source",
			Remedy: "export a stack with power"}
	}
	return w.notes, w.print(out)
}

// power adds the sources of a power at a height.
func (w *writer) power(y *stack.Layer, p *stack.Power, z float64) {
	leaks := p.Leakage.Factor != nil || p.Map != nil && len(p.Map.Hotter) > 0
	for i := range p.Blocks {
		b := &p.Blocks[i]
		leaks = leaks || b.Leakage.Factor != nil
		for _, r := range b.Rects {
			w.add(y.Name+"_"+b.Name, rectangle(r), z, b.Watts*(r.Area()/b.Area()))
		}
		for _, s := range b.Shapes {
			w.add(y.Name+"_"+b.Name, outline(s), z, b.Watts)
		}
	}
	if leaks {
		w.notes = append(w.notes, fmt.Sprintf("layer %.40q: leakage is not written", y.Name))
	}
	if p.Trace != nil || len(p.Schedule) > 0 {
		w.notes = append(w.notes,
			fmt.Sprintf("layer %.40q: powers in time are written as those of a steady state", y.Name))
	}
	name := p.Name
	if name == "" {
		name = y.Name
	}
	switch {
	case p.Map != nil:
		dx, dy := p.Area.Width/float64(p.Map.NX), p.Area.Height/float64(p.Map.NY)
		for n, watts := range p.Map.Values {
			i, j := n%p.Map.NX, n/p.Map.NX
			w.add(fmt.Sprintf("%s_%d_%d", name, i, j), rectangle(stack.Rect{X: p.Area.X + float64(i)*dx,
				Y: p.Area.Y + float64(j)*dy, Width: dx, Height: dy}), z, watts)
		}
	case p.Shape != nil:
		w.add(name, outline(p.Shape), z, p.Uniform)
	case len(p.Blocks) == 0:
		w.add(name, rectangle(p.Area), z, p.Uniform)
	}
}

// add adds a source with power, under a unique name that other programs take.
func (w *writer) add(name string, corners []geometry.Point, z, watts float64) {
	if watts == 0 {
		return
	}
	name = printable.Word(name, "")
	for {
		w.names[name]++
		n := w.names[name]
		if n == 1 {
			break
		}
		name = fmt.Sprintf("%s_%d", name, n)
	}
	w.sources = append(w.sources, source{name, corners, z, watts})
}

func rectangle(r stack.Rect) []geometry.Point {
	return []geometry.Point{{X: r.X, Y: r.Y}, {X: r.X + r.Width, Y: r.Y}, {X: r.X + r.Width, Y: r.Y + r.Height},
		{X: r.X, Y: r.Y + r.Height}}
}

// outline is the polygon of a shape; of a circle, 64 corners around the same area.
func outline(s geometry.Shape) []geometry.Point {
	if p, ok := s.(geometry.Polygon); ok {
		return p
	}
	c, _ := s.(geometry.Circle)
	const n = 64
	radius := c.Diameter / 2 * math.Sqrt(2*math.Pi/n/math.Sin(2*math.Pi/n))
	corners := make([]geometry.Point, n)
	for i := range corners {
		angle := 2 * math.Pi * float64(i) / n
		corners[i] = geometry.Point{X: c.X + radius*math.Cos(angle), Y: c.Y + radius*math.Sin(angle)}
	}
	return corners
}

// print writes both tables. Each begins with three lines that readers skip, and an empty line ends the first. Rows have
// as many commas as the longest.
func (w *writer) print(out io.Writer) error {
	const before = 10 // columns of a polygon before its corners
	most := 0
	for i := range w.sources {
		most = max(most, len(w.sources[i].corners))
	}
	columns := before + 2*most
	file := bufio.NewWriter(out)
	line := func(cells ...string) {
		file.WriteString(strings.Join(cells, ",") + strings.Repeat(",", columns-len(cells)) + "\n")
	}
	line("# Sources Polygon Object")
	line("#Name", "Total source value", "Total source value units")
	line("name", "temp_total", "temp_total_units")
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', 12, 64) }
	for i := range w.sources {
		line(w.sources[i].name, number(w.sources[i].watts), "W")
	}
	line("")
	line("# Sources Polygon")
	line("#")
	header := []string{"name", "volume_flag", "split_flag", "changes", "nverts", "plane", "height", "xoff", "yoff",
		"zoff"}
	for i := range most {
		header = append(header, fmt.Sprint("vert", i+1), fmt.Sprint("tvert", i+1))
	}
	line(header...)
	for i := range w.sources {
		s := &w.sources[i]
		const normalZ = "2"
		row := []string{s.name, "0", "0", "0", strconv.Itoa(len(s.corners)), normalZ, "0", "0", "0", "0"}
		for _, c := range s.corners {
			row = append(row, number(c.X)+" "+number(c.Y)+" "+number(s.z), "")
		}
		line(row...)
	}
	return file.Flush()
}
