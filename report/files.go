package report

import (
	"context"
	"encoding/json"
	"io"
	"reflect"
)

// File is one file of a set.
type File struct {
	Name  string
	Write func(io.Writer) error
}

// WriteFiles writes files into a folder, which is made if missing, and returns their paths: either every file is written whole or, on an error or a
// cancelled context, none.
func WriteFiles(ctx context.Context, dir string, files []File) ([]string, error) {
	st, err := newStage(dir)
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		if err := st.write(ctx, f.Name, f.Write); err != nil {
			st.discard()
			return nil, err
		}
	}
	if err := ctx.Err(); err != nil {
		st.discard()
		return nil, err
	}
	return st.commit()
}

// WriteJSON writes a struct as indented JSON, fields in the order of the type. Numbers that are not finite become null.
func WriteJSON(w io.Writer, v any) error {
	b, err := json.MarshalIndent(finite(reflect.ValueOf(v)), "", "  ")
	if err != nil {
		return err
	}
	_, err = w.Write(append(b, '\n'))
	return err
}
