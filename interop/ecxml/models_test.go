package ecxml

import "fmt"

// plainMaterial is an isotropic material.
func plainMaterial(name string, k float64) string {
	return fmt.Sprintf("<material><name>%s</name><density>1000</density><specific_heat>1000</specific_heat>"+
		"<thermalConductivity><isotropic><conductivity>%g</conductivity></isotropic></thermalConductivity></material>",
		name, k)
}

// cuboidText is a solid of a material, its corners in units of a length in m.
func cuboidText(material string, lo, hi [3]int, unit float64) string {
	v := func(tag string, p [3]int) string {
		return fmt.Sprintf("<%s><x>%.9g</x><y>%.9g</y><z>%.9g</z></%s>", tag, float64(p[0])*unit, float64(p[1])*unit,
			float64(p[2])*unit, tag)
	}
	return "<solid3dBlock><name>" + material + "</name>" + v("location", lo) +
		v("size", [3]int{hi[0] - lo[0], hi[1] - lo[1], hi[2] - lo[2]}) + "<material>" + material +
		"</material></solid3dBlock>\n"
}
