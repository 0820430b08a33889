package summary

import (
	"fmt"
	"strings"

	"thermsim/report/quantity"
)

// Film is a face whose heat transfer coefficient follows the temperature of its surface, at the end.
type Film struct {
	Face        string  `json:"face"`          // bottom, top, west, east, south or north
	MeanH       float64 `json:"mean_h_W_m2K"`  // over the area
	SurfaceMinK float64 `json:"surface_min_K"` // lowest of the surface
	SurfaceMaxK float64 `json:"surface_max_K"` // highest of the surface
	ConvectionW float64 `json:"convection_W"`  // by the constant, the law and natural convection; leaving is positive
	RadiationW  float64 `json:"radiation_W"`   // leaving is positive
	// Rayleigh number at the surface's temperature farthest from ambient; absent without natural convection.
	Rayleigh float64 `json:"rayleigh,omitempty"`
	// What lies beyond the range of the formula or the law; absent where nothing does.
	Outside string `json:"outside,omitempty"`
}

// String is the face in a line.
func (f *Film) String() string { return strings.Join(f.Parts(), ", ") }

// Parts are what people read of it.
func (f *Film) Parts() []string {
	parts := []string{fmt.Sprintf("%s h %.4g W/(m2 K) on average", f.Face, f.MeanH),
		fmt.Sprintf("surface %.2f to %.2f degC", f.SurfaceMinK-quantity.ZeroCelsius,
			f.SurfaceMaxK-quantity.ZeroCelsius)}
	if f.ConvectionW != 0 {
		parts = append(parts, fmt.Sprintf("convection %.4g", f.ConvectionW))
	}
	if f.RadiationW != 0 {
		parts = append(parts, fmt.Sprintf("radiation %.4g", f.RadiationW))
	}
	return parts
}

// Patch is a patch of a face, or what the patches of a face leave of it, at the end.
type Patch struct {
	Face   string  `json:"face"`    // bottom, top, west, east, south or north
	Name   string  `json:"name"`    // of the patch; "" for what patches leave of the face
	AreaM2 float64 `json:"area_m2"` // that is seen, without what later patches cover
	HeatW  float64 `json:"heat_W"`  // leaving is positive
}
