package picture

// Look is how a picture is drawn. The zero value leaves everything to the layout.
type Look struct {
	Colors *Colormap // of temperatures; inferno where nil
	Width  float64   // of the whole picture in points (1/72 inch), 0 for as wide as the layout likes
	Font   float64   // size of the numbers on the axes in points, 0 for what suits the width
	DPI    float64   // pixels per inch of a PNG; 0 for 72, one pixel a point
}

// layoutFont is the size in pixels that the layout gives the numbers on the axes; everything else is in proportion.
const layoutFont = 13

// perPoint is the number of the layout's pixels in a point of the result.
func (l *Look) perPoint() float64 {
	font := l.Font
	if font <= 0 {
		font = layoutFont
		if l.Width > 0 {
			font = min(max(l.Width/60, 7), layoutFont)
		}
	}
	return layoutFont / font
}

// width of the picture in the layout's pixels, 0 for free.
func (l *Look) width() int { return int(l.Width*l.perPoint() + 0.5) }

// factor is the number of pixels of a PNG per pixel of the layout.
func (l *Look) factor() float64 {
	dpi := l.DPI
	if dpi <= 0 {
		dpi = 72
	}
	return dpi / 72 / l.perPoint()
}

func (l *Look) colors() *Colormap {
	if l.Colors == nil {
		return Inferno()
	}
	return l.Colors
}

// Format is a kind of file.
type Format string

// The formats.
const (
	PNG Format = "png"
	SVG Format = "svg"
	PDF Format = "pdf"
)

// Formats lists them.
func Formats() []Format { return []Format{PNG, SVG, PDF} }
