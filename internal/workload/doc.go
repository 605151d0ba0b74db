// Package workload is YCSB's core workload: which operations are made, on which keys, and
// with which values.
//
// Key names, the order of loading, the distributions' formulas and the values of
// dataintegrity are those of Java YCSB (site.ycsb CoreWorkload). The order of a run is
// ours: it follows from a seed. Nothing here does I/O, but for files that a command line's
// properties name, or reads a clock, and nothing on the way of an operation allocates, locks a shared lock or looks into a map.
package workload
