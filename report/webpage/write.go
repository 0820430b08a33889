package webpage

import (
	"bufio"
	"bytes"
	"embed"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"image/color"
	"io"
	"math"
	"strings"

	"thermsim/internal/printable"
)

//go:embed assets twgl/twgl.min.js
var assets embed.FS

// scripts in the order they are joined.
func scripts() []string {
	list := []string{"twgl/twgl.min.js"}
	for _, name := range []string{"planes", "format", "canvas", "labels", "isotherms", "state", "measured", "map",
		"charts", "exploded", "solid", "tables", "instants", "main"} {
		list = append(list, "assets/"+name+".js")
	}
	return list
}

// fieldsMark is where the packed temperatures stand in the page.
const fieldsMark = "<!--fields-->"

// Write writes the page.
func Write(w io.Writer, d *Document) error {
	if len(d.Runs) == 0 || len(d.Colormaps) == 0 {
		return errors.New("a report page needs at least one run and a color map")
	}
	for _, m := range append(d.Colormaps[:len(d.Colormaps):len(d.Colormaps)], Colormap{"power", d.PowerColors}) {
		if len(m.Colours) != 256 {
			return fmt.Errorf("colour map %s of a page has %d colours, not 256", m.Name, len(m.Colours))
		}
	}
	for _, r := range d.Runs {
		if r.Fields != nil {
			if err := r.Fields.settle(); err != nil {
				return err
			}
		}
		if r.Fields == nil || len(r.Fields.frames) == 0 {
			return fmt.Errorf("run %s has no field to show", r.Name)
		}
		if first := d.Runs[0].Fields; len(r.Fields.x) != len(first.x) || len(r.Fields.y) != len(first.y) ||
			r.Fields.nz != first.nz {
			return errors.New("all runs on a page must use the same grid")
		}
	}
	out := bufio.NewWriter(w)
	if err := d.frame(&sheet{printable.Writer(out, false), func() error {
		for n, r := range d.Runs {
			if err := r.Fields.writeText(out, n); err != nil {
				return err
			}
		}
		return nil
	}}); err != nil {
		return err
	}
	return out.Flush()
}

// sheet passes a page on as it comes: one of many blocks is large. Where the mark stands it puts the temperatures.
type sheet struct {
	w      io.Writer
	fields func() error
}

func (s *sheet) Write(text []byte) (int, error) {
	if string(text) == fieldsMark {
		return len(text), s.fields()
	}
	return s.w.Write(text)
}

// writeText writes each frame as a script element of text: a line per plane, in base64.
func (f *Fields) writeText(w io.Writer, run int) error {
	var line []byte
	for n, fr := range f.frames {
		if _, err := fmt.Fprintf(w, "<script type=\"text/plain\" id=\"run%d-frame%d\">\n", run, n); err != nil {
			return err
		}
		for _, p := range fr.planes {
			line = append(base64.StdEncoding.AppendEncode(line[:0], p), '\n')
			if _, err := w.Write(line); err != nil {
				return err
			}
		}
		if _, err := io.WriteString(w, "</script>\n"); err != nil {
			return err
		}
	}
	return nil
}

// frame writes the page with a placeholder for its temperatures, in a separate write.
func (d *Document) frame(w io.Writer) error {
	t, err := template.ParseFS(assets, "assets/page.html")
	if err != nil {
		return err
	}
	style, err := assets.ReadFile("assets/page.css")
	if err != nil {
		return err
	}
	var script bytes.Buffer
	for _, shader := range []string{"vert", "frag"} {
		text, err := assets.ReadFile("assets/solid." + shader)
		if err != nil {
			return err
		}
		fmt.Fprintf(&script, "const %sShader = %q;\n", shader, text)
	}
	for _, name := range scripts() {
		text, err := assets.ReadFile(name)
		if err != nil {
			return err
		}
		script.Write(lean(text))
	}
	data, err := d.data()
	if err != nil {
		return err
	}
	return t.Execute(w, struct {
		*Document
		Style     template.CSS
		Script    template.JS
		Data      template.JS
		Mark      template.HTML
		Precision string
		Axes      []string
	}{d, template.CSS(style), template.JS(script.String()), template.JS(data), fieldsMark, d.precision(),
		[]string{"x", "y", "z"}})
}

// lean leaves indents and lines of comment out of a script, none of which has texts of several lines.
func lean(script []byte) []byte {
	out := make([]byte, 0, len(script))
	for line := range bytes.Lines(script) {
		if line = bytes.TrimLeft(line, " "); !bytes.HasPrefix(line, []byte("//")) {
			out = append(out, line...)
		}
	}
	return out
}

// precision describes the resolution of the map.
func (d *Document) precision() string {
	f := d.Runs[0].Fields
	unit := d.unit.Or("degC")
	text := fmt.Sprintf("Map temperatures have an error of at most %g %s; tables are exact.",
		unit.Difference(f.ErrorK()), unit.DifferenceSymbol())
	if f.factor > 1 {
		text += fmt.Sprintf(" Each cell of the map is the maximum over %d x %d grid cells.", f.factor, f.factor)
	}
	if n := len(d.Steps); n > len(f.frames) {
		text += fmt.Sprintf(" The map contains %d of %d time steps.", len(f.frames), n)
	}
	return text
}

// data is what the scripts read.
func (d *Document) data() ([]byte, error) {
	type frameAbout struct {
		Step int     `json:"step"`
		Time float64 `json:"time"`
	}
	type runAbout struct {
		Name    string       `json:"name"`
		Base    float64      `json:"base"`
		Quantum float64      `json:"quantum"`
		W       int          `json:"w"`
		H       int          `json:"h"`
		Wide    bool         `json:"wide"`
		X       []float64    `json:"x"`
		Y       []float64    `json:"y"`
		Lo      []int32      `json:"lo"`
		Hi      []int32      `json:"hi"`
		Frames  []frameAbout `json:"frames"`
	}
	about := struct {
		*Document
		Steps     [][2]float64 `json:"steps"`
		Compare   string       `json:"compare"`
		Maps      [][2]string  `json:"maps"` // names and colours
		Diverging string       `json:"diverging"`
		PowerMap  string       `json:"powerColours"`
		Power     []Power      `json:"power"`
		Runs      []runAbout   `json:"runs"`
	}{Document: d, Diverging: hex(diverging()), PowerMap: hex(knots(d.PowerColors)), Steps: [][2]float64{}}
	for _, m := range d.Colormaps {
		about.Maps = append(about.Maps, [2]string{m.Name, hex(knots(m.Colours))})
	}
	var err error
	if about.Power, err = d.power(); err != nil {
		return nil, err
	}
	if d.CompareRuns {
		about.Compare = "run"
	}
	for _, s := range outline(d.Steps) {
		about.Steps = append(about.Steps, [2]float64{s.Time, s.MaxK})
	}
	for _, r := range d.Runs {
		f := r.Fields
		a := runAbout{Name: r.Name, Base: f.base, Quantum: f.quantum, W: len(f.x) - 1, H: len(f.y) - 1, Wide: f.wide,
			X: f.x, Y: f.y, Lo: f.lo, Hi: f.hi}
		for k := range a.Lo {
			if a.Lo[k] > a.Hi[k] { // no cell of the plane has a temperature
				a.Lo[k], a.Hi[k] = 0, 0
			}
		}
		for _, fr := range f.frames {
			a.Frames = append(a.Frames, frameAbout{fr.step, max(0, zeroForNaN(fr.time))})
		}
		about.Runs = append(about.Runs, a)
	}
	return json.Marshal(about)
}

func zeroForNaN(v float64) float64 {
	if math.IsNaN(v) {
		return 0
	}
	return v
}

func quoteJSON(s string) []byte {
	b, _ := json.Marshal(s) // strings always marshal
	return b
}

// knotEvery is the distance of the stored colors of a color map; the others are interpolated without visible
// differences.
const knotEvery = 5

// knots are evenly spaced colours, the first and the last among them; assets/canvas.js draws lines between them.
func knots(colours []color.RGBA) []color.RGBA {
	var out []color.RGBA
	for n := 0; n < len(colours); n += knotEvery {
		out = append(out, colours[n])
	}
	return out
}

func hex(colours []color.RGBA) string {
	var b strings.Builder
	for _, c := range colours {
		fmt.Fprintf(&b, "%02x%02x%02x", c.R, c.G, c.B)
	}
	return b.String()
}

// diverging runs from blue over almost white to red, its lightness falling alike on both sides.
func diverging() []color.RGBA {
	ends, middle := [2][3]float64{{0.16, 0.33, 0.68}, {0.72, 0.12, 0.15}}, [3]float64{0.955, 0.95, 0.94}
	out := make([]color.RGBA, 256)
	for n := range out {
		t := 2*float64(n)/255 - 1
		end := ends[0]
		if t > 0 {
			end = ends[1]
		}
		part := func(c int) uint8 {
			return uint8(math.Round(255 * (middle[c] + math.Pow(math.Abs(t), 0.85)*(end[c]-middle[c]))))
		}
		out[n] = color.RGBA{part(0), part(1), part(2), 255}
	}
	return out
}

// mostSteps is the largest number of points in the chart of the hottest cell.
const mostSteps = 20_000

// outline is the steps with a temperature; of very many, the first, the last, and of each of equal parts the coldest
// and the hottest, in order.
func outline(steps []Step) []Step {
	var finite []Step
	for _, s := range steps {
		if s.MaxK-s.MaxK == 0 {
			finite = append(finite, s)
		}
	}
	n := len(finite)
	if n <= mostSteps {
		return finite
	}
	const parts = mostSteps/2 - 1
	out := make([]Step, 0, mostSteps)
	out = append(out, finite[0])
	for p := range parts {
		cold, hot := p*n/parts, p*n/parts
		for i := p * n / parts; i < (p+1)*n/parts; i++ {
			if finite[i].MaxK < finite[cold].MaxK {
				cold = i
			}
			if finite[i].MaxK > finite[hot].MaxK {
				hot = i
			}
		}
		for _, i := range [2]int{min(cold, hot), max(cold, hot)} {
			if finite[i] != out[len(out)-1] {
				out = append(out, finite[i])
			}
		}
	}
	if finite[n-1] != out[len(out)-1] {
		out = append(out, finite[n-1])
	}
	return out
}
