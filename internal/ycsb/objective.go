package ycsb

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/report/histogram"
	"github.com/kvbench/kvbench/internal/stores"
	"github.com/kvbench/kvbench/internal/workload"
)

// Objective is a bound on response times: of all operations of a kind that were intended,
// at least that percentage succeeded within the bound. What failed, and what never started,
// did not.
type Objective struct {
	Percentile float64
	Kind       stores.Kind
	Bound      time.Duration
}

func (o Objective) String() string {
	return fmt.Sprintf("p%s of %s at most %s", strconv.FormatFloat(o.Percentile, 'f', -1, 64), o.Kind, o.Bound)
}

var objectiveText = regexp.MustCompile(`^p([0-9.]+) of ([A-Za-z-]+) at most (\S+)$`)

// ParseObjective reads "p99 of READ at most 10ms".
func ParseObjective(text string) (Objective, error) {
	o, err := parseObjective(text)
	if err != nil {
		return o, fmt.Errorf(`--objective %q: %w; write it as "p99 of READ at most 10ms"`, text, err)
	}
	return o, nil
}

func parseObjective(text string) (o Objective, err error) {
	parts := objectiveText.FindStringSubmatch(strings.Join(strings.Fields(text), " "))
	if parts == nil {
		return o, errors.New("is no objective")
	}
	o.Percentile, err = strconv.ParseFloat(parts[1], 64)
	if err != nil || !(o.Percentile > 0 && o.Percentile <= 100) {
		return o, fmt.Errorf("the percentile %s is not above 0 and at most 100", parts[1])
	}
	if o.Kind, err = kindOf(strings.ToUpper(parts[2])); err != nil {
		return o, err
	}
	o.Bound, err = time.ParseDuration(parts[3])
	if err != nil || o.Bound <= 0 {
		return o, fmt.Errorf("%s is no time above 0", parts[3])
	}
	return o, nil
}

func kindOf(name string) (stores.Kind, error) {
	for kind := range stores.NumKinds {
		if kind.String() == name {
			return kind, nil
		}
	}
	return 0, fmt.Errorf("there is no operation %s", name)
}

// made says whether the workload makes operations of the kind.
func made(spec *workload.Spec, kind stores.Kind) bool { return shareOf(spec, kind) > 0 }

// shareOf is how large a part of the workload's operations are of the kind; those that are a
// read-modify-write's count as both of its parts as well.
func shareOf(spec *workload.Spec, kind stores.Kind) float64 {
	weight, sum := spec.Weights[kind], 0.0
	if kind == stores.Read || kind == stores.Update {
		weight += spec.Weights[stores.ReadModifyWrite]
	}
	for _, w := range spec.Weights {
		sum += w
	}
	return weight / sum
}

// reached is the response time within which that percentage of the operations succeeded, at
// its histogram's precision; never, when too many did not. failed are those that are not in
// the histogram.
func reached(h *hdr.PackedHistogram, failed int64, percentile float64) time.Duration {
	var total int64
	if h != nil {
		total = h.TotalCount()
	}
	rank := bundle.Rank(percentile, total+failed)
	if rank > total {
		return never
	}
	var seen int64
	for value, count := range h.ForEachBucket {
		if seen += count; seen >= rank {
			return time.Duration(value+histogram.BucketWidth(value)-1) * time.Microsecond
		}
	}
	return never
}

const never = time.Duration(math.MaxInt64)
