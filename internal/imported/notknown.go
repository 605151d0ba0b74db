package imported

// NotKnown is something that a tool doesn't tell.
type NotKnown string

// What a tool may not tell.
const (
	Validity     NotKnown = "validity"
	IntendedRate NotKnown = "intendedRate"
	WarmUp       NotKnown = "warmUp"
	Time         NotKnown = "time"
	ErrorCount   NotKnown = "errors"
)

// String is a sentence for people.
func (n NotKnown) String() string {
	switch n {
	case Validity:
		return "Nobody judged whether the numbers are valid."
	case IntendedRate:
		return "The intended rate is not known."
	case WarmUp:
		return "Whether the numbers hold a warm-up is not known."
	case Time:
		return "Whether latencies are response times or service times is not known."
	case ErrorCount:
		return "How many operations failed is not known."
	}
	return string(n)
}
