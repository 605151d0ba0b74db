// Package record counts the outcomes of operations for each second, and writes them to files.
//
// A Recorder takes samples. A thread has a Recorder of its own, or shares it with few others, so nobody
// waits for its lock. Once a second, a reader swaps the buffers of all Recorders, adds them up to an
// Interval, and writes rows of an HdrHistogram log and of bins. An operation belongs to the second and
// the bin of its intended start (in a closed loop: of its send), however long it takes. A second can so
// have several rows, each with what is new, and a reader of the files adds them up.
//
// Every instant in this package is a duration since the workload's start.
package record
