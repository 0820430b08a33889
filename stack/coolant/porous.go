package coolant

import "math"

// DarcyDrop is the pressure in Pa that a superficial velocity in m/s takes over a length in m of a medium with a
// permeability in m2: mu v L / K (H. Darcy, Les fontaines publiques de la ville de Dijon, 1856).
func DarcyDrop(f Fluid, velocity, permeability, length float64) float64 {
	return f.Viscosity * velocity * length / permeability
}

// DarcyVelocity is the superficial velocity in m/s that a pressure in Pa drives.
func DarcyVelocity(f Fluid, pressure, permeability, length float64) float64 {
	return pressure * permeability / (f.Viscosity * length)
}

// PoreReynolds is the number of a superficial velocity by the root of the permeability. From about MostDarcy on inertia
// adds to Darcy's law (D. A. Nield and A. Bejan, Convection in Porous Media, section 1.5).
func PoreReynolds(f Fluid, velocity, permeability float64) float64 {
	return f.Density * velocity * math.Sqrt(permeability) / f.Viscosity
}

// MostDarcy is the number of PoreReynolds up to which Darcy's law holds.
const MostDarcy = 1
