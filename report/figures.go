package report

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"thermsim/internal/spelling"
	"thermsim/internal/staging"
	"thermsim/mesh"
	"thermsim/report/checkpoint"
	"thermsim/report/picture"
	"thermsim/report/quantity"
	"thermsim/report/summary"
	"thermsim/stack"
)

// FigureNames lists the figures that --figures accepts.
func FigureNames() []string {
	return []string{"panels", "section-x", "section-y", "traces", "history", "maxima", "animation", "epochs"}
}

// figureFile is the name of a figure's file without its suffix.
func figureFile(figure string) string { return strings.ReplaceAll(figure, "-", "_") }

// PictureStyle holds the options of all pictures of a run. The zero value is the default.
type PictureStyle struct {
	Formats  []string // of the maps and figures, from PictureFormats; PNG if empty, none if NoPictures is the only one
	Colors   string   // from Colormaps; the first if empty
	WidthPt  float64  // width on paper in points (1/72 inch); 0 for the width of the layout
	FontPt   float64  // size of the numbers on the axes in points; 0 to choose it from the width
	DPI      float64  // of PNGs; 0 for one pixel per point
	Title    string   // replaces the stack's title
	LoK, HiK float64  // color range; both 0 for the range of the data
	// name of the regions or blocks to which maps, panels and sections are cropped; empty for the whole stack
	Zoom   string
	around *stack.Rect // replaces Zoom in reports
}

// NoPictures is the format that disables maps and figures.
const NoPictures = "none"

// PictureFormats lists the formats of maps and figures. The first is the default.
func PictureFormats() []string {
	var names []string
	for _, f := range picture.Formats() {
		names = append(names, string(f))
	}
	return names
}

// Colormaps lists the color maps of temperatures. The first is the default.
func Colormaps() []string { return picture.Colormaps() }

// Check reports invalid options.
func (p *PictureStyle) Check() error {
	for i, name := range p.Formats {
		if name == NoPictures && len(p.Formats) == 1 {
			continue
		}
		if slices.Contains(p.Formats[:i], name) {
			return fmt.Errorf("format %q is given twice. Fix: remove one", name)
		}
		if !slices.Contains(PictureFormats(), name) {
			return fmt.Errorf("unknown format %q; expected one of %s", name, strings.Join(PictureFormats(), ", "))
		}
	}
	if _, err := picture.NamedColormap(p.Colors); err != nil {
		return err
	}
	if fault := stack.TitleFault(p.Title); fault != "" {
		return fmt.Errorf("the title of the pictures %s. Fix: choose another title", fault)
	}
	const most = 20_000
	for name, v := range map[string]float64{"width": p.WidthPt, "font size": p.FontPt, "resolution": p.DPI} {
		if !(v >= 0) || v > most {
			return fmt.Errorf("%s of pictures: got %g; expected a positive number of at most %d", name, v, most)
		}
	}
	return nil
}

// CheckSize reports an error if maps of the stack would have too many pixels.
func (p *PictureStyle) CheckSize(s *stack.Stack) error {
	if look := p.look(); slices.Contains(p.formats(), picture.PNG) {
		return look.CheckMap(s.Domain())
	}
	return nil
}

func (p *PictureStyle) formats() []picture.Format {
	if len(p.Formats) == 0 {
		return []picture.Format{picture.PNG}
	}
	var list []picture.Format
	for _, name := range p.Formats {
		if name == NoPictures {
			return nil
		}
		list = append(list, picture.Format(name))
	}
	return list
}

// look converts the style for package picture. An unknown color map, which Check reports, becomes the default.
func (p *PictureStyle) look() picture.Look {
	colors, err := picture.NamedColormap(p.Colors)
	if err != nil {
		colors = picture.Inferno()
	}
	return picture.Look{Colors: colors, Width: p.WidthPt, Font: p.FontPt, DPI: p.DPI}
}

func (p *PictureStyle) title(m *mesh.Mesh, caveat string) string {
	if p.Title != "" {
		return summary.Marked(caveat, p.Title)
	}
	return summary.Marked(caveat, pictureTitle(m.Stack))
}

// colors returns the color range for data from lo to hi.
func (p *PictureStyle) colors(lo, hi float64) (float64, float64) {
	if p.LoK == 0 && p.HiK == 0 {
		return lo, hi
	}
	return p.LoK, p.HiK
}

// Figures draws the maps and figures of a run.
type Figures struct {
	*Run
	Options
	Summary *summary.Summary
}

// look is the style with the unit of temperatures.
func (f *Figures) look() picture.Look {
	look := f.Style.look()
	look.Scale = f.Scale
	return look
}

// HistoryPoint is the estimated largest error after an iteration.
type HistoryPoint = checkpoint.Point

// CheckFigures reports names that are no figures.
func CheckFigures(names []string) error {
	for _, n := range names {
		if n != "all" && !slices.Contains(FigureNames(), n) {
			return fmt.Errorf("unknown figure %q; expected one of %s, or all%s", n, strings.Join(FigureNames(), ", "),
				spelling.Hint(n, FigureNames()))
		}
	}
	return nil
}

// Files returns the files of the given figures. "all" selects the figures that the run has data for.
func (f *Figures) Files(names []string) ([]staging.File, error) {
	if err := CheckFigures(names); err != nil {
		return nil, err
	}
	if err := f.Style.Check(); err != nil {
		return nil, err
	}
	all := slices.Contains(names, "all")
	if all {
		names = slices.DeleteFunc(FigureNames(), func(n string) bool { return n == "epochs" }) // up to 400 pictures
	}
	var files []staging.File
	for _, n := range slices.Compact(slices.Clone(names)) {
		more, err := f.figure(n)
		if errors.Is(err, errNoData) && all {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("figure %s: %w", n, err)
		}
		files = append(files, more...)
	}
	return files, nil
}

// errNoData marks figures for which the run has no data.
var errNoData = errors.New("the run has no data for it")

func (f *Figures) figure(name string) ([]staging.File, error) {
	var p interface {
		Write(io.Writer, picture.Format) error
	}
	var err error
	switch name {
	case "panels":
		p, err = f.panels()
	case "section-x":
		p, err = f.section(0)
	case "section-y":
		p, err = f.section(1)
	case "traces":
		p, err = f.traces()
	case "history":
		p, err = f.history()
	case "maxima":
		return nil, nil // recorded step by step
	case "epochs":
		return f.epochs()
	default:
		return f.animation()
	}
	if err != nil {
		return nil, err
	}
	return f.Style.files(figureFile(name), p.Write), nil
}

// files returns the files of a picture in all formats.
func (p *PictureStyle) files(name string, write func(io.Writer, picture.Format) error) []staging.File {
	var files []staging.File
	for _, format := range p.formats() {
		files = append(files, staging.File{Name: name + "." + string(format),
			Write: func(w io.Writer) error { return write(w, format) }})
	}
	return files
}

// panels draws the maps of all layers with power and of the layers in Maps.
func (f *Figures) panels() (*picture.Panels, error) {
	m := f.Mesh
	layers, err := mappedLayers(m, f.Maps)
	if err != nil {
		return nil, err
	}
	if len(layers) == 0 {
		return nil, fmt.Errorf("%w: no layer has power. Fix: select layers with --maps", errNoData)
	}
	lo, hi := f.Style.colors(colorRange(f.Summary, layers))
	p := &picture.Panels{Title: f.Style.title(m, f.Summary.Caveat()),
		Subtitle: fmt.Sprintf("%d layers, bottom to top", len(layers)) + comma(f.Summary.LastStepNote()) +
			f.Style.zoomNote(), Lo: lo, Hi: hi, Look: f.look()}
	var read planeReader
	for _, v := range views(m, layers) {
		kelvin := make([]float64, m.NX()*m.NY())
		if err := read.planes(f.Solution.Field, v.planes, kelvin); err != nil {
			return nil, err
		}
		panel := picture.HeatMap{
			Title: strings.TrimPrefix(v.what, "layer "), X: m.X, Y: m.Y, Kelvin: kelvin, Lo: lo, Hi: hi,
			Blocks: blockOutlines(m.Stack, v.layer), Regions: regionOutlines(m.Stack, v.layer),
			Flow: flowOf(m, v.layer), Look: f.look(),
		}
		f.Style.crop(m.Stack, &panel)
		p.Maps = append(p.Maps, panel)
	}
	return p, nil
}

// section draws the section along x (axis 0) or y (axis 1).
func (f *Figures) section(axis int) (*picture.Section, error) {
	m := f.Mesh
	hottest := [2]float64{f.Summary.Temperature.MaxAt.XM, f.Summary.Temperature.MaxAt.YM}
	shown, zoomed, err := f.hottestShown()
	if err != nil {
		return nil, err
	}
	if zoomed {
		hottest = shown
	}
	across, other, at, name := m.X, m.Y, hottest[1], "x"
	if axis == 1 {
		across, other, at, name = m.Y, m.X, hottest[0], "y"
	}
	if v := f.At[1-axis]; !math.IsNaN(v) {
		at = v
	}
	cut, ok := cellAt(other, at)
	if !ok {
		return nil, fmt.Errorf("%s = %s mm is outside the stack, which goes from %s to %s mm", []string{"y", "x"}[axis],
			quantity.Millimetres(at), quantity.Millimetres(other[0]), quantity.Millimetres(other[len(other)-1]))
	}
	first, last := f.Style.window(m.Stack, axis, across)
	s := &picture.Section{
		Title: f.Style.title(m, f.Summary.Caveat()), Axis: name, Across: across[first : last+1], Z: m.Z,
		ToScale: f.ToScale, Look: f.look(),
		Lo: math.Inf(1), Hi: math.Inf(-1),
	}
	plane, nx := make([]float64, m.NX()*m.NY()), m.NX()
	for k := range m.NZ() {
		if err := f.Solution.Field.Plane(k, plane); err != nil {
			return nil, fmt.Errorf("reading plane %d of the temperature field: %w", k, err)
		}
		for i := first; i < last; i++ {
			c := cut*nx + i
			if axis == 1 {
				c = i*nx + cut
			}
			v := plane[c]
			s.Kelvin = append(s.Kelvin, v)
			s.Lo, s.Hi = min(s.Lo, v), max(s.Hi, v)
		}
	}
	for l := range m.Stack.Layers {
		planes := m.LayerPlanes[l]
		s.Layers = append(s.Layers, picture.Interval{Name: m.Stack.Layers[l].Name, From: m.Z[planes[0]],
			To: m.Z[planes[1]]})
	}
	unit := f.Scale.Or("degC")
	s.Borders = sectionBorders(m.Stack, axis, (other[cut]+other[cut+1])/2)
	s.Subtitle = fmt.Sprintf("section along %s at %s = %s mm, %.2f to %.2f %s", name, []string{"y", "x"}[axis],
		quantity.Millimetres((other[cut]+other[cut+1])/2), unit.Of(s.Lo), unit.Of(s.Hi), unit.Symbol())
	s.Subtitle += comma(f.Summary.LastStepNote()) + f.Style.zoomNote()
	s.Lo, s.Hi = f.Style.colors(s.Lo, s.Hi)
	return s, nil
}

// comma prepends ", " to a note that is not empty.
func comma(note string) string {
	if note == "" {
		return ""
	}
	return ", " + note
}

// cellAt returns the cell that contains a coordinate.
func cellAt(faces []float64, at float64) (int, bool) {
	n := len(faces) - 1
	slack := 1e-9 * (faces[n] - faces[0])
	if !(at >= faces[0]-slack && at <= faces[n]+slack) {
		return 0, false
	}
	i, _ := slices.BinarySearch(faces, at)
	return min(max(i-1, 0), n-1), true
}
