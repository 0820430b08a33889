package solution

import "thermsim/internal/nullable"

// Numbers that are unknown, as a contraction before the second system, are null in JSON and NaN again when read.

// MarshalJSON implements json.Marshaler.
func (n Nonlinear) MarshalJSON() ([]byte, error) { return nullable.Marshal(n) }

// UnmarshalJSON implements json.Unmarshaler.
func (n *Nonlinear) UnmarshalJSON(data []byte) error { return nullable.Unmarshal(data, n) }

// MarshalJSON implements json.Marshaler.
func (l Leakage) MarshalJSON() ([]byte, error) { return nullable.Marshal(l) }

// UnmarshalJSON implements json.Unmarshaler.
func (l *Leakage) UnmarshalJSON(data []byte) error { return nullable.Unmarshal(data, l) }

// MarshalJSON implements json.Marshaler.
func (s Stepping) MarshalJSON() ([]byte, error) { return nullable.Marshal(s) }

// UnmarshalJSON implements json.Unmarshaler.
func (s *Stepping) UnmarshalJSON(data []byte) error { return nullable.Unmarshal(data, s) }
