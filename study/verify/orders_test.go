package verify

import (
	"math"
	"testing"

	"thermsim/stack"
)

// The method of manufactured solutions for single terms of the equations: a field is chosen on a block of 4 x 1 x
// 0.5 mm, its heat flux through the faces of every cell gives the power of the cell, and the error at the centers must
// fall with the square of the size of the cells. The case "manufactured" does the same for an orthotropic block.

const (
	blockLength, blockHeight = 4e-3, 0.5e-3
	blockTop                 = 50.0 // K, rise of the top
)

// chosenField has the rise rise(x, z) and the flux flux(x, z) along x and z, adiabatic on the bottom and the sides.
type chosenField struct {
	rise func(x, z float64) float64
	flux func(x, z float64) (qx, qz float64)
	// leakage is that of a cell, W, in addition to its power.
	leakage func(x0, x1, z0, z1 float64) float64
	// complete adds what the field needs to a stack with one layer per plane.
	complete func(st *stack.Stack)
}

// wave is the rise blockTop + c (L^2 - z^2) + b cos(pi x/a) cos(pi z/2L), which is blockTop at the top, and its
// gradient.
func wave(b, c float64) (rise func(x, z float64) float64, gradient func(x, z float64) (gx, gz float64)) {
	const along, up = math.Pi / blockLength, math.Pi / 2 / blockHeight
	rise = func(x, z float64) float64 {
		return blockTop + c*(blockHeight*blockHeight-z*z) + b*math.Cos(along*x)*math.Cos(up*z)
	}
	return rise, func(x, z float64) (gx, gz float64) {
		return -b * along * math.Sin(along*x) * math.Cos(up*z), -2*c*z - b*up*math.Cos(along*x)*math.Sin(up*z)
	}
}

// gauss integrates over an interval by Gauss's rule of three points.
func gauss(from, to float64, f func(v float64) float64) float64 {
	middle, half := (from+to)/2, (to-from)/2
	at := half * math.Sqrt(0.6)
	return half / 9 * (5*f(middle-at) + 8*f(middle) + 5*f(middle+at))
}

// chosenStack is the stack of a field on nx x 1 x nz cells.
func chosenStack(c chosenField, nx, nz int) *stack.Stack {
	st := newStack("chosen field", blockLength, 1e-3, nx, 1)
	st.Boundary[stack.Top] = fixedTemperature(ambient + blockTop)
	material := addMaterial(st, "block", isotropic(blockK), 1e6)
	for k := range nz {
		z0, z1 := blockHeight*float64(k)/float64(nz), blockHeight*float64(k+1)/float64(nz)
		watts := make([]float64, nx)
		for i := range watts {
			x0, x1 := blockLength*float64(i)/float64(nx), blockLength*float64(i+1)/float64(nx)
			through := func(x, z float64, axis int) float64 {
				q := [2]float64{}
				q[0], q[1] = c.flux(x, z)
				return q[axis] * 1e-3
			}
			watts[i] = gauss(z0, z1, func(z float64) float64 { return through(x1, z, 0) - through(x0, z, 0) }) +
				gauss(x0, x1, func(x float64) float64 { return through(x, z1, 1) - through(x, z0, 1) })
			if c.leakage != nil {
				watts[i] -= c.leakage(x0, x1, z0, z1)
			}
		}
		st.Layers = append(st.Layers, stack.Layer{Name: "plane", Material: material, Thickness: z1 - z0, Cells: 1,
			Powers: []stack.Power{mapPower(st, nx, 1, watts)}})
	}
	if c.complete != nil {
		c.complete(st)
	}
	return st
}

const blockK = 20.0 // W/(m K)

func constantK(gradient func(x, z float64) (gx, gz float64)) func(x, z float64) (qx, qz float64) {
	return func(x, z float64) (qx, qz float64) {
		gx, gz := gradient(x, z)
		return -blockK * gx, -blockK * gz
	}
}

// chosenFields are one for each term.
func chosenFields() map[string]chosenField {
	rise, gradient := wave(20, 1.5e8)
	all := map[string]chosenField{"constant k": {rise: rise, flux: constantK(gradient)}}

	law := &stack.Curve{Law: stack.PowerLaw, Value: blockK, At: 300, Exponent: 1.3, Range: [2]float64{250, 600}}
	all["k(T)"] = chosenField{rise: rise, flux: func(x, z float64) (qx, qz float64) {
		gx, gz := gradient(x, z)
		k := blockK * math.Pow(300/(ambient+rise(x, z)), 1.3)
		return -k * gx, -k * gz
	}, complete: func(st *stack.Stack) { st.Materials[0].KCurve = [3]*stack.Curve{law, law, law} }}

	all["patch with a map of h"] = chosenField{rise: rise, flux: constantK(gradient),
		complete: func(st *stack.Stack) { st.Boundary[stack.Top] = mappedFilm(constantK(gradient), st.Grid.X.Cells) }}

	all["leakage"] = leakyField(rise, constantK(gradient))
	all["contact resistance"] = contactField(rise, constantK(gradient))

	const emissivity, stefan = 0.9, 5.670374419e-8
	top := ambient + blockTop
	leaving := emissivity * stefan * (math.Pow(top, 4) - math.Pow(ambient, 4))
	radiant, slope := wave(0, leaving/(2*blockK*blockHeight))
	all["radiation"] = chosenField{rise: radiant, flux: constantK(slope), complete: func(st *stack.Stack) {
		st.Boundary[stack.Top] = stack.Boundary{Kind: stack.Convective, Temperature: ambient}
		st.Boundary[stack.Top].Emissivity = emissivity
	}}
	return all
}

// mappedFilm is the film that takes the flux of a field out of each cell of the top, which is at blockTop.
func mappedFilm(flux func(x, z float64) (qx, qz float64), nx int) stack.Boundary {
	h := make([]float64, nx)
	size := blockLength / float64(nx)
	for i := range h {
		h[i] = gauss(float64(i)*size, float64(i+1)*size, func(x float64) float64 {
			_, q := flux(x, blockHeight)
			return q / size / blockTop
		})
	}
	condition := stack.Boundary{Kind: stack.Convective, Temperature: ambient}
	return stack.Boundary{Temperature: ambient, Patches: []stack.Patch{{Name: "film", Boundary: condition,
		Rects: []stack.Rect{{Width: blockLength, Height: 1e-3}}, Map: &stack.FilmMap{NX: nx, NY: 1, Values: h}}}}
}

// leakyField leaks 2e9 W/m3 at 358.15 K, exponentially more above.
func leakyField(rise func(x, z float64) float64, flux func(x, z float64) (qx, qz float64)) chosenField {
	const density, beta = 2e9, 0.015
	law := &stack.Curve{Law: stack.ExponentialLaw, Value: 1, Exponent: beta, At: 358.15, Range: [2]float64{250, 700}}
	return chosenField{rise: rise, flux: flux, leakage: func(x0, x1, z0, z1 float64) float64 {
		return gauss(x0, x1, func(x float64) float64 {
			return gauss(z0, z1, func(z float64) float64 {
				return 1e-3 * density * math.Exp(beta*(ambient+rise(x, z)-358.15))
			})
		})
	}, complete: func(st *stack.Stack) {
		for l := range st.Layers {
			y := &st.Layers[l]
			watts := density * y.Thickness * blockLength * 1e-3
			y.Powers = append(y.Powers,
				stack.Power{Area: st.Domain(), Leakage: stack.Leakage{Watts: watts, Factor: law}})
		}
	}}
}

// contactField drops by R times the flux at half the height, and the drop fades towards the top.
func contactField(rise func(x, z float64) float64, flux func(x, z float64) (qx, qz float64)) chosenField {
	const resistance, middle, fade = 5e-6, blockHeight / 2, math.Pi / (blockHeight / 2)
	drop := func(x float64) float64 { _, q := flux(x, middle); return resistance * q }
	slope := func(x float64) float64 { return (drop(x+1e-6) - drop(x-1e-6)) / 2e-6 }
	fading := func(z float64) float64 { return (1 + math.Cos(fade*(z-middle))) / 2 }
	return chosenField{rise: func(x, z float64) float64 {
		if z < middle {
			return rise(x, z)
		}
		return rise(x, z) - drop(x)*fading(z)
	}, flux: func(x, z float64) (qx, qz float64) {
		qx, qz = flux(x, z)
		if z > middle {
			qx += blockK * slope(x) * fading(z)
			qz -= blockK * drop(x) * fade / 2 * math.Sin(fade*(z-middle))
		}
		return qx, qz
	}, complete: func(st *stack.Stack) { st.Layers[len(st.Layers)/2-1].ContactResistance = resistance }}
}

// A conductivity that is 2 % higher must not show the order.
func TestOrders(t *testing.T) {
	for name, c := range chosenFields() {
		t.Run(name, func(t *testing.T) {
			off := fieldErrors(t, solver{options: exact}, c)
			order := math.Log2(off[1] / off[2])
			t.Logf("errors %.2e, %.2e, %.2e K: order %.2f", off[0], off[1], off[2], order)
			if !(math.Abs(order-2) < 0.1) || !(off[2] < 0.2) {
				t.Errorf("errors %.2e K, order %.2f, expected 2", off, order)
			}
			off = fieldErrors(t, solver{options: exact, perturb: perturbMaterials}, c)
			order = math.Log2(off[1] / off[2])
			t.Logf("k 2 %% higher: errors %.2e, %.2e, %.2e K: order %.2f", off[0], off[1], off[2], order)
			if math.Abs(order-2) < 0.1 && off[2] < 0.2 {
				t.Error("a conductivity 2 % higher passes")
			}
		})
	}
}

// fieldErrors are the largest on three grids.
func fieldErrors(t *testing.T, s solver, c chosenField) (off [3]float64) {
	t.Helper()
	for level := range off {
		f, err := s.steady(t.Context(), chosenStack(c, 8<<level, 4<<level))
		if err != nil {
			t.Fatal(err)
		}
		f.each(func(at [3]float64, rise float64) {
			off[level] = max(off[level], math.Abs(rise-c.rise(at[0], at[2])))
		})
	}
	return off
}
