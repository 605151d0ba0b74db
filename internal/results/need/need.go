// Package need estimates from a run's plan how many bytes the run will leave at the results server. It is
// pure.
//
// The bytes depend on the store. The estimate is twice too much where latencies differ little, and near
// the truth where they differ much.
package need

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/rate"
	"github.com/kvbench/kvbench/internal/stores"
)

// What a writer leaves, in bytes. A test writes files as workers do and compares.
const (
	// binBytes is a row of the bins, and seriesInBin each of its series. There is a row for each bin of a second
	// in which something happened, with the series that had operations: kinds on shards.
	binBytes      = 28
	seriesInBin   = 11
	binsPerSecond = 100
	// A row of the interval log has the distinct latencies of a kind of operation in a second. They
	// grow as the root of the number of operations: rowBytes is of each unit of it.
	rowBytes   = 32
	leastOfRow = 100
	// selfBytes is what a worker says of itself each second, and seriesBytes a second of the report.
	selfBytes   = 700
	seriesBytes = 200
	// The observer writes so much twice a second, and so much of each member.
	lineBytes   = 200
	memberBytes = 180
	// fixedBytes is for the report, claims, faults and end marks.
	fixedBytes = 128 << 10
)

// What isn't in the plan: a closed loop is as fast as the store is.
const (
	closedRate = 10_000 // operations/s of a worker where a duration bounds it, so that its rows are large
	fastRate   = 60_000 // and where operations do: nobody is refused whose run may be short
	loadRate   = 5_000  // records/s of a loader
)

// Need is what a run leaves.
type Need struct {
	Bytes int64
	parts []part
}

type part struct {
	what  string
	bytes float64
}

// Of is what a run of the plan leaves.
func Of(p *plan.Plan) Need {
	var parts []part
	var seconds float64
	for i := range p.Workloads {
		w := &p.Workloads[i]
		workers, lasts := float64(w.Load.Workers), secondsOf(w)
		each := bytesPerSecond(w, min(stores.MaxShards, len(p.Store.Members)))
		parts = append(parts, part{
			what:  fmt.Sprintf("workload %s, %s for %s at %s/s each", w.Name, plural(w.Load.Workers, "worker"), duration(lasts), Size(each)),
			bytes: workers*lasts*each + lasts*seriesBytes,
		})
		seconds += lasts
		if w.LoadFirst {
			loads := float64(max(0, w.ToLoad())) / (loadRate * workers)
			parts = append(parts, part{
				what:  fmt.Sprintf("loading %d records for it", w.ToLoad()),
				bytes: workers * loads * (row(loadRate) + selfBytes),
			})
			seconds += loads
		}
	}
	parts = append(parts,
		part{"the observer", seconds * 2 * (lineBytes + memberBytes*float64(len(p.Store.Members)))},
		part{"the report", fixedBytes})
	var sum float64
	for _, each := range parts {
		sum += each.bytes
	}
	slices.SortStableFunc(parts, func(a, b part) int { return cmp.Compare(b.bytes, a.bytes) })
	return Need{Bytes: int64(min(sum, math.MaxInt64/2)), parts: parts}
}

// String is the sum, and its largest parts.
func (n Need) String() string {
	const most = 4
	var text []string
	for _, each := range n.parts[:min(most, len(n.parts))] {
		text = append(text, fmt.Sprintf("%s: %s", each.what, Size(each.bytes)))
	}
	if len(n.parts) > most {
		text = append(text, "and so on")
	}
	return fmt.Sprintf("about %s (%s)", Size(float64(n.Bytes)), strings.Join(text, "; "))
}

// secondsOf is how long the workload is recorded.
func secondsOf(w *plan.Workload) float64 {
	return measured(w).Seconds() + float64(w.Load.WarmupMillis+w.Load.CooldownMillis)/1000
}

// measured is how long the workload measures.
func measured(w *plan.Workload) time.Duration {
	if lasts, known := rate.Lasts(w); known {
		return lasts
	}
	return time.Duration(float64(w.Operations) / (fastRate * float64(w.Load.Workers)) * float64(time.Second))
}

// bytesPerSecond is what a worker of the workload writes in the mean, where its keys may be on so many shards.
// It is reckoned from the mean rate, of warm-up and cool-down too. That is no less than the mean over a rate that
// changes, since twice the operations in a second take less than twice the bytes.
func bytesPerSecond(w *plan.Workload, shards int) float64 {
	open := w.Load.Rate > 0
	var operations float64
	switch {
	case open:
		operations = rate.Mean(w, measured(w)) / float64(w.Load.Workers)
	case w.DurationMillis == 0:
		operations = fastRate
	default:
		operations = closedRate
	}
	kinds := kindsOf(w.Properties)
	rows := kinds * row(operations/kinds)
	if open {
		// Service times and response times; waits, and one row of the sends' lags, which differ less.
		rows = 2.6*rows + 0.6*row(operations)
	}
	bins := min(binsPerSecond, operations)*binBytes + min(binsPerSecond*kinds*float64(max(1, shards)), operations)*seriesInBin
	return rows + bins + selfBytes
}

// row is a row of the interval log.
func row(operations float64) float64 { return leastOfRow + rowBytes*math.Sqrt(operations) }

// kindsOf is how many kinds of operations have rows of their own.
func kindsOf(properties map[string]string) (kinds float64) {
	for property, share := range properties {
		of, is := strings.CutSuffix(property, "proportion")
		value, err := strconv.ParseFloat(strings.TrimSpace(share), 64)
		switch {
		case !is || err != nil || value <= 0:
		case of == "readmodifywrite":
			kinds += 3 // its parts have, too
		default:
			kinds++
		}
	}
	return max(1, kinds)
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func duration(seconds float64) string {
	return (time.Duration(min(seconds, math.MaxInt32)) * time.Second).String()
}

// Size is a number of bytes for people.
func Size(bytes float64) string {
	for _, unit := range []struct {
		name string
		size float64
	}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}} {
		if bytes >= unit.size {
			return fmt.Sprintf("%.1f %s", bytes/unit.size, unit.name)
		}
	}
	return fmt.Sprintf("%.0f B", bytes)
}
