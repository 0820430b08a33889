package keys

import "thermsim/stack/internal/units"

// mixRules are the rules of package stack, which this package must not import; a test there compares the two lists.
func mixRules() []string {
	return []string{"cylinders", "square", "hexagonal", "lines-x", "lines-y", "pattern", "upper", "lower", "spheres"}
}

func mixtureSpecs() []Spec {
	return []Spec{
		{"mix", "[materials.NAME] mix", "a mixture", append([]Key{
			{Name: "inclusion", Type: Text, Required: true, Doc: "Material of the inclusions."},
			{Name: "matrix", Type: Text, Required: true, Doc: "Surrounding material."},
			{Name: "rule", Type: Enum, Enum: mixRules(), DefDoc: "`square` with a pitch, else `cylinders`",
				Doc: "Mixing rule, see [effective-materials.md](../guides/effective-materials.md)."},
		}, fractionKeys()...)},
		{"ply", "[materials.NAME] laminate", "a ply", []Key{
			{Name: "material", Type: Text, Required: true,
				Doc: "A material of this file or of the library; mixtures are allowed."},
			{Name: "thickness", Type: Scalar, Quantity: units.Length, Range: Positive, Required: true,
				Doc: "Thickness; only the ratio to the total matters."},
		}},
	}
}

// fractionKeys tell how much of a mixture is inclusion.
func fractionKeys() []Key {
	return []Key{
		{Name: "fraction", Type: Scalar, Quantity: units.Number, Range: NonNegative,
			Doc: "Area fraction of the inclusions (volume fraction with `spheres`), 0 to 1 (or \"10 %\")."},
		{Name: "diameter", Type: Scalar, Quantity: units.Length, Range: Positive,
			Doc: "Diameter of cylinders, instead of the fraction."},
		{Name: "pitch", Type: Scalar, Quantity: units.Length, Range: Positive,
			Doc: "Distance between the axes of neighboring cylinders, with diameter."},
	}
}
