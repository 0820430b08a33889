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
			{Name: "matrix", Type: Text, Required: true, Doc: "Material around them."},
			{Name: "rule", Type: Enum, Enum: mixRules(), DefDoc: "`square` where a pitch is given, else `cylinders`",
				Doc: "How the mixture conducts, see [effective-materials.md](../guides/effective-materials.md)."},
		}, fractionKeys()...)},
		{"ply", "[materials.NAME] laminate", "a ply", []Key{
			{Name: "material", Type: Text, Required: true, Doc: "A material of this file or of the library, another " +
				"mixture among them."},
			{Name: "thickness", Type: Scalar, Quantity: units.Length, Range: Positive, Required: true,
				Doc: "Thickness; only its share of the sum counts."},
		}},
	}
}

// fractionKeys tell how much of a mixture is inclusion.
func fractionKeys() []Key {
	return []Key{
		{Name: "fraction", Type: Scalar, Quantity: units.Number, Range: NonNegative, Doc: "Part of the area that the " +
			"inclusions cover, of the volume under `spheres`; 0 to 1 (\"10 %\" works too)."},
		{Name: "diameter", Type: Scalar, Quantity: units.Length, Range: Positive, Doc: "Diameter of cylinders, in " +
			"place of the fraction."},
		{Name: "pitch", Type: Scalar, Quantity: units.Length, Range: Positive, Doc: "Distance between the axes of " +
			"neighbouring cylinders, with diameter."},
	}
}
