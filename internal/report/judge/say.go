package judge

import "github.com/kvbench/kvbench/internal/report/instant"

// sayer takes a reason, the seconds that it concerns, and its message.
type sayer func(reason string, seconds []instant.Second, format string, args ...any)

// indexes are the seconds as a report has them.
func indexes(seconds []instant.Second) []int64 {
	var all []int64
	for _, second := range seconds {
		all = append(all, int64(second))
	}
	return all
}
