package ecxml

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"thermsim/interop/importer"
	"thermsim/stack"
	"thermsim/stack/stackfile"
)

// material is one of the file, or of a two-resistor model.
type material struct {
	stack.Material
	emissivity float64
	index      int // in the stack and 1, 0 if it is not used
}

func (r *reader) materials(list *element) {
	r.others(list, "material")
	for _, e := range list.children {
		if !strings.EqualFold(e.tag, "material") {
			continue
		}
		r.others(e, "name", "density", "specific_heat", "surfaceEmissivity", "thermalConductivity")
		name := r.required(e, "name")
		if name == nil {
			continue
		}
		m := &material{Material: stack.Material{Name: name.value(), Pos: e.pos}}
		m.C = r.number(e, "density", 0) * r.number(e, "specific_heat", 0)
		if m.C == 0 {
			m.C = 1e6
			r.Note(importer.Adapted, e.pos, "material %.40q has no heat capacity: 1e6 J/(m3 K) is used in transients",
				m.Name)
		}
		if x := e.child("surfaceEmissivity"); x != nil {
			m.emissivity = min(1, r.number(e, x.tag, 0))
		}
		if k := r.required(e, "thermalConductivity"); k != nil {
			r.conductivity(m, k)
		}
		if r.defined[m.Name] != nil {
			r.Note(importer.Warning, e.pos, "material %.40q is defined twice; the later definition applies", m.Name)
		}
		r.defined[m.Name] = m
	}
}

// conductivity reads one of the four forms.
func (r *reader) conductivity(m *material, e *element) {
	for _, form := range e.children {
		var curve *stack.Curve
		switch strings.ToLower(form.tag) {
		case "isotropic":
			k := r.number(form, "conductivity", 0)
			m.K = [3]float64{k, k, k}
			return
		case "orthotropic":
			m.K = [3]float64{r.number(form, "x", 0), r.number(form, "y", 0), r.number(form, "z", 0)}
			return
		case "lineartemperaturedependant":
			curve = linear(r.number(form, "conductivity", 0), r.number(form, "coeff", math.Inf(-1)),
				r.number(form, "tref", 0))
		case "nonlineartemperaturedependant":
			curve = r.points(form)
		default:
			r.count(form)
			continue
		}
		if fault, remedy := curve.Fault(); fault != "" {
			r.Faults.Add(form.pos, remedy, "conductivity of material %.40q: %s", m.Name, fault)
			return
		}
		k := curve.Of(curve.Reference())
		m.K, m.KCurve = [3]float64{k, k, k}, [3]*stack.Curve{curve, curve, curve}
		return
	}
	r.Faults.Add(e.pos, "", "<%s>: expected isotropic, orthotropic, linearTemperatureDependant or "+
		"nonLinearTemperatureDependant", e.tag)
}

// coldest and hottest are the range of temperatures in K of a conductivity without one.
const coldest, hottest = 100.0, 1500.0

// linear is k + coeff (T - tref), as far as it is above a tenth of k.
func linear(k, coeff, tref float64) *stack.Curve {
	c := &stack.Curve{Law: stack.PolynomialLaw, At: tref, Coefficients: []float64{k, coeff},
		Range: [2]float64{coldest, hottest}}
	least := tref - 0.9*k/coeff
	if coeff > 0 {
		c.Range[0] = max(coldest, least)
	} else if coeff < 0 {
		c.Range[1] = min(hottest, least)
	}
	return c
}

// points is a table that is linear between its rows. The cubics of tables are straight between rows on one line, so
// that two more rows close to the ends of each interval leave a curve at its corners only.
func (r *reader) points(e *element) *stack.Curve {
	c := &stack.Curve{Law: stack.TableLaw}
	add := func(t, k float64) { c.Temperatures, c.Values = append(c.Temperatures, t), append(c.Values, k) }
	for _, p := range e.children {
		if !strings.EqualFold(p.tag, "tempCurvePoint") {
			r.count(p)
			continue
		}
		t, k := r.number(p, "temperature", 0), r.number(p, "conductivity", 0)
		if n := len(c.Values); n > 0 {
			const near = 0.01 // of the interval
			t0, k0 := c.Temperatures[n-1], c.Values[n-1]
			add(t0+near*(t-t0), k0+near*(k-k0))
			add(t0+(1-near)*(t-t0), k0+(1-near)*(k-k0))
		}
		add(t, k)
	}
	if n := len(c.Temperatures); n > 0 {
		c.Range = [2]float64{c.Temperatures[0], c.Temperatures[n-1]}
	}
	return c
}

// materialOf is the material that an element names.
func (r *reader) materialOf(e *element) *material {
	m := r.defined[e.value()]
	if m == nil {
		r.Faults.Add(e.pos, "define it in <materials>", "material %.40q is not defined", e.value())
		return &material{}
	}
	return m
}

// library is a material of thermsim's own.
func (r *reader) library(name string) *material {
	list, err := stackfile.Library()
	if err != nil {
		r.Faults.AddError(err)
	}
	m := &material{}
	if i := slices.IndexFunc(list, func(m stack.Material) bool { return m.Name == name }); i >= 0 {
		m.Material = list[i]
	}
	m.Pos = stack.Pos{}
	return m
}

// use is the index of a material in the stack. Names of stacks are distinct.
func (r *reader) use(m *material) int {
	if m.index == 0 {
		s := m.Material
		for r.taken[s.Name] {
			s.Name += "_"
		}
		r.taken[s.Name] = true
		r.Stack.Materials = append(r.Stack.Materials, s)
		m.index = len(r.Stack.Materials)
		if s.Pos.Line > 0 {
			r.Comments.Materials[m.index-1] = []string{fmt.Sprint("line ", s.Pos.Line)}
		}
	}
	return m.index - 1
}
