package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"
)

// entry is a file of an archive.
type entry struct {
	name string
	data []byte
	mode fs.FileMode
}

// inOrder sorts the entries of an archive.
func inOrder(list []entry) []entry {
	return slices.SortedFunc(slices.Values(list), func(a, b entry) int { return strings.Compare(a.name, b.name) })
}

// tarGz packs entries below a folder. The result does not depend on the user, the machine and the time.
func tarGz(folder string, at time.Time, list []entry) ([]byte, error) {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	t := tar.NewWriter(z)
	for _, e := range inOrder(list) {
		h := &tar.Header{Typeflag: tar.TypeReg, Name: folder + "/" + e.name, Size: int64(len(e.data)),
			Mode: int64(e.mode), ModTime: at, Format: tar.FormatUSTAR}
		if err := t.WriteHeader(h); err != nil {
			return nil, err
		}
		if _, err := t.Write(e.data); err != nil {
			return nil, err
		}
	}
	if err := t.Close(); err != nil {
		return nil, err
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// zipped does the same in the zip format; an empty folder packs them at the top.
func zipped(folder string, at time.Time, list []entry) ([]byte, error) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, e := range inOrder(list) {
		h := &zip.FileHeader{Name: path.Join(folder, e.name), Method: zip.Deflate, Modified: at}
		h.SetMode(e.mode)
		w, err := z.CreateHeader(h)
		if err != nil {
			return nil, err
		}
		if _, err := w.Write(e.data); err != nil {
			return nil, err
		}
	}
	err := z.Close()
	return b.Bytes(), err
}
