package export

import (
	"fmt"
	"strings"

	"thermsim/gpusolve/solution"
	"thermsim/interop/threedice"
	"thermsim/mesh"
	"thermsim/powermap"
)

// Live evaluates the instructions of a 3D-ICE project while a client steps it: as numbers, and as files in memory that
// the client has printed.
type Live struct{ *threeDICE }

// mostPrinted is the maximum size of all files together in bytes.
const mostPrinted = 256 << 20

// NewLive prepares the instructions of a project.
func NewLive(o *threedice.Outputs, m *mesh.Mesh) *Live {
	return &Live{newThreeDICE(o, m, Options{Decimals: -1})}
}

// Heading is that of an instruction's file, each line with its end.
func (p *Live) Heading(ins *threedice.Output) string {
	var text strings.Builder
	p.heading(&text, ins)
	return text.String()
}

// Renew must be called when the field has changed since it was last read.
func (p *Live) Renew() { p.layer = -1 }

// Powers are the results of Pmap in W: 3D-ICE's right-hand side for a layer, sinks included. The drawings are those of
// all layers with power.
func (p *Live) Powers(ins *threedice.Output, drawings []powermap.Drawing) (values []float64, columns int, err error) {
	p.drawn = drawings
	return p.powers(ins, 0)
}

// Print appends the results of the instructions of an instant ("final", "slot", "step") for a field at a time in s. The
// drawings are the powers of all layers that have any. The first call creates the files with their headings.
func (p *Live) Print(instant string, time float64, f solution.Field, power []powermap.Drawing) error {
	if p.files == nil {
		p.files = newFiles(nil)
		if err := p.start(); err != nil {
			return err
		}
	}
	p.drawn = power
	if err := p.print(func(when string) bool { return when == instant }, time, f); err != nil {
		return err
	}
	total := 0
	for _, name := range p.Names() {
		total += len(p.Text(name))
	}
	if total > mostPrinted {
		return fmt.Errorf("printed files: got %d bytes; expected at most %d", total, mostPrinted)
	}
	return nil
}

// Names are those of all files, as paths within a folder.
func (p *Live) Names() []string {
	var names []string
	if p.files != nil {
		for _, f := range p.files.order {
			names = append(names, f.name)
		}
	}
	return names
}

// Text is the text of a file so far, by the name in the instruction or from Names; nil for a file that is not printed.
func (p *Live) Text(name string) []byte {
	if p.files == nil || p.files.byName[inside(name)] == nil {
		return nil
	}
	f := p.files.byName[inside(name)]
	_ = f.Flush() // memory has no errors
	return f.text.Bytes()
}
