package instant

import (
	"time"

	"github.com/kvbench/kvbench/internal/bundle"
)

func RFC3339(unixNanos int64) string {
	return time.Unix(0, unixNanos).UTC().Format("2006-01-02T15:04:05.000000Z")
}

func FloorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

const (
	NanosPerSecond = int64(1e9) // in nanoseconds
	NanosPerMilli  = int64(1e6)
	NanosPerMicro  = int64(1e3)
)

const BinMicros = bundle.BinMillis * 1000
