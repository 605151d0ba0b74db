package measurements

import (
	"cmp"
	"maps"
	"slices"

	"github.com/kvbench/kvbench/internal/stores"
	"github.com/kvbench/kvbench/internal/workload"
)

// returns are how often each status of an operation was seen, OK first. A read-modify-write has no statuses of
// its own. Its read and its update have them.
func (f *Figures) returns(operation string) []entry {
	if operation == stores.ReadModifyWrite.String() {
		return nil
	}
	counts := map[string]int64{}
	if ok := f.count(operation, ""); ok > 0 {
		counts["OK"] = ok
	}
	for _, e := range f.Counted {
		if e.Operation == operation {
			counts[status(e.Code)] += e.Count
		}
	}
	var list []entry
	for name, count := range counts {
		list = append(list, entry{operation, "Return=" + name, count})
	}
	slices.SortFunc(list, func(a, b entry) int {
		if okA, okB := a.measurement == "Return=OK", b.measurement == "Return=OK"; okA != okB {
			if okA {
				return -1
			}
			return 1
		}
		return cmp.Compare(a.measurement, b.measurement)
	})
	return list
}

// status is YCSB's status for a driver's code.
func status(code string) string {
	switch code {
	case stores.CodeNotFound, "UNEXPECTED_STATE":
		return code
	case stores.CodeBadOperation, "RequestTooLarge", "ResourceExhausted", // gRPC's for a record that is too large
		"EmptyKey", "InvalidArgument":
		return "BAD_REQUEST"
	case "PermissionDenied", "InvalidAuthToken", "UserEmpty":
		return "FORBIDDEN"
	case stores.CodeNoConnection, stores.CodeConnectionLost, "Unavailable", "NoLeader", "TooManyRequests":
		return "SERVICE_UNAVAILABLE"
	}
	return "ERROR"
}

// verifications are how the comparisons of dataintegrity ended. They have no latency of their own.
func (f *Figures) verifications() []entry {
	ok, failed := f.count(stores.Read.String(), ""), map[string]int64{}
	for _, e := range f.Counted {
		if e.Operation == stores.Read.String() && (e.Code == workload.Mismatch.String() || e.Code == workload.Nothing.String()) {
			failed[e.Code] += e.Count
		}
	}
	const metric = "VERIFY"
	var list []entry
	sum := ok
	if ok > 0 {
		list = append(list, entry{metric, "Return=OK", ok})
	}
	for _, code := range slices.Sorted(maps.Keys(failed)) {
		list = append(list, entry{metric, "Return=" + code, failed[code]})
		sum += failed[code]
	}
	return append([]entry{{metric, "Operations", sum}}, list...)
}
