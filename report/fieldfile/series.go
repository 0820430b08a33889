package fieldfile

import (
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// Moment is a file of a series.
type Moment struct {
	File string
	Time float64 // s; NaN for a steady state
}

// WritePVD writes the index (.pvd) with which ParaView opens .vtr files as a series in time.
//
// Format: ParaView Users' Guide, "PVD file format".
func WritePVD(w io.Writer, moments []Moment) error {
	type dataSet struct {
		Time string `xml:"timestep,attr"`
		Part int    `xml:"part,attr"`
		File string `xml:"file,attr"`
	}
	file := struct {
		XMLName xml.Name  `xml:"VTKFile"`
		Type    string    `xml:"type,attr"`
		Version string    `xml:"version,attr"`
		Sets    []dataSet `xml:"Collection>DataSet"`
	}{Type: "Collection", Version: "0.1"}
	for _, m := range moments {
		file.Sets = append(file.Sets, dataSet{digits(m.Time), 0, m.File})
	}
	return writeXML(w, &file)
}

// WriteXDMF writes a description (.xdmf) of files that WriteRaw wrote, with which ParaView and VisIt open them.
//
// Format: https://www.xdmf.org, XDMF model and format, version 3.
func WriteXDMF(w io.Writer, d *Data, moments []Moment) error {
	if err := d.Box.Check(d.Grid); err != nil {
		return err
	}
	g := d.Grid.Cut(d.Box)
	series := xdmfGrid{Name: "series", Type: "Collection", Collection: "Temporal"}
	for _, m := range moments {
		one := xdmfGrid{Name: m.File, Type: "Uniform",
			Topology: &xdmfPart{Kind: "3DRectMesh",
				Dimensions: fmt.Sprintf("%d %d %d", g.NZ()+1, g.NY()+1, g.NX()+1)},
			Geometry:  &xdmfGeometry{Kind: "VXVYVZ"},
			Attribute: &xdmfAttribute{Name: "temperature_K", Kind: "Scalar", Center: "Cell"}}
		if !math.IsNaN(m.Time) {
			one.Time = &xdmfTime{digits(m.Time)}
		}
		for _, faces := range [][]float64{g.X, g.Y, g.Z} {
			one.Geometry.Items = append(one.Geometry.Items, xdmfItem{Dimensions: strconv.Itoa(len(faces)),
				Number: "Float", Precision: 8, Format: "XML", Text: list(faces)})
		}
		one.Attribute.Item = xdmfItem{Dimensions: fmt.Sprintf("%d %d %d", g.NZ(), g.NY(), g.NX()), Number: "Float",
			Precision: d.width(), Format: "Binary", Endian: "Little", Text: m.File}
		series.Grids = append(series.Grids, one)
	}
	file := struct {
		XMLName xml.Name   `xml:"Xdmf"`
		Version string     `xml:"Version,attr"`
		Title   string     `xml:"Information>Title"`
		Grids   []xdmfGrid `xml:"Domain>Grid"`
	}{Version: "3.0", Title: d.Title, Grids: []xdmfGrid{series}}
	return writeXML(w, &file)
}

// Elements of XDMF.
type (
	xdmfGrid struct {
		Name       string         `xml:"Name,attr"`
		Type       string         `xml:"GridType,attr"`
		Collection string         `xml:"CollectionType,attr,omitempty"`
		Time       *xdmfTime      `xml:"Time"`
		Topology   *xdmfPart      `xml:"Topology"`
		Geometry   *xdmfGeometry  `xml:"Geometry"`
		Attribute  *xdmfAttribute `xml:"Attribute"`
		Grids      []xdmfGrid     `xml:"Grid"`
	}
	xdmfTime struct {
		Value string `xml:"Value,attr"`
	}
	xdmfPart struct {
		Kind       string `xml:"TopologyType,attr"`
		Dimensions string `xml:"Dimensions,attr"`
	}
	xdmfGeometry struct {
		Kind  string     `xml:"GeometryType,attr"`
		Items []xdmfItem `xml:"DataItem"`
	}
	xdmfAttribute struct {
		Name   string   `xml:"Name,attr"`
		Kind   string   `xml:"AttributeType,attr"`
		Center string   `xml:"Center,attr"`
		Item   xdmfItem `xml:"DataItem"`
	}
	xdmfItem struct {
		Dimensions string `xml:"Dimensions,attr"`
		Number     string `xml:"NumberType,attr"`
		Precision  int    `xml:"Precision,attr"`
		Format     string `xml:"Format,attr"`
		Endian     string `xml:"Endian,attr,omitempty"`
		Text       string `xml:",chardata"`
	}
)

func writeXML(w io.Writer, file any) error {
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", " ")
	if err := e.Encode(file); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

// list is numbers separated by spaces.
func list(values []float64) string {
	var b strings.Builder
	for i, v := range values {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(digits(v))
	}
	return b.String()
}

func digits(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
