package conn

import "time"

// strain is how far a member's greetings are from being in time.
type strain struct {
	degree int
	noted  time.Time
}

const (
	// mostStrain bounds the degree. With it one greeting is asked for at a time, and a few successes undo it.
	mostStrain = 3
	// mostPatience bounds how much longer a greeting has: twice as long for each degree. A greeting that a member has lost
	// holds up the next one for that long.
	mostPatience = 1
)

// late notes a greeting that wasn't in time, which was asked for at that moment. Those that were asked for before the last
// one was noted are of the same failure.
func (s *strain) late(asked time.Time) {
	if asked.After(s.noted) {
		s.degree = min(s.degree+1, mostStrain)
		s.noted = time.Now()
	}
}

// inTime notes a greeting that came after that time. More are asked for at a time where twice that time would do, with what
// an attempt has then.
func (s *strain) inTime(took, within time.Duration) {
	if s.degree > 0 && 2*took < within<<min(s.degree-1, mostPatience) {
		s.degree--
	}
}

// atOnce is how many greetings a member is asked for at a time.
func (s *strain) atOnce(most int) int { return max(1, most>>s.degree) }

// within is how long an attempt to connect has in any case; 0 where its opener leaves that open.
func (m *member) within() time.Duration {
	if m.AtOnce == 0 {
		return m.Within
	}
	return m.Within << min(m.strain.degree, mostPatience)
}
