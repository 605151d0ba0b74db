// Package ycsb is the load generator on a command line, without Kubernetes. It is a YCSB client: it takes
// the options of bin/ycsb and go-ycsb, and writes what they write.
//
// A command becomes a plan of one worker, as a BenchmarkRun does, and the same job runs it. A folder on
// this machine takes the place of the results server. Every figure that is printed at the end is computed
// from the files in that folder. What is printed before is for people, and nothing is computed from it.
//
// Package properties reads what the command asks for, and package measurements prints what was measured.
// Neither knows the other, and neither knows this package.
package ycsb
