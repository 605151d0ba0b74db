// Package ycsb is the load generator on a command line, without Kubernetes: a YCSB client
// that takes the options of bin/ycsb and go-ycsb and writes what they write.
//
// A command becomes a plan of one worker, as a BenchmarkRun does, and the same job runs it.
// Its files lie in a folder on this machine in the place of the results server; every
// figure that is printed at the end is computed from them. What is printed before is for
// people, and nothing is computed from it.
package ycsb
