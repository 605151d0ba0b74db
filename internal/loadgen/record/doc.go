// Package record counts what operations did, second by second, and writes it down.
//
// A Recorder takes samples; each thread has one, or few threads share one, so its lock is
// never waited for. Once a second a reader swaps the buffers of all recorders, adds them
// up to an Interval, and writes rows of an HdrHistogram log and of bins. An operation
// belongs to the second and the bin of its intended start (in a closed loop: its send),
// however long it takes: rows are what is new, and a reader adds up the rows of a second.
//
// Every instant here is a duration since the workload's start.
package record
