package flags

import (
	"errors"
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
	span    *[2]float64 // degC
	title   string
	width   float64 // points
	font    float64 // points
	dpi     float64
	cut     *[2]float64 // m
	toScale bool
	frames  string
	zoom    string
}

// AddFormats adds --formats to a command that draws.
func AddFormats(cmd *cobra.Command, formats *[]string) {
	cmd.Flags().StringSliceVar(formats, "formats", nil,
		"image formats: `LIST` of "+strings.Join(report.PictureFormats(), ",")+", or none (default png)")
	Complete(cmd, "formats", append(report.PictureFormats(), report.NoPictures))
}

// DrawAs is the style of pictures in formats.
func DrawAs(formats []string) (report.PictureStyle, error) {
	style := report.PictureStyle{Formats: formats}
	if err := style.Check(); err != nil {
		return style, exit.Usagef("%w", err)
	}
	return style, nil
}

func (o *Pictures) Add(cmd *cobra.Command) {
	f := cmd.Flags()
	AddFormats(cmd, &o.formats)
	figures := strings.Replace(strings.Join(report.FigureNames(), ","), "x,section-y", "x|y", 1) // fits on a line
	f.StringSliceVar(&o.figures, "figures", nil, "draw `LIST`: "+figures+",all")
	f.StringVar(&o.colors, "colors", "inferno", "`NAME` of "+strings.Join(report.Colormaps(), ", "))
	Var(f, &o.span, "range", "LO:HI", "range of the colors in degC, such as 40:110 (default that of the data)",
		parseColorRange)
	f.StringVar(&o.title, "title", "", "`TEXT` above the pictures (default the stack's title)")
	Var(f, &o.width, "width", "WIDTH", `width of the pictures on paper, such as "85 mm" or "3.3 in"`, parseWidth)
	plain := Quantity{"", parsePlain}
	plain.Var(f, &o.font, "font-size", "size of the numbers on the axes in `POINTS`")
	plain.Var(f, &o.dpi, "dpi", "resolution of PNGs in `PIXELS` per inch (default 72)")
	Var(f, &o.cut, "cut", "X,Y", `point in mm through which sections go (default the hottest point)`, parseCut)
	f.BoolVar(&o.toScale, "to-scale", false, "draw sections without stretching thin layers")
	f.StringVar(&o.frames, "frames", "", "`LAYER` that the animation shows (default the one with the most power)")
	f.StringVar(&o.zoom, "zoom", "", "`REGION` or block around which maps, panels and sections are cut")
	for flag, values := range map[string][]string{
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
	for _, name := range []string{"traces", "maxima", "animation", "epochs"} {
		if !transient && slices.Contains(o.figures, name) {
			return exit.Usagef("--figures: %s shows time steps, which a steady state does not have; use "+
				"'thermsim transient'", name)
		}
	}
	if c := o.cut; c != nil && (c[0] < 0 || c[1] < 0 || c[0] > s.Size[0] || c[1] > s.Size[1]) {
		return exit.Usagef("--cut %g,%g is outside the stack, which is %g x %g mm", c[0]*1e3, c[1]*1e3, s.Size[0]*1e3,
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
		WidthPt: o.width, FontPt: o.font, DPI: o.dpi}
	if o.span != nil {
		s.LoK, s.HiK = o.span[0]+zeroCelsius, o.span[1]+zeroCelsius
	}
	return s
}

// Apply sets the options of the report.
func (o *Pictures) Apply(to *report.Options, maps []string) {
	to.Maps, to.LargeCSV, to.FrameLayer = maps, len(maps) > 0, o.frames
	to.Style, to.Figures, to.ToScale = o.style(), o.figures, o.toScale
	to.At = [2]float64{math.NaN(), math.NaN()}
	if o.cut != nil {
		to.At = *o.cut
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

// parseColorRange reads --range.
func parseColorRange(text string) (*[2]float64, error) {
	from, to, ok := strings.Cut(text, ":")
	lo, errLo := inputfile.Number(strings.TrimSpace(from))
	hi, errHi := inputfile.Number(strings.TrimSpace(to))
	if !ok || errLo != nil || errHi != nil || !(hi > lo) || math.IsInf(hi-lo, 0) || lo < -zeroCelsius {
		return nil, errors.New("write two temperatures in degC, the lower first, as in 40:110")
	}
	return &[2]float64{lo, hi}, nil
}

// parseWidth reads --width.
func parseWidth(text string) (float64, error) {
	number, unit := strings.TrimSpace(text), 1.0
	for name, points := range map[string]float64{"mm": 72 / 25.4, "cm": 72 / 2.54, "in": 72, "pt": 1} {
		if rest, ok := strings.CutSuffix(number, name); ok {
			number, unit = strings.TrimSpace(rest), points
			break
		}
	}
	v, err := inputfile.Number(number)
	if err != nil || !(v*unit >= 60) || v*unit > 20000 {
		return 0, errors.New(`write a width of at least 60 pt, such as "85 mm", "3.3 in" or "240 pt"`)
	}
	return v * unit, nil
}

// parseCut reads --cut.
func parseCut(text string) (*[2]float64, error) {
	a, b, ok := strings.Cut(text, ",")
	x, errX := inputfile.Number(strings.TrimSpace(a))
	y, errY := inputfile.Number(strings.TrimSpace(b))
	if !ok || errX != nil || errY != nil || math.IsInf(x+y, 0) || math.IsNaN(x+y) {
		return nil, errors.New("write the place as X,Y in mm, as in 3.2,4")
	}
	return &[2]float64{x * 1e-3, y * 1e-3}, nil
}
