package saved

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// stepsKey is where a manifest has the steps.
const stepsKey = "steps"

// decodeManifest reads a manifest, of a million steps one after the other: as one text they take ten times the room
// that they take when decoded.
func decodeManifest(in io.Reader, m *Manifest) error {
	d := json.NewDecoder(in)
	if err := delimiter(d, '{'); err != nil {
		return err
	}
	rest := map[string]json.RawMessage{}
	var steps []Step
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return err
		}
		if key == stepsKey {
			if steps, err = decodeSteps(d); err != nil {
				return err
			}
			continue
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return err
		}
		rest[key.(string)] = value // keys are strings
	}
	if err := delimiter(d, '}'); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.Join(errors.New("something follows the manifest"), err)
	}
	text, err := json.Marshal(rest)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, m); err != nil {
		return err
	}
	m.Steps = steps
	return nil
}

// decodeSteps reads an array of steps, or null.
func decodeSteps(d *json.Decoder) ([]Step, error) {
	switch t, err := d.Token(); {
	case err != nil:
		return nil, err
	case t == nil:
		return nil, nil
	case t != json.Delim('['):
		return nil, fmt.Errorf("%s is no array", stepsKey)
	}
	var steps []Step
	for d.More() {
		var s Step
		if err := d.Decode(&s); err != nil {
			return nil, err
		}
		steps = append(steps, s)
	}
	return steps, delimiter(d, ']')
}

// delimiter reads one.
func delimiter(d *json.Decoder, want json.Delim) error {
	t, err := d.Token()
	if err == nil && t != want {
		err = fmt.Errorf("%v in place of %v", t, want)
	}
	return err
}
