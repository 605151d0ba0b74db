package cassandra

import (
	"strconv"
	"strings"
)

// mutationLimit is the setting that bounds what a write may have.
const mutationLimit = "max_mutation_size"

const (
	// maxMutationBytes is Cassandra's default of it: half a segment of the commit log.
	maxMutationBytes = 16 << 20
	// besidesRecord is what a mutation, and the request with it, have besides the record.
	besidesRecord = 1 << 20
	// heapDefault is that of the chart.
	heapDefault = "256m"
)

// mutationBytes are the most that a write may have. Without the setting, a request of a client is also bounded by what those of one
// address may have under way, which is a fortieth of the heap (DatabaseDescriptor.calculateDefaultNativeTransportMaxMessageSizeInBytes
// of Cassandra 5.0). The chart raises both with it.
func mutationBytes(settings map[string]any) int64 {
	if size, ok := settings[mutationLimit].(string); ok {
		mebibytes, err := strconv.ParseInt(strings.TrimSuffix(size, "MiB"), 10, 64)
		if err != nil {
			return maxMutationBytes // the chart's schema refuses it
		}
		return mebibytes << 20
	}
	heap, ok := settings["heap"].(string)
	if !ok {
		heap = heapDefault
	}
	return min(maxMutationBytes, heapBytes(heap)/40)
}

// heapBytes reads a size as Java has it, such as 512m or 2g.
func heapBytes(size string) int64 {
	number, err := strconv.ParseInt(size[:max(0, len(size)-1)], 10, 64)
	if err != nil {
		return heapBytes(heapDefault) // the chart's schema refuses it
	}
	if strings.HasSuffix(size, "g") {
		return number << 30
	}
	return number << 20
}
