package main

// networkResult is the file of networks.
type networkResult struct {
	header
	Rows []networkRow `json:"rows"`
}

// networkRow is one measurement. Fields that a table does not have are left out. Times are medians in seconds.
type networkRow struct {
	Table    string  `json:"table"`
	Case     string  `json:"case"`
	Unknowns int     `json:"unknowns"`
	Entries  int64   `json:"entries"`
	Device   string  `json:"device"`
	Threads  int     `json:"threads,omitempty"` // of a processor
	Method   string  `json:"method,omitempty"`
	Order    string  `json:"order,omitempty"`
	Right    string  `json:"right_side,omitempty"` // empty: independent normal numbers
	RTol     float64 `json:"rtol,omitempty"`
	Runs     int     `json:"runs,omitempty"` // 0: one, that counts
	Commit   string  `json:"commit"`

	LoadS     float64 `json:"load_s,omitempty"`     // the matrix from host arrays to the device
	SetupS    float64 `json:"setup_s,omitempty"`    // from there to the first iteration
	OrderS    float64 `json:"order_s,omitempty"`    // of it: parac's order, where the processor finds it
	FactorS   float64 `json:"factor_s,omitempty"`   // of it: parac's elimination, the order included
	SortS     float64 `json:"sort_s,omitempty"`     // of it: parac's factor sorted for the solves
	SolveS    float64 `json:"solve_s,omitempty"`    // the iteration
	TotalS    float64 `json:"total_s,omitempty"`    // set-up and iteration
	TransferS float64 `json:"transfer_s,omitempty"` // the right side to the device and the solution back
	WholeS    float64 `json:"whole_s,omitempty"`    // everything from host arrays to host arrays

	Iterations int     `json:"iterations,omitempty"`
	Residual   float64 `json:"relative_residual,omitempty"` // true, in FP64
	Converged  bool    `json:"converged"`

	Fill          float64 `json:"fill,omitempty"` // 2 nnz(G) / nnz(A)
	FactorEntries int64   `json:"factor_entries,omitempty"`
	Depth         int     `json:"depth,omitempty"`        // critical path of the triangular solves
	Tree          int     `json:"tree,omitempty"`         // height of the elimination tree of the factor
	ClassicTree   int     `json:"classic_tree,omitempty"` // of an exact factor in the same order
	Grown         int     `json:"grown,omitempty"`        // how often memory of the elimination had to grow

	Levels   int     `json:"levels,omitempty"`    // of the hierarchy
	Level    *int    `json:"level,omitempty"`     // of a product
	Layout   string  `json:"layout,omitempty"`    // of its graph
	PerCycle int     `json:"per_cycle,omitempty"` // products in one application of the cycle
	ProductS float64 `json:"product_s,omitempty"` // one of them
	// that it moves at least: the graph as stored, and each vector once
	ProductBytes int64   `json:"product_bytes,omitempty"`
	TBPerS       float64 `json:"product_TB_per_s,omitempty"`
	ProductsS    float64 `json:"products_s,omitempty"`       // all of an iteration's, times the iterations
	ReadS        float64 `json:"read_s,omitempty"`           // a netlist from its text
	ConnectS     float64 `json:"connect_s,omitempty"`        // its system
	Resistors    int     `json:"resistors,omitempty"`        // of a netlist, as the two below
	Shorts       int     `json:"shorts,omitempty"`           //
	Nodes        int     `json:"nodes,omitempty"`            //
	DropV        float64 `json:"worst_drop_V,omitempty"`     // of any node off its net's sources
	ApartV       float64 `json:"largest_change_V,omitempty"` // of a voltage from the table's first solve of the netlist
	Note         string  `json:"note,omitempty"`
}
