package netlist

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

func systemOf(t *testing.T, text string) *System {
	t.Helper()
	g, err := Read("grid.sp", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	s, err := NewSystem(g)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// solved by elimination, V by name.
func solved(s *System) map[string]float64 {
	n := len(s.B)
	a := mat.NewDense(n, n, nil)
	for i := range n {
		for k := s.RowPtr[i]; k < s.RowPtr[i+1]; k++ {
			a.Set(i, int(s.Col[k]), s.Val[k])
		}
	}
	var x mat.VecDense
	if err := x.SolveVec(a, mat.NewVecDense(n, s.B)); err != nil {
		panic(err)
	}
	out := map[string]float64{}
	for i, v := range s.Voltages(x.RawVector().Data) {
		out[s.g.Names[i+1]] = v
	}
	return out
}

// A supply with two vias, a ground net and loads between them, by hand: 1.8 V through 0.5 and 1 ohm in parallel arms.
func TestByHand(t *testing.T) {
	s := systemOf(t, `* a power grid
r1 n1_0_0 n1_1_0 0.5
R2 n1_1_0 n1_2_0 500m
Rvia n1_0_0 n2_0_0 0
Vvia n2_0_0 n3_0_0 0
V0 n3_0_0 0 dc 1.8
Rg g1 g2 1k $ comment
Vg g2 0 0
I1 n1_2_0 0 100mA
I2 0 g1 1u
.op
.end
R99 nothing here is read
`)
	got := solved(s)
	for node, want := range map[string]float64{"n3_0_0": 1.8, "n1_0_0": 1.8, "n1_1_0": 1.75, "n1_2_0": 1.7, "g1": 1e-3,
		"g2": 0} {
		if math.Abs(got[node]-want) > 1e-14 {
			t.Errorf("%s: %v V, want %v", node, got[node], want)
		}
	}
	voltages := make([]float64, len(s.g.Names)-1)
	for i := range voltages {
		voltages[i] = got[s.g.Names[i+1]]
	}
	nets := s.Nets(voltages)
	if len(nets) != 2 || nets[0].Nominal != 1.8 || nets[0].Node != "n1_2_0" || math.Abs(nets[0].Worst-0.1) > 1e-14 ||
		nets[0].Nodes != 5 || nets[1].Node != "g1" {
		t.Errorf("nets %+v", nets)
	}
	if c := s.g.Counts(); c != (Counts{Nodes: 7, Resistors: 3, Shorts: 2, VoltageSources: 2, CurrentSources: 2}) {
		t.Errorf("%+v", c)
	}
}

// Random netlists against modified nodal analysis, in which sources and shorts are unknown currents of their own.
func TestAgainstModifiedNodalAnalysis(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 1))
		n := 4 + r.IntN(25)
		var text strings.Builder
		name := func(i int) string { return fmt.Sprintf("n%d", i) }
		var elements [][4]float64 // kind (0 R, 1 V, 2 I), a, b, value; nodes from 1, ground 0
		add := func(kind, a, b int, value float64) {
			elements = append(elements, [4]float64{float64(kind), float64(a), float64(b), value})
			node := func(i int) string {
				if i == 0 {
					return "0"
				}
				return name(i)
			}
			fmt.Fprintf(&text, "%c%d %s %s %.17g\n", "RVI"[kind], len(elements), node(a), node(b), value)
		}
		for i := 2; i <= n; i++ {
			add(0, i, 1+r.IntN(i-1), math.Pow(10, 4*r.Float64()-2))
		}
		for range n {
			add(0, 1+r.IntN(n), r.IntN(n+1), math.Pow(10, 4*r.Float64()-2))
			add(2, r.IntN(n+1), r.IntN(n+1), r.Float64())
		}
		add(1, 1, 0, 1.8)
		if r.IntN(2) == 0 {
			add(1, 0, 2, -1.7)
		}
		add(0, 3, 4, 0)
		unknowns := n
		for _, e := range elements {
			if e[0] == 1 || e[0] == 0 && e[3] == 0 {
				unknowns++
			}
		}
		a, b := mat.NewDense(unknowns, unknowns, nil), mat.NewVecDense(unknowns, nil)
		put := func(i, j int, v float64) {
			if i > 0 && j > 0 {
				a.Set(i-1, j-1, a.At(i-1, j-1)+v)
			}
		}
		extra := n
		for _, e := range elements {
			i, j, v := int(e[1]), int(e[2]), e[3]
			switch {
			case e[0] == 0 && v != 0:
				put(i, i, 1/v)
				put(j, j, 1/v)
				put(i, j, -1/v)
				put(j, i, -1/v)
			case e[0] == 2:
				for node, sign := range map[int]float64{i: -1, j: 1} {
					if node > 0 && i != j {
						b.SetVec(node-1, b.AtVec(node-1)+sign*v)
					}
				}
			default:
				extra++
				put(extra, i, 1)
				put(extra, j, -1)
				put(i, extra, 1)
				put(j, extra, -1)
				b.SetVec(extra-1, v)
			}
		}
		var want mat.VecDense
		if err := want.SolveVec(a, b); err != nil {
			t.Fatal(err)
		}
		for node, v := range solved(systemOf(t, text.String())) {
			var i int
			fmt.Sscanf(node, "n%d", &i)
			if off := math.Abs(v - want.AtVec(i-1)); off > 1e-9 {
				t.Fatalf("seed %d: %s off by %g V", seed, node, off)
			}
		}
	}
}

func TestFaults(t *testing.T) {
	for text, want := range map[string]string{
		"":                           "grid.sp: the netlist has no resistors",
		"* x\nR1 a 0 1\nM1 a 0 1p\n": `grid.sp:3:1: "M1" cannot be solved with; a power grid has resistors`,
		"R1 a 0 1\n* x\nr1 b 0 2\n":  `grid.sp:3:1: "r1" is there already, on line 1; name every element once`,
		"R1 a 0\n":                   `grid.sp:1:6: "R1" has 3 words, not 4; it has a name, two nodes and a value`,
		"R1 a 0 x\n":                 `grid.sp:1:8: "R1": "x" is no number; a value is`,
		"R1 a 0 -1\n": "grid.sp:1:8: \"R1\": a resistance must not be negative, got -1; remove " +
			"it, or write its magnitude",
		"\tRä  a\t0   \n":                `grid.sp:1:8: "Rä" has 3 words`,
		"I1 a 0 1 2 3\n":                 `grid.sp:1:10: "I1": "2" is not a waveform; write a number, or PULSE`,
		"V1 a 0 DC 1x2\n":                `grid.sp:1:11: "V1": "1x2" is no number`,
		"R1 a 0 DC -2\n":                 `grid.sp:1:11: "R1": a resistance`,
		"R1 a 0 1e999\n":                 "out of range",
		"R1 a 0 1e-320\n":                "too small",
		"R1 a b 1\n.ac dec 1 1 9\n":      `grid.sp:2:1: the command ".ac" has no meaning here; remove it`,
		"R1 a b 1\nV1 a 0 1\nV2 a 0 2\n": `grid.sp:3: node "a" is held at 2 V, and at 1 V already`,
		"R1 a b 1\nV1 a b 1\n":           "neither of which is ground",
		"R1 a b 1\nV1 a a 1\n":           "between a node and itself",
		"R1 a b 1\nV1 c 0 1\nR2 c d 1\n": `no source holds node "a" and the 1 others`,
		"R1 a b 0\nV1 a 0 1\n":           "there is nothing to solve",
		"R1 a b 1\nV1 a 0 1\nV2 b c 0\nV3 c 0 2\nV4 b 0 1\n":      "is held at",
		"R1 a 0 1\nC1 a 0 -1p\n":                                  `grid.sp:2:8: "C1": a capacitance must not be negative, got -1e-12; remove it`,
		"R1 a 0 1\nL1 a 0 -1p\n":                                  `grid.sp:2:8: "L1": an inductance must not be negative, got -1e-12; remove it`,
		"R1 a 0 1\nC1 a 0 1p ic=2\n":                              `grid.sp:2:11: "C1" has 6 words, not 4`,
		"R1 a 0 1\n.tran 1n\n":                                    `grid.sp:2:7: .tran has 1 values, not 2; write .tran STEP STOP`,
		"R1 a 0 1\n.tran\n":                                       `grid.sp:2:1: .tran has 0 values`,
		"R1 a 0 1\n.tran 1n 1u uic\n":                             `grid.sp:2:13: .tran has 3 values`,
		"R1 a 0 1\n.tran 1n x\n":                                  `grid.sp:2:10: .tran: "x" is no number`,
		"R1 a 0 1\n.tran 0 1n\n":                                  `grid.sp:2:7: .tran: a time must be positive, got 0 s`,
		"R1 a 0 1\n.tran 2n 5n\n":                                 `grid.sp:2:10: .tran: the end, 5e-09 s, is not a multiple of the step`,
		"R1 a 0 1\n.tran 1f 1\n":                                  `grid.sp:2:7: .tran: 1e+15 steps; expected at most 10000000`,
		"R1 a 0 1\n.tran 1n 1u\n.tran 1n 1u\n":                    `grid.sp:3:1: a second .tran; remove one of them`,
		"R1 a 0 1\n.tran 1n 1u\n.print tran v(b)\n":               `grid.sp:3:15: there is no node "b"`,
		"R1 a 0 1\n.tran 1n 1u\n.print v(a)\n+ i(V1)\n":           `grid.sp:4:3: "i" cannot be printed`,
		"R1 a 0 1\nI1 a 0 PULSE(1)\n":                             `grid.sp:2:14: "I1": PULSE has 1 values; write PULSE(V1 V2`,
		"R1 a 0 1\nI1 a 0 PULSE(1 2 0 -1n)\n":                     `grid.sp:2:20: "I1": a time of PULSE must not be negative`,
		"R1 a 0 1\nI1 a 0 PWL(0 1 2n 3\n+ 1n 2)\n":                `grid.sp:3:3: "I1": the time 1e-09 s of PWL is not later`,
		"R1 a 0 1\nI1 a 0 PWL(0 1 2n)\n":                          `grid.sp:2:16: "I1": PWL has 3 values; write PWL(T1 V1`,
		"R1 a 0 1\nI1 a 0 PWL(0 1 2n x)\n":                        `grid.sp:2:19: "I1": "x" is no number; write PWL`,
		"R1 a 0 1\nI1 a 0 EXP(0 1)\n":                             `grid.sp:2:8: "I1": "EXP" is no number`,
		"R1 a 0 1\nV1 a b PWL(0 1)\n":                             `grid.sp:2:4: "V1": a source between two nodes, neither of which`,
		"R1 a b 1\nV1 a 0 1\nV2 a 0 PWL(0 1)\n":                   `node "a" has two voltage sources, one of which varies`,
		"R1 a b 1\nV1 a 0 1\nL1 a c 1n\nL2 a c 1n\n.tran 1n 2n\n": `grid.sp:4: the inductor closes a loop`,
		"R1 a 0 1\nV1 b 0 1\nC1 b c 1p\nC2 c 0 1p\n.tran 1n 2n\n": `no source holds node "c"`,
	} {
		g, err := Read("grid.sp", strings.NewReader(text))
		if err == nil && g.Tran == nil {
			_, err = NewSystem(g)
		} else if err == nil {
			var run *Transient
			if run, err = NewTransient(g); err == nil {
				_, err = run.Start(make([]float64, len(run.DC.B)))
			}
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v\nwant %s", text, err, want)
		}
	}
}

func TestNumbers(t *testing.T) {
	for text, want := range map[string]float64{"1": 1, "1k": 1e3, "1mil": 25.4e-6, "2MilOhm": 50.8e-6, "3megohm": 3e6,
		"1mi": 1e-3, "2.5MEG": 2.5e6, "10mOhm": 0.01, "3u": 3e-6, "1e-3": 1e-3, "1E3k": 1e6, "-4n": -4e-9, ".5": 0.5,
		"1A": 1, "2f": 2e-15, "1g": 1e9, "1t": 1e12, "7p": 7e-12} {
		if got, err := number(text); err != nil || math.Abs(got-want) > 1e-15*math.Abs(want) {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "k", "nan", "inf", "0x10", "1_0", "1,5", "--1"} {
		if got, err := number(text); err == nil {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add("* x\nR1 a b 1k\nV1 a 0 1.8\nI1 b 0 1m\n.op\n.end\n")
	f.Add("r1 a b 0\nV1 a 0 1\nR2 a c 1\n")
	f.Add("R1 a b 1\nC1 a 0 1p\nL1 b 0 1n\nV1 c 0 1\nL2 c a 1n\nI1 a 0 PULSE(0 1 1n\n+ 1n)\n.tran 1n 3n\n.print v(a)\n")
	f.Fuzz(func(t *testing.T, text string) {
		g, err := Read("f", strings.NewReader(text))
		if err != nil {
			return
		}
		if g.Tran != nil {
			if run, err := NewTransient(g); err == nil {
				run.Source()
			}
		}
		s, err := NewSystem(g)
		if err != nil {
			return
		}
		if len(s.Voltages(make([]float64, len(s.B)))) != len(g.Names)-1 {
			t.Error("voltages are missing")
		}
	})
}
