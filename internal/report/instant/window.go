package instant

// Window is the seconds in which a fault was at work, by the rows of the logs, both ends inclusive.
type Window struct{ From, To Second }

// Within says whether a fault was at work in the second.
func Within(windows []Window, second Second) bool {
	for _, w := range windows {
		if second >= w.From && second <= w.To {
			return true
		}
	}
	return false
}
