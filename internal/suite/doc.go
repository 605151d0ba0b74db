// Package suite turns a BenchmarkSuite into the runs that it asks for: the combinations of its axes, their order in each
// block, and the names of the runs. It also says which runs are made again.
//
// It is pure: the same suite and seed give the same runs, in the same order. So an operator that was killed finds out what
// was done from the runs that exist.
package suite
