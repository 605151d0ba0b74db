package workload

import (
	"time"

	"github.com/kvbench/kvbench/internal/stores"
)

// Spec is a workload's properties, parsed and checked.
type Spec struct {
	Table string

	// Fields are the names of a record's fields.
	Fields []string
	// FieldLength is the longest value; MinFieldLength the shortest, unless the lengths
	// are constant.
	FieldLength       int64
	MinFieldLength    int64
	FieldLengths      string // Constant, Uniform, Zipfian, Histogram or Pareto
	LengthHistogram   *LengthHistogram
	FieldLengthPareto ParetoLaw
	ReadAllFields     bool
	ReadFieldsByName  bool // with ReadAllFields: ask for the list of names instead of for all
	WriteAllFields    bool
	DataIntegrity     bool // values follow from key and field, and reads are compared
	OrderedInserts    bool // key names hold the key number itself instead of its hash
	GoYCSBKeys        bool // key names hold go-ycsb's hash
	ZeroPadding       int
	OwnKeys           bool // each worker asks for a part of the loaded records alone
	Weights           [stores.NumKinds]float64
	Requests          string // Uniform, Zipfian, Latest, Exponential, Hotspot, Sequential or Mixgraph
	HotspotData       float64
	HotspotOperations float64
	ExponentialPart   float64 // the share of the newest records …
	ExponentialShare  float64 // … that get this percentage of the operations
	KeyRanges         KeyRanges
	MinScanLength     int64
	MaxScanLength     int64
	ScanLengths       string // Uniform, Zipfian or Pareto
	ScanLengthPareto  ParetoLaw

	// CacheAside says that a read without a record is followed by an insert of it.
	CacheAside bool
	// TTL is how long what is written stays; 0 is for ever.
	TTL time.Duration
}

// ParetoLaw are the parameters of a generalized Pareto law whose location is 0.
type ParetoLaw struct{ K, Sigma float64 }

// Distributions.
const (
	Constant    = "constant"
	Uniform     = "uniform"
	Zipfian     = "zipfian"
	Latest      = "latest"
	Exponential = "exponential"
	Hotspot     = "hotspot"
	Sequential  = "sequential"
	Histogram   = "histogram"
	Pareto      = "pareto"
	Mixgraph    = "mixgraph"
)

// share is the part of all operations that is of this kind.
func (s *Spec) share(kind stores.Kind) float64 {
	var sum float64
	for _, w := range s.Weights {
		sum += w
	}
	return s.Weights[kind] / sum
}
