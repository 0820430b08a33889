package main

import (
	"bytes"
	"fmt"
)

// Sizes of the picture in its units.
const (
	left, top     = 90, 56
	width, height = 62, 34
	below         = 66
)

// svg draws a cell for each solve: its gain where there is a steady state, and the largest factor on its power where
// there is none.
func (g *gains) svg() []byte {
	var b bytes.Buffer
	w, h := left+width*len(g.coolings)+24, top+height*len(g.powers)+below
	fmt.Fprintf(&b, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" "+
		"font-size=\"13\" text-anchor=\"middle\">\n", w, h)
	fmt.Fprintf(&b, "<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n", w, h)
	fmt.Fprintf(&b, "<text x=\"%d\" y=\"24\" font-size=\"15\">Loop gain; grey: runaway, with the largest factor on "+
		"that power</text>\n", left+width*len(g.coolings)/2)
	fmt.Fprintf(&b, "<text x=\"%d\" y=\"%d\">h of the top in W/(m²K)</text>\n", left+width*len(g.coolings)/2, h-18)
	fmt.Fprintf(&b, "<text transform=\"translate(22 %d) rotate(-90)\">power, times that of the stack</text>\n",
		top+height*len(g.powers)/2)
	for j := range g.powers {
		y := top + height*(len(g.powers)-1-j)
		fmt.Fprintf(&b, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%g</text>\n", left-8, y+height/2+5, g.powers[j])
		for i := range g.coolings {
			v := &g.at[j][i]
			fill, text := colour(v.gain), fmt.Sprintf("%.2f", v.gain)
			if v.runaway {
				fill, text = "#bbb", fmt.Sprintf("×%.2f", v.factor)
			}
			x := left + width*i
			fmt.Fprintf(&b, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"%s\" stroke=\"#fff\"/><text "+
				"x=\"%d\" y=\"%d\">%s</text>\n",
				x, y, width, height, fill, x+width/2, y+height/2+5, text)
		}
	}
	for i, c := range g.coolings {
		fmt.Fprintf(&b, "<text x=\"%d\" y=\"%d\">%.2g</text>\n", left+width*i+width/2, top+height*len(g.powers)+20, c)
	}
	b.WriteString("</svg>\n")
	return b.Bytes()
}

// colour goes from light yellow at no gain to red at 1.
func colour(gain float64) string {
	t := min(1, max(0, gain))
	return fmt.Sprintf("#%02x%02x%02x", 255-int(25*t), 245-int(180*t), 190-int(140*t))
}
