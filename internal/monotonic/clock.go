// Package monotonic has a wall clock that is monotonic. Programs tell each other deadlines and instants by their wall
// clocks. If somebody sets such a clock in the middle of a run, by an hour or by a second, this clock goes on as before.
package monotonic

import "time"

// Clock reads the wall clock once. From there it counts with the machine's monotonic clock.
type Clock struct {
	now   func() time.Time
	begin time.Time
}

// New begins at now(), which is time.Now or another function whose times have a monotonic reading.
func New(now func() time.Time) *Clock { return &Clock{now: now, begin: now()} }

// Now is the time that the wall clock would have if nobody had set it since the begin.
func (c *Clock) Now() time.Time { return c.begin.Add(c.now().Sub(c.begin)) }

var process = New(time.Now)

// Now is the clock of this process.
func Now() time.Time { return process.Now() }

// Began is when this process did, by its clock.
func Began() time.Time { return process.Begin() }

// Begin is the first reading.
func (c *Clock) Begin() time.Time { return c.begin }
