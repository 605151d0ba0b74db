// Package controllers sets up what the controllers of all kinds run on: the types, the caches, and
// the election of a leader.
//
// Below it each kind has a folder: run is the BenchmarkRun's, and suite the BenchmarkSuite's. What kinds
// share stands beside them, and is named after its subject: conditions, message, names, requests, servertime.
// The folder usage has what a run's members use of their nodes; it follows runs and steers none.
package controllers
