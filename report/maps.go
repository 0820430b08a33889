package report

import (
	"context"
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"thermsim/gpusolve/reduction"
	"thermsim/gpusolve/solution"
	"thermsim/internal/printable"
	"thermsim/internal/spelling"
	"thermsim/internal/staging"
	"thermsim/mesh"
	"thermsim/powermap"
	"thermsim/report/fieldfile"
	"thermsim/report/picture"
	"thermsim/report/quantity"
	"thermsim/report/statistics"
	"thermsim/report/summary"
	"thermsim/stack"
)

// largePlane is the number of cells above which the CSV of a plane is written on request only.
const largePlane = 4_000_000

// hugePlane is the number of cells above which maps are drawn one at a time to save memory.
const hugePlane = 16_000_000

// stage stages the maps and the given figures. It calls read once, after its last read of the field.
func (f *Figures) stage(ctx context.Context, st *staging.Transaction, names []string, read func()) error {
	read = sync.OnceFunc(read)
	defer read()
	layers, err := mappedLayers(f.Mesh, f.Maps)
	if err != nil {
		return err
	}
	if err := f.Style.Check(); err != nil {
		return err
	}
	mapped := read
	if len(names) > 0 {
		mapped = func() {}
	}
	if err := f.writeMaps(ctx, st, layers, mapped); err != nil {
		return err
	}
	files, err := f.Files(names)
	if err != nil {
		return err
	}
	return st.WriteFiles(ctx, append(files, f.powerGridMaps()...)...)
}

// writeMaps stages the maps of the layers. One goroutine reads the field; drawing and formatting run in parallel.
func (f *Figures) writeMaps(ctx context.Context, st *staging.Transaction, layers []int, read func()) error {
	m, s, cells := f.Mesh, f.Summary, f.Mesh.NX()*f.Mesh.NY()
	lo, hi := colorRange(s, layers)
	shown := views(m, layers)
	if binned := newBinnedMaps(f); binned != nil {
		return binned.write(ctx, st, shown, [2]float64{lo, hi})
	}
	buffers := 2
	if cells > hugePlane {
		buffers = 1
	}
	free := make(chan []float64, buffers)
	for range min(buffers, len(layers)) {
		free <- make([]float64, cells)
	}
	var reader planeReader
	g, inner := errgroup.WithContext(ctx)
	g.SetLimit(max(2, runtime.GOMAXPROCS(0)))
	for _, v := range shown {
		var kelvin []float64
		select {
		case kelvin = <-free:
		case <-inner.Done():
		}
		if kelvin == nil {
			break
		}
		noted := f.Timeline.Begin("read the map of " + v.what)
		err := reader.planes(f.Solution.Field, v.planes, kelvin)
		if noted(); err != nil {
			g.Go(func() error { return err })
			break
		}
		var half errgroup.Group // the files of one map share its buffer
		p := &layerPicture{f, v, kelvin, lo, hi, s.Caveat(), s.LastStepNote()}
		for _, file := range p.files("map_" + v.file) {
			half.Go(func() error { return st.Write(inner, file.Name, file.Write) })
		}
		g.Go(func() error {
			err := half.Wait()
			free <- kelvin
			return err
		})
	}
	read()
	if err := g.Wait(); err != nil {
		return err
	}
	return ctx.Err()
}

// colorRange is the temperature range over the mapped layers.
func colorRange(s *summary.Summary, layers []int) (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, l := range layers {
		if t := &s.Layers[l]; !math.IsNaN(t.MaxK) {
			lo, hi = min(lo, t.MinK), max(hi, t.MaxK)
		}
	}
	return lo, hi
}

// binnedMaps draws maps of planes that are too large for CSV files. The field reduces them to the bins of the picture,
// so that no plane is copied to the host.
type binnedMaps struct {
	*Figures
	field solution.Binner
}

// newBinnedMaps is nil if planes must be read: for files of all cells, for cropped pictures, and if the field cannot
// compute bins.
func newBinnedMaps(f *Figures) *binnedMaps {
	if f.Mesh.NX()*f.Mesh.NY() <= largePlane || f.LargeCSV || f.Style.Zoom != "" || f.planePeaks == nil {
		return nil
	}
	return binnedMapsOf(f)
}

// binnedMapsOf tests with a bin of one cell whether the field can compute bins.
func binnedMapsOf(f *Figures) *binnedMaps {
	b := &binnedMaps{f, solution.BinnerOf(f.Solution.Field)}
	if b.field == nil {
		return nil
	}
	one := reduction.Bins{First: []int32{0}, Last: []int32{0}}
	if done, err := b.field.Maxima(&reduction.Maxima{Planes: [2]int{0, f.Mesh.NZ()}, X: one, Y: one},
		make([]float64, 1)); err != nil || !done {
		return nil // reading planes reports the error
	}
	return b
}

// write stages the maps of views with one color range.
func (b *binnedMaps) write(ctx context.Context, st *staging.Transaction, shown []view, colors [2]float64) error {
	g, inner := errgroup.WithContext(ctx)
	for _, v := range shown {
		write := func(w io.Writer, format picture.Format) error { return b.picture(v, colors).Write(w, format) }
		for _, file := range b.Style.files("map_"+v.file, write) {
			g.Go(func() error { return st.Write(inner, file.Name, file.Write) })
		}
	}
	return g.Wait()
}

// picture is a layerPicture without a plane.
func (b *binnedMaps) picture(v view, colors [2]float64) *picture.HeatMap {
	best := b.hottest(v.planes)
	p := (&layerPicture{b.Figures, v, nil, colors[0], colors[1], b.Summary.Caveat(), b.Summary.LastStepNote()}).empty(
		best)
	p.Bins = &picture.Bins{Hottest: best.cell, Kelvin: best.kelvin,
		Maxima: func(x, y reduction.Bins) ([]float64, error) {
			m := &reduction.Maxima{Planes: v.planes, X: x, Y: y}
			out := make([]float64, m.Count())
			done, err := b.field.Maxima(m, out)
			if err == nil && !done {
				err = fmt.Errorf("the device has no memory left for the map of %s", v.what)
			}
			return out, err
		}}
	return p
}

// hottest is the hottest cell of the planes; the first one of several.
func (b *binnedMaps) hottest(planes [2]int) hotCell {
	best := hotCell{cell: -1}
	for k := planes[0]; k < planes[1]; k++ {
		p := b.planePeaks[k]
		if p.Max-p.Max == 0 && (best.cell < 0 || p.Max > best.kelvin || p.Max == best.kelvin &&
			int(p.Cell) < best.cell) {
			best = hotCell{int(p.Cell), p.Max}
		}
	}
	return best
}

// CheckMaps reports names that are neither a layer of the stack nor "all". Callers use it before a long solve.
func CheckMaps(s *stack.Stack, names []string) error {
	for _, n := range names {
		if n == "all" || slices.ContainsFunc(s.Layers, func(l stack.Layer) bool { return l.Name == n }) {
			continue
		}
		var have []string
		for i := range s.Layers {
			have = append(have, s.Layers[i].Name)
		}
		return fmt.Errorf("unknown layer %q; expected one of %s, or \"all\"%s", n, strings.Join(have, ", "),
			spelling.Hint(n, have))
	}
	return nil
}

// mappedLayers returns the layers with power or coolant and the named ones, bottom to top.
func mappedLayers(m *mesh.Mesh, names []string) ([]int, error) {
	if err := CheckMaps(m.Stack, names); err != nil {
		return nil, err
	}
	var layers []int
	for l := range m.Stack.Layers {
		powered := slices.ContainsFunc(m.Power.Layers, func(p powermap.LayerMap) bool { return p.Layer == l })
		if powered || m.Stack.Layers[l].Coolant != nil || slices.Contains(names, "all") ||
			slices.Contains(names, m.Stack.Layers[l].Name) {
			layers = append(layers, l)
		}
	}
	return layers, nil
}

// fileNames returns unique names of the layers for files. Characters other than letters, digits, dots, dashes and
// underscores become underscores; equal results are numbered.
func fileNames(s *stack.Stack) []string {
	names := make([]string, len(s.Layers))
	used := map[string]bool{}
	for l := range s.Layers {
		// Lower case, because some file systems ignore case.
		names[l] = printable.Distinct(printable.Word(s.Layers[l].Name, ".-"), func(name string) bool {
			return used[strings.ToLower(name)]
		})
		used[strings.ToLower(names[l])] = true
	}
	return names
}

// view is the subject of a map: a layer, or the coolant of a porous cavity, which shares its location with the walls.
type view struct {
	layer  int
	planes [2]int
	file   string // part of the name of its files
	what   string // "layer x"
}

// views returns the layers, each porous cavity followed by its coolant.
func views(m *mesh.Mesh, layers []int) []view {
	files := fileNames(m.Stack)
	var all []view
	for _, l := range layers {
		v := layerView(m, l)
		v.file = files[l]
		all = append(all, v)
		if c := cavityOf(m, l); c != nil && c.Wall != c.Fluid {
			v.planes, v.file, v.what = [2]int{c.Fluid, c.Fluid + 1}, coolantFile(files, l), "coolant in "+v.what
			all = append(all, v)
		}
	}
	return all
}

func layerView(m *mesh.Mesh, layer int) view {
	return view{layer: layer, planes: m.LayerPlanes[layer], what: "layer " + m.Stack.Layers[layer].Name}
}

// coolantFile is the file name for the coolant of layer l; no layer has it.
func coolantFile(files []string, l int) string {
	name := files[l] + "_coolant"
	for slices.ContainsFunc(files, func(f string) bool { return strings.EqualFold(f, name) }) {
		name += "_"
	}
	return name
}

func cavityOf(m *mesh.Mesh, layer int) *mesh.Cavity { return m.Planes[m.LayerPlanes[layer][0]].Cavity }

// planeReader reads maps. It keeps a scratch plane for layers of several planes.
type planeReader struct{ scratch []float64 }

// planes reads the maximum over several planes into dst, cell by cell.
func (r *planeReader) planes(f solution.Field, planes [2]int, dst []float64) error {
	for k := planes[0]; k < planes[1]; k++ {
		into := dst
		if k > planes[0] {
			if r.scratch == nil {
				r.scratch = make([]float64, len(dst))
			}
			into = r.scratch
		}
		if err := f.Plane(k, into); err != nil {
			return fmt.Errorf("reading plane %d of the temperature field: %w", k, err)
		}
		if k == planes[0] {
			continue
		}
		for i, v := range into {
			if v > dst[i] {
				dst[i] = v
			}
		}
	}
	return nil
}

// layerPicture is the map of a view. kelvin holds one temperature per cell column (x fastest, from the south), lo and
// hi the color range in K. The caveat precedes the title, and the note follows the layer.
type layerPicture struct {
	*Figures
	view
	kelvin       []float64
	lo, hi       float64
	caveat, note string
}

func (p *layerPicture) draw() *picture.HeatMap {
	h := p.empty(hottestIn(p.kelvin))
	h.Kelvin = p.kelvin
	p.Style.crop(p.Mesh.Stack, h)
	return h
}

// empty returns the map without temperatures.
func (p *layerPicture) empty(best hotCell) *picture.HeatMap {
	m, l := p.Mesh, p.layer
	lo, hi := p.Style.colors(p.lo, p.hi)
	return &picture.HeatMap{
		Title: p.Style.title(m, p.caveat), Subtitle: p.subtitle(best),
		X: m.X, Y: m.Y, Lo: lo, Hi: hi,
		Blocks: blockOutlines(m.Stack, l), Regions: regionOutlines(m.Stack, l), Flow: flowOf(m, l),
		Points: p.measuredPoints(l), Look: p.look(),
	}
}

// measuredPoints are the places of a layer with measured temperatures.
func (f *Figures) measuredPoints(layer int) (points []picture.Mark) {
	if f.Summary == nil || f.Summary.Measured == nil {
		return nil
	}
	for i := range f.Summary.Measured.Places {
		w := &f.Summary.Measured.Places[i].Worst
		if f.Mesh.Planes[planeBelow(f.Mesh, w.ZM)].Layer == layer {
			points = append(points, picture.Mark{Name: measuredName(w, f.Scale), X: w.XM, Y: w.YM})
		}
	}
	return points
}

// files returns the pictures, and the CSV unless it is too large. name has no suffix.
func (p *layerPicture) files(name string) []staging.File {
	files := p.Style.files(name, func(w io.Writer, format picture.Format) error { return p.draw().Write(w, format) })
	if len(p.kelvin) <= largePlane || p.LargeCSV {
		files = append(files, staging.File{Name: name + ".csv",
			Write: func(w io.Writer) error { return writeMapCSV(w, p.Mesh, p.view, p.kelvin, p.note) }})
	}
	return files
}

// hotCell is the hottest cell of a map with a finite temperature in K; cell is -1 if there is none.
type hotCell struct {
	cell   int
	kelvin float64
}

func hottestIn(kelvin []float64) hotCell {
	best := hotCell{cell: -1}
	for n, t := range kelvin {
		if t-t == 0 && (best.cell < 0 || t > best.kelvin) {
			best = hotCell{n, t}
		}
	}
	return best
}

func pictureTitle(s *stack.Stack) string {
	if s.Title != "" {
		return s.Title
	}
	return s.File
}

func (p *layerPicture) subtitle(best hotCell) string {
	m, v := p.Mesh, p.view
	text := v.what + comma(p.note)
	if best.cell < 0 {
		return text
	}
	i, j := best.cell%m.NX(), best.cell/m.NX()
	unit := p.Scale.Or("degC")
	text += fmt.Sprintf(", max %.2f %s at (%s, %s) mm", unit.Of(best.kelvin), unit.Symbol(),
		quantity.Millimetres((m.X[i]+m.X[i+1])/2), quantity.Millimetres((m.Y[j]+m.Y[j+1])/2))
	if block := statistics.BlockAt(m, v.layer, i, j); block != "" {
		text += ", block " + block
	}
	return text
}

func blockOutlines(s *stack.Stack, layer int) []picture.Outline {
	var o []picture.Outline
	for _, p := range s.Layers[layer].Powers {
		for i := range p.Blocks {
			b := &p.Blocks[i]
			o = append(o, picture.Outline{Name: b.Name, Rects: func() []stack.Rect { return blockRects(s, b) }})
		}
	}
	return o
}

func regionOutlines(s *stack.Stack, layer int) []picture.Outline {
	var o []picture.Outline
	for i := range s.Layers[layer].Regions {
		r := &s.Layers[layer].Regions[i]
		o = append(o, picture.Outline{Name: r.Name, Rects: func() []stack.Rect { return regionRects(s, r) }})
	}
	return o
}

// flowOf returns the coolant flow through a layer for pictures; nil without coolant.
func flowOf(m *mesh.Mesh, layer int) *picture.Flow {
	c := cavityOf(m, layer)
	if c == nil {
		return nil
	}
	f := &picture.Flow{Along: c.Along, Backward: c.Backward, Resolved: c.Wall == c.Fluid}
	fastest := 0.0
	streams := m.Stack.Hydraulics(&m.Stack.Layers[layer]).Streams
	for i := range streams {
		fastest = max(fastest, streams[i].Velocity)
	}
	for i := range streams {
		t := &streams[i]
		f.Lanes = append(f.Lanes, picture.Lane{From: t.From, To: t.To, Speed: t.Velocity / fastest})
	}
	return f
}

// writeMapCSV writes a plane as a matrix after comment lines. The optional note names the time of the temperatures.
func writeMapCSV(w io.Writer, m *mesh.Mesh, v view, kelvin []float64, note string) error {
	span, hottest := m.LayerPlanes[v.layer], ""
	if v.planes[1]-v.planes[0] > 1 {
		hottest = ", the hottest of them cell by cell"
	}
	_, err := fmt.Fprintf(w, "# %s, z %s to %s m, %d plane(s)%s%s\n"+
		"# temperature in K at cell centres; first row: x in m; first column: y in m; rows from south to north\n",
		printable.Text(v.what), fieldfile.Metres(m.Z[span[0]]), fieldfile.Metres(m.Z[span[1]]), v.planes[1]-v.planes[0],
		hottest, comma(printable.Text(note)))
	if err != nil {
		return err
	}
	return fieldfile.WriteMatrix(w, m.X, m.Y, kelvin)
}
