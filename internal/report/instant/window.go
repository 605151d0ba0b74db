package instant

// Window is a span of rows of the logs, by their second of the measurement, both ends
// inclusive, in which a fault was at work.
type Window struct{ From, To int64 }

func Within(windows []Window, second int64) bool {
	for _, w := range windows {
		if second >= w.From && second <= w.To {
			return true
		}
	}
	return false
}
