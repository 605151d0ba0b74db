// Package steady has a wall clock that doesn't jump. Deadlines and instants that are told
// between programs need a wall clock; one that was set in the middle of a run, by an hour
// or by a second, would end it or tear it apart.
package steady

import "time"

// Clock reads the wall once, and counts on from there with the monotonic clock.
type Clock struct {
	now   func() time.Time
	begin time.Time
}

// New begins now; now is time.Now, or something else that has a monotonic reading.
func New(now func() time.Time) *Clock { return &Clock{now: now, begin: now()} }

// Now is what the wall clock would say had nobody set it since the begin.
func (c *Clock) Now() time.Time { return c.begin.Add(c.now().Sub(c.begin)) }

var process = New(time.Now)

// Now is the clock of this process.
func Now() time.Time { return process.Now() }

// Began is when this process did, by its clock.
func Began() time.Time { return process.Begin() }

// Begin is the first reading.
func (c *Clock) Begin() time.Time { return c.begin }
