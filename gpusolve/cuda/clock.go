package cuda

// Time is how long the operations of body take on the device, between two events.
func (s *Space) Time(body func()) (seconds float64, err error) {
	if s.err != nil {
		return 0, s.err
	}
	start, err := s.Driver.EventCreate()
	s.Note(err)
	end, err := s.Driver.EventCreate()
	s.Note(err)
	s.Note(s.Driver.EventRecord(start, s.Stream))
	body()
	s.Note(s.Driver.EventRecord(end, s.Stream))
	s.Note(s.Driver.EventSynchronize(end))
	if s.err != nil {
		return 0, s.err
	}
	ms, err := s.Driver.EventElapsedTime(start, end)
	s.Note(err)
	s.Note(s.Driver.EventDestroy(start))
	s.Note(s.Driver.EventDestroy(end))
	return float64(ms) * 1e-3, s.err
}
