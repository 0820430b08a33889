package flags

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/spf13/cobra"

	"thermsim/cmd/thermsim/exit"
	"thermsim/cmd/thermsim/session"
	"thermsim/internal/inputfile"
	"thermsim/internal/spelling"
	"thermsim/report/quantity"
	"thermsim/stack"
)

// DefaultsFile is the path of the user's defaults file; "" if the system has no folder for it.
func DefaultsFile() string {
	dir, err := os.UserConfigDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "thermsim", "config.toml")
}

// ReadDefaults reads the defaults file if it exists.
func ReadDefaults() (d session.Defaults, err error) {
	path := DefaultsFile()
	if _, err := os.Lstat(path); path == "" || err != nil { // or in a home that this user may not enter
		return d, nil
	}
	text, err := inputfile.Read(path)
	if err == nil {
		err = decodeDefaults(text, &d)
	}
	if err != nil {
		return d, exit.With(exit.Input, fmt.Errorf("defaults file %s: %w", path, err))
	}
	d.File = path
	return d, nil
}

func decodeDefaults(text []byte, d *session.Defaults) error {
	var unknown *toml.StrictMissingError
	err := toml.NewDecoder(bytes.NewReader(text)).DisallowUnknownFields().Decode(d)
	if errors.As(err, &unknown) {
		key := strings.Join(unknown.Errors[0].Key(), ".")
		return fmt.Errorf("unknown key %q; expected device, units or author%s", key,
			spelling.Hint(key, []string{"device", "units", "author"}))
	}
	if err != nil {
		return err
	}
	if d.Device != "" {
		if _, err := parseDevice(d.Device); err != nil {
			return fmt.Errorf("device: %w", err)
		}
	}
	if d.Units != "" {
		if _, err := quantity.ParseUnits(d.Units); err != nil {
			return fmt.Errorf("units: %w", err)
		}
	}
	if fault := stack.TitleFault(d.Author); d.Author != "" && fault != "" {
		return fmt.Errorf("author %s", fault)
	}
	return nil
}

// UseDefaults reads the defaults file for a command, without the values that its flags replace.
func UseDefaults(c *cobra.Command) (session.Defaults, error) {
	d, err := ReadDefaults()
	if err != nil {
		return d, err
	}
	for name, value := range map[string]*string{"device": &d.Device, "units": &d.Units, "author": &d.Author} {
		f := c.Flags().Lookup(name)
		switch {
		case f == nil || f.Changed:
			*value = ""
		case name == "units" && *value != "":
			err = f.Value.Set(*value)
		}
	}
	return d, err
}
