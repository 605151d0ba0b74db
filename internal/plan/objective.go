package plan

// Objective is a bound that a figure of the report has to keep. One of AtMost and AtLeast is set, in the unit of the metric:
// seconds, operations/s, a part of 1, or records.
type Objective struct {
	Metric string `json:"metric"` // a name of internal/report/figures
	// Operation is the kind of operation that a percentile is of, by YCSB's name; "" for each kind.
	Operation string `json:"operation,omitempty"`
	// Statistic of the outages of several faults: StatisticMax or StatisticMedian; "" for other metrics.
	Statistic string `json:"statistic,omitempty"`
	// Workload whose figure it is; "" for each workload.
	Workload string   `json:"workload,omitempty"`
	AtMost   *float64 `json:"atMost,omitempty"`
	AtLeast  *float64 `json:"atLeast,omitempty"`
}

// Statistics of several faults.
const (
	StatisticMax    = "max"
	StatisticMedian = "median"
)
