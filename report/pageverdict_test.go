package report

import (
	"strings"
	"testing"

	"thermsim/report/samples"
	"thermsim/stack"
)

// A report of a layer with very many regions does not draw each of them.
func TestDrawingOfManyRegions(t *testing.T) {
	size := func(regions int) int {
		r := sampleRun(t, 10, 8)
		for n := range regions {
			r.Mesh.Stack.Layers[0].Regions = append(r.Mesh.Stack.Layers[0].Regions, stack.Region{
				Rect: samples.Rect(float64(n)*1e-6, 0, 1e-6, 1e-3)[0], Material: 1})
		}
		svg, err := drawing(r.Mesh)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := strings.Contains(string(svg), "Without the"), regions > mostParts; got != want {
			t.Errorf("%d regions: omitted %v, expected %v", regions, got, want)
		}
		return len(svg)
	}
	if none, many := size(0), size(mostParts+1); many > none+1000 {
		t.Errorf("%d bytes for very many regions, %d without any", many, none)
	}
	size(3)
}
