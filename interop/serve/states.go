package serve

import (
	"errors"
	"path/filepath"
	"regexp"

	"thermsim/gpusolve"
)

// stateName is what states and files may be called: no paths, nothing hidden.
var stateName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.+-]{0,99}$`)

func checkName(name string) *Fault {
	if !stateName.MatchString(name) || !filepath.IsLocal(name) {
		return faultf(BadValue, "%s is no name for a state: up to 100 letters, digits, and _ . + -, none of . + - at "+
			"the beginning", shown(name))
	}
	return nil
}

// save puts the state aside in memory, or in a file.
func (s *Simulation) save(r *request, out *reply) *Fault {
	if r.File != "" {
		return s.saveFile(r.File, out)
	}
	if fault := checkName(r.Name); fault != nil {
		return fault
	}
	kept := int64(0)
	for name, k := range s.states {
		if name != r.Name {
			kept += k.Bytes()
		}
	}
	switch bytes := s.session.StateBytes(); {
	case s.states[r.Name] == nil && len(s.states) >= maxStates:
		return faultf(TooLarge, "%d states are kept already, the most there may be; drop one", len(s.states))
	case kept+bytes > s.options.StateBytes:
		return faultf(TooLarge, "the state takes %d bytes, and %d are kept of at most %d; drop one, or save to a file",
			bytes, kept, s.options.StateBytes)
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
		return faultf(FileFault, "this server keeps no files; start it with --states FOLDER")
	}
	return checkName(name)
}

// fileFault tells files that cannot be written or read from devices that fail.
func (s *Simulation) fileFault(err error) *Fault {
	if errors.Is(err, gpusolve.ErrDevice) {
		return s.faultOf(err)
	}
	return faultf(FileFault, "%v", err)
}

// restore takes a state up.
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
