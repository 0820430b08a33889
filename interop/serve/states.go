package serve

import (
	"errors"
	"path/filepath"
	"strings"

	"thermsim/gpusolve"
)

// checkName checks the name of a state or file: not a path, not hidden.
func checkName(name string) *Fault {
	if len(name) > 100 || strings.Trim(name, alphanumeric+".+-") != "" || name != strings.TrimLeft(name, ".+-") ||
		!filepath.IsLocal(name) {
		return faultf(BadValue, "%s is not a name for a state: up to 100 letters, digits, and _ . + -, none of . + - "+
			"at the beginning", shown(name))
	}
	return nil
}

// save stores the state in memory, or in a file.
func (s *Simulation) save(r *request, out *reply) *Fault {
	if r.File != "" {
		return s.saveFile(r.File, out)
	}
	if fault := checkName(r.Name); fault != nil {
		return fault
	}
	used := int64(0)
	for name, k := range s.states {
		if name != r.Name {
			used += k.Bytes()
		}
	}
	switch bytes := s.session.StateBytes(); {
	case s.states[r.Name] == nil && len(s.states) >= maxStates:
		return faultf(TooLarge, "%d states are stored already, the maximum; drop one", len(s.states))
	case used+bytes > s.options.StateBytes:
		return faultf(TooLarge, "the state takes %d bytes, and %d of at most %d are used; drop one, or save to a file",
			bytes, used, s.options.StateBytes)
	}
	k, err := s.session.Save()
	if err != nil {
		return s.faultOf(err)
	}
	s.states[r.Name], out.Bytes = k, k.Bytes()
	return nil
}

func (s *Simulation) saveFile(name string, out *reply) *Fault {
	if fault := s.checkFile(name); fault != nil {
		return fault
	}
	path, err := s.options.Files.Save(name, s.session)
	if err != nil {
		return s.fileFault(err)
	}
	out.File = path
	return nil
}

func (s *Simulation) checkFile(name string) *Fault {
	if s.options.Files == nil {
		return faultf(FileFault, "this server stores no files; start it with --states FOLDER")
	}
	return checkName(name)
}

// fileFault distinguishes files that cannot be written or read from devices that fail.
func (s *Simulation) fileFault(err error) *Fault {
	if errors.Is(err, gpusolve.ErrDevice) {
		return s.faultOf(err)
	}
	return faultf(FileFault, "%v", err)
}

// restore continues from a stored state.
func (s *Simulation) restore(r *request) *Fault {
	if r.File != "" {
		if fault := s.checkFile(r.File); fault != nil {
			return fault
		}
		if err := s.options.Files.Restore(r.File, s.session); err != nil {
			return s.fileFault(err)
		}
		return nil
	}
	k := s.states[r.Name]
	if k == nil {
		return s.noState(r.Name)
	}
	if err := s.session.Restore(k); err != nil {
		return s.faultOf(err)
	}
	return nil
}

func (s *Simulation) noState(name string) *Fault {
	return faultf(UnknownName, "no state is called %s; hello lists them", shown(name))
}
