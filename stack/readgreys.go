package stack

import (
	"bytes"
	"fmt"
	"image/color"
	"image/png"
)

// readGreys reads the grey levels of a PNG, 0 for black and 1 for white, from its upper row down.
func readGreys(data []byte) ([][]float64, error) {
	head, err := png.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("not a PNG that can be read: %w", err)
	}
	if n := int64(head.Width) * int64(head.Height); n < 1 || n > maxTiles {
		return nil, fmt.Errorf("a picture of %d by %d pixels; a map has 1 to %d tiles", head.Width, head.Height,
			maxTiles)
	}
	if n := head.Width * head.Height; n > freePixels+pixelsPerByte*len(data) {
		return nil, fmt.Errorf("a picture of %d by %d pixels in %d bytes: it is of one shade nearly everywhere; give "+
			"a smaller picture", head.Width, head.Height, len(data))
	}
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("not a PNG that can be read: %w", err)
	}
	b := img.Bounds()
	rows := make([][]float64, b.Dy())
	for j := range rows {
		rows[j] = make([]float64, b.Dx())
		for i := range rows[j] {
			c := color.NRGBA64Model.Convert(img.At(b.Min.X+i, b.Min.Y+j)).(color.NRGBA64)
			if c.R != c.G || c.G != c.B || c.A != 0xffff {
				return nil,
					fmt.Errorf("pixel %d, %d is coloured or transparent; a map of densities is in shades of grey", i+1,
						j+1)
			}
			rows[j][i] = float64(c.R) / 0xffff
		}
	}
	return rows, nil
}

// Pictures of shades pack ten times smaller or so; of one shade alone, a thousand times. Beyond freePixels they may
// not.
const freePixels, pixelsPerByte = 4 << 20, 100

// maxTiles is the largest map that is read.
const maxTiles = 1 << 28
