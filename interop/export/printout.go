package export

import (
	"fmt"

	"thermsim/gpusolve/solution"
	"thermsim/interop/threedice"
	"thermsim/mesh"
	"thermsim/powermap"
)

// Printout holds the files that a 3D-ICE project asks for as texts in memory, for those who print instant by instant.
type Printout struct{ *threeDICE }

// mostPrinted is how many bytes all files of a printout may have.
const mostPrinted = 256 << 20

// NewPrintout begins the files with their headings.
func NewPrintout(o *threedice.Outputs, m *mesh.Mesh) (*Printout, error) {
	w, err := newThreeDICE(o, m, Options{Decimals: -1})
	if err != nil {
		return nil, err
	}
	return &Printout{w.(*threeDICE)}, nil
}

// Print adds what the instructions of an instant ("final", "slot", "step") ask of a field at a time in s. The drawings
// are the powers of all layers that have any.
func (p *Printout) Print(instant string, time float64, f solution.Field, power []powermap.Drawing) error {
	p.layer, p.drawn = -1, power
	p.step++
	for i := range p.outputs.Instructions {
		ins := &p.outputs.Instructions[i]
		if ins.When != instant {
			continue
		}
		if ins.Kind == "T3d" {
			if err := p.volume(ins, f); err != nil {
				return err
			}
			continue
		}
		out, err := p.files.open(inside(ins.File))
		if err == nil {
			err = p.write(out, ins, time, f)
		}
		if err != nil {
			return err
		}
	}
	total := 0
	for _, name := range p.Names() {
		total += len(p.Text(name))
	}
	if total > mostPrinted {
		return fmt.Errorf("the files that were printed have more than %d bytes", mostPrinted)
	}
	return nil
}

// Names are those of all files, as paths within a folder.
func (p *Printout) Names() []string {
	var names []string
	for _, f := range p.files.order {
		names = append(names, f.name)
	}
	return names
}

// Text is a file so far, by the name that an instruction gives it or that Names lists; nil where nothing was printed
// into it.
func (p *Printout) Text(name string) []byte {
	f := p.files.byName[inside(name)]
	if f == nil {
		return nil
	}
	_ = f.Flush() // memory takes anything
	return p.files.held[f.name].Bytes()
}
