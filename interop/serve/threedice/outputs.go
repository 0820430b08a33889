package threedice

import (
	"fmt"
	"slices"

	"thermsim/interop/serve"
	project "thermsim/interop/threedice"
	"thermsim/powermap"
)

// The instants, types and quantities of outputs as the protocol numbers them.
var (
	instants   = []string{"", "final", "slot", "step"}
	kinds      = []string{"", "T", "Tflp", "Tflpel", "Tmap", "Pmap", "Tcoolant", "T3d"}
	quantities = []string{"", "average", "maximum", "minimum", "gradient"}
)

// named is an entry of a list, "" for none.
func named(list []string, n uint32) string {
	if int64(n) < int64(len(list)) {
		return list[n]
	}
	return ""
}

// send adds the temperatures of all instructions that match.
func (s *Server) send(payload []uint32, answer *message) error {
	answer.float(s.session.Time())
	if len(payload) < 3 {
		answer.add(0)
		s.note("SEND_OUTPUT without instant, type and quantity matches nothing")
		return nil
	}
	when, kind, quantity := named(instants, payload[0]), named(kinds, payload[1]), named(quantities, payload[2])
	var wanted []*project.Output
	for i := range s.outputs.Instructions {
		ins := &s.outputs.Instructions[i]
		whole := kind == "T" || kind == "Tmap" || kind == "Pmap" // without a quantity
		if when != "" && ins.When == when && ins.Kind == kind && kind != "T3d" && (whole || ins.Quantity == quantity) {
			wanted = append(wanted, ins)
		}
	}
	answer.add(uint32(len(wanted)))
	for _, ins := range wanted {
		if err := s.append(ins, answer); err != nil {
			return err
		}
		if len(answer.payload) > maxWords {
			return fmt.Errorf("%w asked for outputs of more than %d words", serve.ErrClient, maxWords)
		}
	}
	return nil
}

// append adds the results of an instruction.
func (s *Server) append(ins *project.Output, answer *message) error {
	var values []float64
	var columns int
	var err error
	if ins.Kind == "Pmap" {
		var drawings []powermap.Drawing
		if drawings, err = s.drawings(); err == nil {
			values, columns, err = s.live.Powers(ins, drawings)
		}
	} else {
		values, columns, err = s.live.Values(ins, s.session.Field())
	}
	if err != nil {
		return err
	}
	switch ins.Kind {
	case "Tflp":
		heading := []byte(s.live.Heading(ins))
		answer.add(uint32(len(ins.File)), uint32(len(heading)), uint32(len(values)))
		answer.text([]byte(ins.File))
		answer.text(heading)
	case "Tmap", "Pmap":
		rows := 0
		if columns > 0 {
			rows = len(values) / columns
		}
		answer.add(uint32(rows), uint32(columns))
	}
	for _, v := range values {
		answer.float(v)
	}
	return nil
}

// drawings are the powers of the last step, none before the first.
func (s *Server) drawings() ([]powermap.Drawing, error) {
	if !s.begun {
		return []powermap.Drawing{}, nil
	}
	stale := s.session.Power().Stale()
	t := s.session.Time()
	d, err := s.session.Power().Over(max(0, t-s.session.Dt()), max(t, s.session.Dt()))
	if stale {
		s.session.Power().Touch()
	}
	return d, err
}

// print writes the instructions of an instant into their files.
func (s *Server) print(payload []uint32) error {
	when := ""
	if len(payload) > 0 {
		when = named(instants, payload[0])
	}
	if when == "" {
		s.note("PRINT_OUTPUT of an unknown instant was ignored")
		return nil
	}
	drawings, err := s.drawings()
	if err != nil {
		return err
	}
	if err := s.live.Print(when, s.session.Time(), s.session.Field(), drawings); err != nil {
		return fmt.Errorf("%w: %w", serve.ErrClient, err)
	}
	return nil
}

// files adds the printed files in 3D-ICE's order: those of the end, of slots, of steps.
func (s *Server) files(answer *message) error {
	answer.add(0)
	var sent []string
	for _, when := range []string{"final", "slot", "step"} {
		for _, ins := range s.outputs.Instructions {
			text := s.live.Text(ins.File)
			if ins.When != when || text == nil || slices.Contains(sent, ins.File) {
				continue
			}
			sent = append(sent, ins.File)
			answer.add(uint32(len(ins.File)), uint32(len(text)))
			answer.text([]byte(ins.File))
			answer.text(text)
			if len(answer.payload) > maxWords {
				return fmt.Errorf("%w asked for files of more than %d words", serve.ErrClient, maxWords)
			}
		}
	}
	answer.payload[0] = uint32(len(sent))
	return nil
}
