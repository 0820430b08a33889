package fieldfile

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"runtime"
	"strings"

	"golang.org/x/sync/errgroup"

	"thermsim/internal/printable"
	"thermsim/report/field"
)

// vtkBlock is how many bytes are compressed together.
const vtkBlock = 1 << 20

// WriteVTR writes a VTK XML rectilinear grid (.vtr) with the cells' faces as coordinates and two arrays on cells,
// temperature_K and layer; the data are appended, compressed with zlib. Sizes of compressed blocks stand before the
// data, so they are filled in at the end: w starts at its beginning.
//
// Format: VTK File Formats, "XML file formats" (https://docs.vtk.org/en/latest/design_documents/VTKFileFormats.html).
func WriteVTR(w io.WriteSeeker, d *Data) error {
	if err := d.Box.Check(d.Grid); err != nil {
		return err
	}
	g := d.Grid.Cut(d.Box)
	// Arrays whose compressed size is known before the header is written: the axes and the layers.
	var small [][]byte
	for _, faces := range [][]float64{g.X, g.Y, g.Z} {
		data := (&Data{}).pack(nil, faces)
		packed, err := compressed(int64(len(data)), func(w io.Writer) error {
			_, err := w.Write(data)
			return err
		})
		if err != nil {
			return err
		}
		small = append(small, packed)
	}
	layers, err := compressLayers(g)
	if err != nil {
		return err
	}
	small = append(small, layers)
	offsets := make([]int, len(small)+1)
	for i, s := range small {
		offsets[i+1] = offsets[i] + len(s)
	}
	header := vtrHeader(d, g, offsets)
	out := &counter{w: bufio.NewWriterSize(w, 1<<16)}
	if _, err := out.Write(header); err != nil {
		return err
	}
	for _, s := range small {
		if _, err := out.Write(s); err != nil {
			return err
		}
	}
	sizesAt := out.n
	blocks := newVTKBlocks(out, d.Box.Cells()*int64(d.width()))
	if _, err := out.Write(blocks.header()); err != nil {
		return err
	}
	if err := d.stream(blocks); err != nil {
		return err
	}
	if err := blocks.finish(); err != nil {
		return err
	}
	if _, err := io.WriteString(out, "\n</AppendedData>\n</VTKFile>\n"); err != nil {
		return err
	}
	if err := out.w.Flush(); err != nil {
		return err
	}
	if _, err := w.Seek(sizesAt, io.SeekStart); err != nil {
		return err
	}
	if _, err := w.Write(blocks.header()); err != nil {
		return err
	}
	_, err = w.Seek(0, io.SeekEnd)
	return err
}

// counter knows the place in the file.
type counter struct {
	w *bufio.Writer
	n int64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}

// comment is text for an XML comment, which must not hold two dashes. A replacement leaves every other pair of a row of
// dashes, hence two.
func comment(text string) []byte {
	text = strings.ReplaceAll(printable.Text(text), "--", "- -")
	return escaped(strings.ReplaceAll(text, "--", "- -"))
}

func vtrHeader(d *Data, g *field.Grid, offsets []int) []byte {
	var b bytes.Buffer
	kind := "Float64"
	if d.Single {
		kind = "Float32"
	}
	extent := fmt.Sprintf("0 %d 0 %d 0 %d", g.NX(), g.NY(), g.NZ())
	b.WriteString(`<?xml version="1.0"?>` + "\n<!-- ")
	b.Write(comment(d.Title))
	b.WriteString(" -->\n")
	fmt.Fprintf(&b, `<VTKFile type="RectilinearGrid" version="1.0" byte_order="LittleEndian" header_type="UInt64" compressor="vtkZLibDataCompressor">
<RectilinearGrid WholeExtent="%s">
`, extent)
	if !math.IsNaN(d.Time) {
		fmt.Fprintf(&b,
			`<FieldData><DataArray type="Float64" Name="TimeValue" NumberOfTuples="1" format="ascii">%.17g</DataArray></FieldData>`+"\n", d.Time)
	}
	fmt.Fprintf(&b, `<Piece Extent="%s">
<CellData Scalars="temperature_K">
<DataArray type="%s" Name="temperature_K" format="appended" offset="%d"/>
<DataArray type="Int32" Name="layer" format="appended" offset="%d"/>
</CellData>
<Coordinates>
`, extent, kind, offsets[4], offsets[3])
	for i, axis := range []string{"x_m", "y_m", "z_m"} {
		fmt.Fprintf(&b, `<DataArray type="Float64" Name="%s" format="appended" offset="%d"/>`+"\n", axis, offsets[i])
	}
	b.WriteString("</Coordinates>\n</Piece>\n</RectilinearGrid>\n<AppendedData encoding=\"raw\">\n_")
	return b.Bytes()
}

func escaped(text string) []byte {
	var b bytes.Buffer
	_ = xml.EscapeText(&b, []byte(text)) // a buffer takes everything
	return b.Bytes()
}

// compressed packs an array of a size, which write writes, with its block header.
func compressed(size int64, write func(io.Writer) error) ([]byte, error) {
	var b bytes.Buffer
	blocks := newVTKBlocks(&b, size)
	if err := write(blocks); err != nil {
		return nil, err
	}
	if err := blocks.finish(); err != nil {
		return nil, err
	}
	return append(blocks.header(), b.Bytes()...), nil
}

// compressLayers packs the layer of every cell.
func compressLayers(g *field.Grid) ([]byte, error) {
	plane := g.NX() * g.NY()
	return compressed(4*int64(plane)*int64(g.NZ()), func(w io.Writer) error {
		row := make([]byte, 0, 4*chunk)
		for _, l := range g.Layer {
			row = row[:0]
			for range min(chunk, plane) {
				row = binary.LittleEndian.AppendUint32(row, uint32(l))
			}
			for left := 4 * plane; left > 0; left -= len(row) {
				row = row[:min(len(row), left)]
				if _, err := w.Write(row); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// vtkBlocks cuts a stream of known length into blocks and compresses as many at once as there are cores.
type vtkBlocks struct {
	out     io.Writer
	total   int64
	sizes   []uint64 // compressed, as far as written
	pending []*zlibBlock
	free    []*zlibBlock
	current *zlibBlock
}

type zlibBlock struct {
	in  []byte
	out bytes.Buffer
	z   *zlib.Writer
}

func newVTKBlocks(out io.Writer, total int64) *vtkBlocks { return &vtkBlocks{out: out, total: total} }

// header is the number of blocks, their size, that of the last if it is smaller, and the compressed sizes.
func (v *vtkBlocks) header() []byte {
	n := (v.total + vtkBlock - 1) / vtkBlock
	b := binary.LittleEndian.AppendUint64(nil, uint64(n))
	b = binary.LittleEndian.AppendUint64(b, vtkBlock)
	b = binary.LittleEndian.AppendUint64(b, uint64(v.total%vtkBlock))
	for i := range n {
		size := uint64(0)
		if i < int64(len(v.sizes)) {
			size = v.sizes[i]
		}
		b = binary.LittleEndian.AppendUint64(b, size)
	}
	return b
}

func (v *vtkBlocks) Write(p []byte) (int, error) {
	for rest := p; len(rest) > 0; {
		if v.current == nil {
			v.current = v.take()
		}
		n := min(vtkBlock-len(v.current.in), len(rest))
		v.current.in = append(v.current.in, rest[:n]...)
		rest = rest[n:]
		if len(v.current.in) == vtkBlock {
			v.pending = append(v.pending, v.current)
			v.current = nil
			if len(v.pending) == 2*runtime.GOMAXPROCS(0) {
				if err := v.flush(); err != nil {
					return 0, err
				}
			}
		}
	}
	return len(p), nil
}

func (v *vtkBlocks) take() *zlibBlock {
	if n := len(v.free); n > 0 {
		b := v.free[n-1]
		v.free = v.free[:n-1]
		b.in = b.in[:0]
		return b
	}
	return &zlibBlock{in: make([]byte, 0, vtkBlock)}
}

// flush compresses what is pending and writes it in order.
func (v *vtkBlocks) flush() error {
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for _, b := range v.pending {
		g.Go(b.compress)
	}
	if err := g.Wait(); err != nil {
		return err
	}
	for _, b := range v.pending {
		if _, err := v.out.Write(b.out.Bytes()); err != nil {
			return err
		}
		v.sizes = append(v.sizes, uint64(b.out.Len()))
	}
	v.free = append(v.free, v.pending...)
	v.pending = v.pending[:0]
	return nil
}

func (b *zlibBlock) compress() error {
	b.out.Reset()
	if b.z == nil {
		z, err := zlib.NewWriterLevel(&b.out, zlib.BestSpeed)
		if err != nil {
			return err
		}
		b.z = z
	} else {
		b.z.Reset(&b.out)
	}
	if _, err := b.z.Write(b.in); err != nil {
		return err
	}
	return b.z.Close()
}

func (v *vtkBlocks) finish() error {
	if v.current != nil && len(v.current.in) > 0 {
		v.pending = append(v.pending, v.current)
		v.current = nil
	}
	return v.flush()
}
