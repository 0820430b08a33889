package precond

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"thermsim/internal/inputfile"
)

// ErrRefused marks a method that cannot be used on a matrix, or with a setting, for a reason that lies there and not in
// the device.
var ErrRefused = errors.New("not possible")

// Kind is the type of a setting.
type Kind int

// The kinds.
const (
	Word    Kind = iota // one of Key.Words
	Integer             // from Key.Min to Key.Max
	Number              // likewise
)

// Key is a setting of a method.
type Key struct {
	Name     string
	Kind     Kind
	Default  string // as users write it
	Words    []string
	Min, Max float64 // bounds of numbers, inclusive
	Doc      string  // a sentence
}

// Settings are the values of a method's keys.
type Settings struct {
	keys []Key
	text map[string]string // as given
}

// Split separates a method's name from its settings, written NAME or NAME:key=value,key=value.
func Split(spec string) (name, settings string) {
	name, settings, _ = strings.Cut(spec, ":")
	return name, settings
}

// Parse reads key=value pairs with commas between. Values are checked here, so that reading them later cannot fail.
func Parse(text string, keys []Key) (Settings, error) {
	s := Settings{keys: keys, text: map[string]string{}}
	if text == "" {
		return s, nil
	}
	for pair := range strings.SplitSeq(text, ",") {
		name, value, found := strings.Cut(pair, "=")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		k := s.key(name)
		switch {
		case k == nil:
			return Settings{}, fmt.Errorf("setting %q is unknown; %s", name, s.valid())
		case !found || value == "":
			return Settings{}, fmt.Errorf("setting %s needs a value, as in %s=%s", name, name, k.Default)
		}
		if _, twice := s.text[name]; twice {
			return Settings{}, fmt.Errorf("setting %s is given twice", name)
		}
		if err := k.check(value); err != nil {
			return Settings{}, err
		}
		s.text[name] = value
	}
	return s, nil
}

func (s *Settings) key(name string) *Key {
	if i := slices.IndexFunc(s.keys, func(k Key) bool { return k.Name == name }); i >= 0 {
		return &s.keys[i]
	}
	return nil
}

// valid lists the settings for a message.
func (s *Settings) valid() string {
	if len(s.keys) == 0 {
		return "this method has no settings"
	}
	var all []string
	for _, k := range s.keys {
		all = append(all, fmt.Sprintf("%s (default %s)", k.Name, k.Default))
	}
	return "it has " + strings.Join(all, ", ")
}

func (k *Key) check(value string) error {
	wrong := func(want string) error { return fmt.Errorf("setting %s cannot be %q; give %s", k.Name, value, want) }
	switch k.Kind {
	case Word:
		if !slices.Contains(k.Words, value) {
			return wrong("one of " + strings.Join(k.Words, ", "))
		}
	case Integer:
		if n, err := strconv.ParseInt(value, 10, 64); err != nil || float64(n) < k.Min || float64(n) > k.Max {
			return wrong(fmt.Sprintf("a whole number from %.0f to %.0f", k.Min, k.Max))
		}
	case Number:
		if v, err := inputfile.Number(value); err != nil || math.IsNaN(v) || v < k.Min || v > k.Max {
			return wrong(fmt.Sprintf("a number from %g to %g", k.Min, k.Max))
		}
	}
	return nil
}

// Text is the value of a setting as written, its default where it was not given.
func (s Settings) Text(name string) string {
	if v, ok := s.text[name]; ok {
		return v
	}
	if k := s.key(name); k != nil {
		return k.Default
	}
	return ""
}

// Given says whether the user wrote the setting.
func (s Settings) Given(name string) bool {
	_, ok := s.text[name]
	return ok
}

// Int is the value of an Integer.
func (s Settings) Int(name string) int {
	n, _ := strconv.Atoi(s.Text(name)) // checked by Parse
	return n
}

// Float is the value of a Number.
func (s Settings) Float(name string) float64 {
	v, _ := strconv.ParseFloat(s.Text(name), 64) // checked by Parse
	return v
}
