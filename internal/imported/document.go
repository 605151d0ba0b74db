package imported

// Kind and Format mark a document of this package.
const (
	Kind   = "kvbench.imported"
	Format = 1
)

// Tools whose outputs are imported.
const (
	YCSB           = "ycsb" // for Java
	GoYCSB         = "go-ycsb"
	Memtier        = "memtier"
	RedisBenchmark = "redis-benchmark"
	K6             = "k6"
)

// Tools are all of them.
var Tools = []string{YCSB, GoYCSB, Memtier, RedisBenchmark, K6}

// Imported is one output of another tool.
type Imported struct {
	Kind   string `json:"kind"`
	Format int    `json:"format"`
	Source Source `json:"source"`
	// ImportedAt is when the document was made, in RFC 3339 and UTC.
	ImportedAt string `json:"importedAt"`
	// Workload is a name that the user gave, or the file's.
	Workload string `json:"workload"`
	Measured
}

// Source is the file that was imported.
type Source struct {
	File   string `json:"file"`   // its name without folders
	SHA256 string `json:"sha256"` // hex, of its bytes
}

// Measured is what the tool says.
type Measured struct {
	Tool string `json:"tool"`
	// ToolVersion is absent where the output doesn't name it.
	ToolVersion string `json:"toolVersion,omitempty"`
	// Valid is false where an export of kvbench says that the numbers are not valid. Else it is null: nobody knows.
	Valid *bool `json:"valid"`
	// MeasuredAt is when the measurement began, in RFC 3339 and UTC; null where the output doesn't tell.
	MeasuredAt *string `json:"measuredAt"`
	// DurationMicros is how long it took, in microseconds.
	DurationMicros *float64 `json:"durationMicros"`
	// Throughput is operations/s of all kinds together. Tools differ in whether it counts operations that failed.
	Throughput *float64    `json:"throughput"`
	Operations []Operation `json:"operations"`
	// NotKnown is what the tool doesn't tell, in the order of the constants.
	NotKnown []NotKnown `json:"notKnown"`
	// Remarks have to be known beside the figures.
	Remarks []string `json:"remarks"`
}

// Operation is one kind of operation.
type Operation struct {
	// Operation is the tool's own name, unless the user gave another.
	Operation string `json:"operation"`
	// Role is what the operation is beside the others. The tool's name decides, whatever name the user gives.
	Role Role `json:"role,omitempty"`
	// Count is how many were made, those that failed included; null where the tool doesn't tell.
	Count *int64 `json:"count"`
	// Errors are those that failed. Null says that the tool doesn't count them, and 0 that there were none.
	Errors *int64 `json:"errors"`
	// Throughput is operations/s.
	Throughput *float64  `json:"throughput"`
	Latencies  []Latency `json:"latencies"` // one for each time
}

// Role is what an operation is beside the others of a document. Most have none.
type Role string

// Roles. What has one can't be added to the other operations.
const (
	// Whole is a read-modify-write: its read and its update count among the other operations too.
	Whole Role = "whole"
	// Frame is one pass of a script around operations of the document. It is no operation on the store.
	Frame Role = "frame"
)

// Times that a latency can be.
const (
	Service  = "service"  // from the send
	Response = "response" // from the moment when the operation was to be sent
	Unsaid   = "unsaid"   // one of them, and the output doesn't tell which
)

// Latency sums up how long operations took, in microseconds.
type Latency struct {
	Time       string   `json:"time"`
	MeanMicros *float64 `json:"meanMicros"`
	P50Micros  *float64 `json:"p50Micros"`
	P90Micros  *float64 `json:"p90Micros"`
	P95Micros  *float64 `json:"p95Micros"`
	P99Micros  *float64 `json:"p99Micros"`
	P999Micros *float64 `json:"p999Micros"`
	MaxMicros  *float64 `json:"maxMicros"`
}

// At is where the percentile belongs; nil for one that documents don't have.
func (l *Latency) At(percentile float64) **float64 {
	switch percentile {
	case 50:
		return &l.P50Micros
	case 90:
		return &l.P90Micros
	case 95:
		return &l.P95Micros
	case 99:
		return &l.P99Micros
	case 99.9:
		return &l.P999Micros
	}
	return nil
}

// Empty says that nothing of it is known.
func (l *Latency) Empty() bool {
	return l.MeanMicros == nil && l.P50Micros == nil && l.P90Micros == nil && l.P95Micros == nil && l.P99Micros == nil && l.P999Micros == nil && l.MaxMicros == nil
}

// NotValid says that the numbers are known to be not valid.
func (m *Measured) NotValid() bool { return m.Valid != nil && !*m.Valid }
