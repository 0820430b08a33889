package stack

import (
	"fmt"
	"slices"
)

// Unfollowable lists the places where a material follows the temperature and cannot: fills, and layers with circles or
// polygons, whose edges cut cells. Validate reports them.
func (s *Stack) Unfollowable() ErrorList {
	var list ErrorList
	for l := range s.Layers {
		y := &s.Layers[l]
		what := fmt.Sprintf("layer %q", shorten(y.Name))
		if e := s.warmFill(y); e != nil {
			e.Msg = what + ": " + e.Msg
			list = append(list, e)
		}
		if e := s.warmShape(y); e != nil {
			e.Msg = what + ": " + e.Msg
			list = append(list, e)
		}
	}
	return list
}

// follows says whether there is such a material, and whether it follows the temperature.
func (s *Stack) follows(material int) bool {
	return material >= 0 && material < len(s.Materials) && s.Materials[material].TemperatureDependent()
}

// warmFill finds the first fill of a layer with a material that follows the temperature; nil where there is none.
func (s *Stack) warmFill(y *Layer) *Error {
	for i := range y.Regions {
		r := &y.Regions[i]
		if r.Fill == nil {
			continue
		}
		parts := []int{r.Material, r.Fill.Inclusion}
		if n := slices.IndexFunc(parts, s.follows); n >= 0 {
			return &Error{Pos: r.Pos,
				Msg: fmt.Sprintf("%s: material %q follows the temperature, and a fill cannot", r.what(),
					shorten(s.Materials[parts[n]].Name)),
				Remedy: "take materials of constant properties, or where the fraction is the same everywhere a " +
					"material with mix in place of the fill"}
		}
	}
	return nil
}

// warmShape finds a material that follows the temperature in a layer with circles or polygons; nil where there is none.
func (s *Stack) warmShape(y *Layer) *Error {
	shaped := slices.IndexFunc(y.Regions, func(r Region) bool { return r.Shape != nil })
	if shaped < 0 {
		return nil
	}
	parts := []int{y.Material}
	for i := range y.Regions {
		parts = append(parts, y.Regions[i].Material)
	}
	n := slices.IndexFunc(parts, s.follows)
	if n < 0 {
		return nil
	}
	return &Error{Pos: y.Regions[shaped].Pos,
		Msg: fmt.Sprintf("material %q follows the temperature, and cells that circles and polygons cut cannot",
			shorten(s.Materials[parts[n]].Name)),
		Remedy: "take materials of constant properties in this layer, or draw its regions as rectangles"}
}
