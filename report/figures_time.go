package report

import (
	"cmp"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"thermsim/gpusolve/solution"
	"thermsim/internal/staging"
	"thermsim/mesh"
	"thermsim/report/picture"
	"thermsim/report/quantity"
	"thermsim/report/saved"
	"thermsim/report/statistics"
)

// maxTraces is the number of curves in a chart of traces; the hottest are shown.
const maxTraces = 12

// timeScale chooses the unit of a time axis.
func timeScale(last float64) (factor float64, unit string) {
	for _, u := range []struct {
		limit, factor float64
		unit          string
	}{{2e-6, 1e9, "ns"}, {2e-3, 1e6, "µs"}, {2, 1e3, "ms"}, {7200, 1, "s"}} {
		if last < u.limit {
			return u.factor, u.unit
		}
	}
	return 1.0 / 3600, "h"
}

// traces draws the maxima of the hottest blocks and the probes over time.
func (f *Figures) traces() (*picture.Chart, error) {
	if f.Trace == nil {
		return nil, fmt.Errorf("%w: only transients have traces", errNoData)
	}
	var head []string
	var columns []traceColumn
	var times []float64
	err := f.eachTraceRow(func(row []string) error {
		if head == nil {
			head = slices.Clone(row)
			columns = curvesOf(head)
			return nil
		}
		t, err := strconv.ParseFloat(row[0], 64)
		if err != nil {
			return fmt.Errorf("the trace %w: %w", saved.ErrDamaged, err)
		}
		times = append(times, t)
		for i := range columns {
			c := &columns[i]
			if v := c.celsius(row); v > c.top {
				c.top = v
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(times) == 0 || len(head) < 3 {
		return nil, fmt.Errorf("%w: the trace is empty", errNoData)
	}
	var start []float64
	unit := f.Scale.Or("degC")
	if f.StartK > 0 {
		start, times = []float64{unit.Of(f.StartK)}, append([]float64{0}, times...)
	}
	factor, second := timeScale(times[len(times)-1])
	for i := range times {
		times[i] *= factor
	}
	hottest := columns[min(1, len(columns)):]
	dots := f.measuredDots(factor)
	slices.SortStableFunc(hottest, func(a, b traceColumn) int {
		return cmp.Or(cmp.Compare(min(1, len(dots[b.name])), min(1, len(dots[a.name]))), cmp.Compare(b.top, a.top))
	})
	subtitle := "hottest cell, and the maximum of every block"
	if len(columns) > maxTraces {
		subtitle = fmt.Sprintf("hottest cell, and the %d hottest of %d blocks and probes", maxTraces-1, len(columns)-1)
		columns = columns[:maxTraces]
	}
	curves := make([]picture.Curve, len(columns))
	for i := range columns {
		curves[i] = picture.Curve{Name: columns[i].name, X: times, Y: append(make([]float64, 0, len(times)), start...),
			Dots: dots[columns[i].name]}
		if len(curves[i].Dots) > 0 {
			curves[i].Name += ", dots: measured"
		}
	}
	first := true
	err = f.eachTraceRow(func(row []string) error {
		for i := range columns {
			if !first {
				curves[i].Y = append(curves[i].Y, unit.Of(columns[i].celsius(row)+quantity.ZeroCelsius))
			}
		}
		first = false
		return nil
	})
	if err != nil {
		return nil, err
	}
	return &picture.Chart{
		Title: f.Style.title(f.Mesh, f.Summary.Caveat()), Subtitle: subtitle, X: "time (" + second + ")",
		Y: "temperature (" + unit.Symbol() + ")", Curves: curves, Limits: f.limitLines(), Look: f.look(),
	}, nil
}

// measuredDots are the measured temperatures by probe, at times in units of 1/factor s.
func (f *Figures) measuredDots(factor float64) map[string][]picture.Dot {
	dots := map[string][]picture.Dot{}
	if f.Summary.Measured != nil {
		for _, v := range f.Summary.Measured.Values {
			if !math.IsNaN(v.TimeS) {
				dots[v.Probe] = append(dots[v.Probe], picture.Dot{X: v.TimeS * factor,
					Y: f.Scale.Or("degC").Of(v.MeasuredK)})
			}
		}
	}
	return dots
}

// limitLines are the different limits of the run.
func (f *Figures) limitLines() (lines []picture.Limit) {
	unit := f.Scale.Or("degC")
	for i := range f.Summary.Limits {
		limit := unit.Of(f.Summary.Limits[i].TMaxK)
		line := picture.Limit{Name: fmt.Sprintf("limit %.4g %s", limit, unit.Symbol()), Y: limit}
		if !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	return lines
}

// eachTraceRow passes the rows of the trace to do, the header first. A row is valid until the next one.
func (f *Figures) eachTraceRow(do func(row []string) error) error {
	in, err := f.Trace()
	if err != nil {
		return err
	}
	defer in.Close()
	rows := csv.NewReader(in)
	rows.ReuseRecord = true
	for {
		row, err := rows.Read()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("the trace %w: %w", saved.ErrDamaged, err)
		}
		if err := do(row); err != nil {
			return err
		}
	}
}

// traceColumn is a temperature column of a trace.
type traceColumn struct {
	at   int
	name string
	top  float64 // highest value so far, degC
}

// celsius returns the temperature of the column in a row, or NaN.
func (c *traceColumn) celsius(row []string) float64 {
	v, err := strconv.ParseFloat(row[c.at], 64)
	if err != nil {
		return math.NaN()
	}
	return v - quantity.ZeroCelsius
}

// curvesOf returns the columns of maxima and probes.
func curvesOf(head []string) (columns []traceColumn) {
	for at, title := range head {
		name, curve := strings.CutSuffix(title, "_max_K")
		switch {
		case title == "max_K":
			name, curve = "hottest cell", true
		case !curve && strings.HasSuffix(title, "_K") && !strings.HasSuffix(title, "_mean_K"):
			name, curve = strings.TrimSuffix(title, "_K"), true // a probe
		}
		if curve {
			columns = append(columns, traceColumn{at, name, math.Inf(-1)})
		}
	}
	return columns
}

// history draws the estimated error by iteration: of a steady solve, or of the first, middle and last step.
func (f *Figures) history() (*picture.Chart, error) {
	c := &picture.Chart{
		Title: f.Style.title(f.Mesh, f.Summary.Caveat()), X: "iteration", Y: "estimated largest error (K)", Log: true,
		Look:     f.Style.look(),
		Subtitle: fmt.Sprintf("%s with %s", f.Summary.Solver.Method, f.Summary.Solver.Preconditioner),
	}
	var steps []int
	by := map[int]*picture.Curve{}
	for _, h := range f.History {
		if !(h.ErrorK > 0) || math.IsInf(h.ErrorK, 0) {
			continue
		}
		k := by[h.Step]
		if k == nil {
			k = &picture.Curve{Name: "steady state"}
			if h.Step > 0 {
				k.Name = fmt.Sprintf("step %d", h.Step)
			}
			by[h.Step] = k
			steps = append(steps, h.Step)
		}
		k.X, k.Y = append(k.X, float64(h.Iteration)), append(k.Y, h.ErrorK)
	}
	if len(steps) == 0 {
		return nil, fmt.Errorf("%w: the solver gave no estimate of the error from iteration to iteration", errNoData)
	}
	slices.Sort(steps)
	for _, n := range slices.Compact([]int{0, len(steps) / 2, len(steps) - 1}) {
		c.Curves = append(c.Curves, *by[steps[n]])
	}
	return c, nil
}

// FrameRecorder stores the maps of one layer for each step, at the resolution of the animation.
type FrameRecorder struct {
	m      *mesh.Mesh
	layer  int
	times  []float64
	maps   [][]float64
	x, y   []float64
	plane  []float64
	reader planeReader
	lo, hi float64
	seen   int   // number of recorded maps
	at     []int // numbers of the stored maps, from 1: multiples of the stride, and the last
	stride int
}

// frameCells is the largest number of cells along an axis of an animation.
const frameCells = 512

// NewFrameRecorder records a layer, by default (empty name) the one with the most power.
func NewFrameRecorder(m *mesh.Mesh, name string) (*FrameRecorder, error) {
	layer := mainLayer(m)
	if name != "" {
		if err := CheckMaps(m.Stack, []string{name}); err != nil || name == "all" {
			return nil, fmt.Errorf("an animation shows one layer: %w", cmp.Or(err, fmt.Errorf("not %q", name)))
		}
		for l := range m.Stack.Layers {
			if m.Stack.Layers[l].Name == name {
				layer = l
			}
		}
	}
	r := &FrameRecorder{m: m, layer: layer, plane: make([]float64, m.NX()*m.NY()), x: m.X, y: m.Y, lo: math.Inf(1),
		hi: math.Inf(-1), stride: 1}
	if m.NX() > frameCells {
		r.x = even(m.X, frameCells)
	}
	if m.NY() > frameCells {
		r.y = even(m.Y, frameCells)
	}
	return r, nil
}

// mainLayer is the layer with the largest steady power, or the first layer with a source.
func mainLayer(m *mesh.Mesh) int {
	best := 0
	if len(m.Power.Layers) > 0 {
		best = m.Power.Layers[0].Layer
	}
	watts, err := statistics.Interval{}.LayerWatts(m)
	if err != nil {
		return best
	}
	for l, w := range watts {
		if w > watts[best] {
			best = l
		}
	}
	return best
}

func even(faces []float64, n int) []float64 {
	at := make([]float64, n+1)
	for i := range at {
		at[i] = faces[0] + (faces[len(faces)-1]-faces[0])*float64(i)/float64(n)
	}
	return at
}

// Reads implements Recorder: every step is read.
func (r *FrameRecorder) Reads(int) bool { return true }

// Step stores the map at the end of the step.
func (r *FrameRecorder) Step(_ int, step solution.Step, f solution.Field) error {
	if err := r.reader.planes(f, r.m.LayerPlanes[r.layer], r.plane); err != nil {
		return err
	}
	kept := slices.Clone(r.plane)
	if len(r.x) < len(r.m.X) || len(r.y) < len(r.m.Y) {
		kept = picture.Thumbnail(r.m.X, r.m.Y, r.plane, len(r.x)-1, len(r.y)-1)
	}
	for _, v := range kept {
		r.lo, r.hi = min(r.lo, v), max(r.hi, v)
	}
	r.keep(step.Time, kept)
	return nil
}

// Finish does nothing: Figures draws the stored maps.
func (r *FrameRecorder) Finish(context.Context, *End) error { return nil }

// maxFrames of an animation; longer transients show evenly spaced steps.
const maxFrames = 400

// keep appends a map, and drops every other map when there are more than 2 maxFrames.
func (r *FrameRecorder) keep(t float64, kelvin []float64) {
	r.seen++
	if n := len(r.at) - 1; n >= 0 && r.at[n]%r.stride != 0 { // it was stored as the last map only
		r.at, r.times, r.maps = r.at[:n], r.times[:n], r.maps[:n]
	}
	r.at, r.times, r.maps = append(r.at, r.seen), append(r.times, t), append(r.maps, kelvin)
	if len(r.maps) <= 2*maxFrames {
		return
	}
	r.stride *= 2
	n := 0
	for i, at := range r.at {
		if at%r.stride == 0 || at == r.seen {
			r.at[n], r.times[n], r.maps[n] = at, r.times[i], r.maps[i]
			n++
		}
	}
	clear(r.maps[n:])
	r.at, r.times, r.maps = r.at[:n], r.times[:n], r.maps[:n]
}

// animation draws the recorded frames as animated pictures.
func (f *Figures) animation() ([]staging.File, error) {
	a, err := f.frames()
	if err != nil {
		return nil, err
	}
	return []staging.File{
		{Name: "animation.gif", Write: func(w io.Writer) error { return a.Write(w, picture.GIF) }},
		{Name: "animation.apng", Write: func(w io.Writer) error { return a.Write(w, picture.APNG) }},
	}, nil
}

// epochs draws each recorded frame as a map.
func (f *Figures) epochs() (files []staging.File, err error) {
	a, err := f.frames()
	if err != nil {
		return nil, err
	}
	for n, frame := range a.Frames {
		h := a.Map
		h.Subtitle, h.Kelvin = frame.Subtitle, frame.Kelvin
		files = append(files, f.Style.files(fmt.Sprintf("epoch_%04d", n+1), h.Write)...)
	}
	return files, nil
}

// frames prepares the recorded frames.
func (f *Figures) frames() (*picture.Animation, error) {
	r := f.Frames
	if r == nil || len(r.maps) < 2 {
		return nil, fmt.Errorf("%w: an animation needs the maps of several steps of a transient", errNoData)
	}
	m := f.Mesh
	lo, hi := f.Style.colors(r.lo, r.hi)
	a := &picture.Animation{
		Map: picture.HeatMap{
			Title: f.Style.title(m, f.Summary.Caveat()), X: r.x, Y: r.y, Lo: lo, Hi: hi,
			Blocks: blockOutlines(m.Stack, r.layer), Regions: regionOutlines(m.Stack, r.layer),
			Flow: flowOf(m, r.layer), Look: f.look(),
		},
		Delay: 80 * time.Millisecond,
	}
	factor, unit := timeScale(r.times[len(r.times)-1])
	shown := min(len(r.maps), maxFrames)
	for n := range shown {
		i := n * (len(r.maps) - 1) / max(1, shown-1)
		a.Frames = append(a.Frames, picture.AnimationFrame{
			Subtitle: fmt.Sprintf("layer %s, t = %s %s", m.Stack.Layers[r.layer].Name,
				quantity.Significant(r.times[i]*factor, 4), unit), Kelvin: r.maps[i],
		})
	}
	return a, nil
}

// TraceReader opens trace.csv, which may be larger than the memory.
type TraceReader func() (io.ReadCloser, error)
