package flags

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"thermsim/cmd/thermsim/exit"
	"thermsim/gpusolve"
	"thermsim/internal/inputfile"
	"thermsim/report"
	"thermsim/stack"
)

// Pictures are the flags that say which pictures are drawn, and how.
type Pictures struct {
	formats []string
	figures []string
	colors  string
	span    colorRange
	title   string
	width   paperWidth
	font    Quantity
	dpi     Quantity
	cut     cutPoint
	toScale bool
	frames  string
	zoom    string
}

func (o *Pictures) Add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringSliceVar(&o.formats, "formats", nil,
		"draw as "+strings.Join(report.PictureFormats(), ", ")+": one or a `LIST`, or none (default png)")
	f.StringSliceVar(&o.figures, "figures", nil, "`LIST` of "+strings.Join(report.FigureNames(), ",")+" or all")
	f.StringVar(&o.colors, "colors", "inferno", "`NAME` of "+strings.Join(report.Colormaps(), ", "))
	f.Var(&o.span, "range", "range of the colours in degC, such as 40:110 (default that of the data)")
	f.StringVar(&o.title, "title", "", "`TEXT` above the pictures (default the stack's title)")
	f.Var(&o.width, "width", `width of the pictures on paper, such as "85 mm" or "3.3 in"`)
	o.font, o.dpi = Quantity{Kind: "POINTS", Parse: parsePlain}, Quantity{Kind: "PIXELS", Parse: parsePlain}
	f.Var(&o.font, "font-size", "size of the numbers on the axes in `POINTS`")
	f.Var(&o.dpi, "dpi", "resolution of PNGs in `PIXELS` per inch (default 72)")
	f.Var(&o.cut, "cut", `point in mm through which sections go (default the hottest point)`)
	f.BoolVar(&o.toScale, "to-scale", false, "draw sections without stretching thin layers")
	f.StringVar(&o.frames, "frames", "", "`LAYER` that the animation shows (default the one with the most power)")
	f.StringVar(&o.zoom, "zoom", "", "`REGION` or block around which maps, panels and sections are cut")
	for flag, values := range map[string][]string{"formats": append(report.PictureFormats(), report.NoPictures),
		"figures": append(report.FigureNames(), "all"), "colors": report.Colormaps()} {
		Complete(cmd, flag, values)
	}
}

// Check judges the flags before anything is solved.
func (o *Pictures) Check(s *stack.Stack, transient bool) error {
	if err := report.CheckFigures(o.figures); err != nil {
		return exit.Usagef("--figures: %w", err)
	}
	style := o.style()
	if err := style.Check(); err != nil {
		return exit.Usagef("%w", err)
	}
	if err := style.CheckSize(s); err != nil {
		return exit.Usagef("--width and --dpi: %w", err)
	}
	if err := style.CheckZoom(s); err != nil {
		return exit.Usagef("--zoom: %w", err)
	}
	for _, name := range []string{"traces", "maxima", "animation"} {
		if !transient && slices.Contains(o.figures, name) {
			return exit.Usagef("--figures: %s shows time steps, which a steady state does not have; use "+
				"'thermsim transient'", name)
		}
	}
	if c := o.cut; c.given && (c.x < 0 || c.y < 0 || c.x > s.Size[0] || c.y > s.Size[1]) {
		return exit.Usagef("--cut %s is outside the stack, which is %g x %g mm", o.cut.String(), s.Size[0]*1e3,
			s.Size[1]*1e3)
	}
	if o.frames != "" {
		if err := report.CheckMaps(s, []string{o.frames}); err != nil || o.frames == "all" {
			return exit.Usagef("--frames: an animation shows one layer, and %q is none of the stack's", o.frames)
		}
	}
	return nil
}

func (o *Pictures) Wants(figure string) bool {
	return slices.Contains(o.figures, figure) || slices.Contains(o.figures, "all")
}

func (o *Pictures) style() report.PictureStyle {
	s := report.PictureStyle{Formats: o.formats, Colors: o.colors, Title: o.title, Zoom: o.zoom,
		WidthPt: o.width.points, FontPt: o.font.Value, DPI: o.dpi.Value}
	if o.span.given {
		s.LoK, s.HiK = o.span.lo+zeroCelsius, o.span.hi+zeroCelsius
	}
	return s
}

// Apply hands the wishes on.
func (o *Pictures) Apply(to *report.Options, maps []string) {
	to.Maps, to.LargeCSV, to.FrameLayer = maps, len(maps) > 0, o.frames
	to.Style, to.Figures, to.ToScale = o.style(), o.figures, o.toScale
	to.At = [2]float64{math.NaN(), math.NaN()}
	if o.cut.given {
		to.At = [2]float64{o.cut.x, o.cut.y}
	}
}

// mostHistory bounds the course of a solve that is noted.
const mostHistory = 200_000

// History notes the course of the solve for charts and saved runs, and passes it on.
func (o *Pictures) History(to *gpusolve.Options) *[]report.HistoryPoint {
	points := new([]report.HistoryPoint)
	next := to.Progress
	to.Progress = func(p gpusolve.Progress) {
		step := 0
		if p.Steps > 0 {
			step = p.Step + 1
		}
		if len(*points) < mostHistory {
			*points = append(*points, report.HistoryPoint{Step: step, Iteration: p.Iteration, ErrorK: p.ErrorK})
		}
		if next != nil {
			next(p)
		}
	}
	return points
}

const zeroCelsius = 273.15 // K

// colorRange is --range, in degC.
type colorRange struct {
	lo, hi float64
	given  bool
}

func (r *colorRange) Set(text string) error {
	from, to, ok := strings.Cut(text, ":")
	lo, errLo := inputfile.Number(strings.TrimSpace(from))
	hi, errHi := inputfile.Number(strings.TrimSpace(to))
	if !ok || errLo != nil || errHi != nil || !(hi > lo) || math.IsInf(hi-lo, 0) || lo < -zeroCelsius {
		return errors.New("write two temperatures in degC, the lower first, as in 40:110")
	}
	*r = colorRange{lo, hi, true}
	return nil
}

func (r *colorRange) String() string {
	if !r.given {
		return ""
	}
	return fmt.Sprintf("%g:%g", r.lo, r.hi)
}

func (r *colorRange) Type() string { return "LO:HI" }

// paperWidth is --width.
type paperWidth struct {
	points float64
	text   string
}

func (w *paperWidth) Set(text string) error {
	number, unit := strings.TrimSpace(text), 1.0
	for name, points := range map[string]float64{"mm": 72 / 25.4, "cm": 72 / 2.54, "in": 72, "pt": 1} {
		if rest, ok := strings.CutSuffix(number, name); ok {
			number, unit = strings.TrimSpace(rest), points
			break
		}
	}
	v, err := inputfile.Number(number)
	if err != nil || !(v*unit >= 60) || v*unit > 20000 {
		return errors.New(`write a width of at least 60 pt, such as "85 mm", "3.3 in" or "240 pt"`)
	}
	w.points, w.text = v*unit, text
	return nil
}

func (w *paperWidth) String() string { return w.text }
func (w *paperWidth) Type() string   { return "WIDTH" }

// cutPoint is --cut, in mm.
type cutPoint struct {
	x, y  float64 // m
	given bool
}

func (c *cutPoint) Set(text string) error {
	a, b, ok := strings.Cut(text, ",")
	x, errX := inputfile.Number(strings.TrimSpace(a))
	y, errY := inputfile.Number(strings.TrimSpace(b))
	if !ok || errX != nil || errY != nil || math.IsInf(x+y, 0) || math.IsNaN(x+y) {
		return errors.New("write the place as X,Y in mm, as in 3.2,4")
	}
	*c = cutPoint{x * 1e-3, y * 1e-3, true}
	return nil
}

func (c *cutPoint) String() string {
	if !c.given {
		return ""
	}
	return fmt.Sprintf("%g,%g", c.x*1e3, c.y*1e3)
}

func (c *cutPoint) Type() string { return "X,Y" }
