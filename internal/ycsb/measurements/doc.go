// Package measurements prints what a run measured, in the formats of YCSB. It has the subject of YCSB's package
// of the same name: status lines while the run lasts, and at its end the measurements of each kind of
// operation as text, JSON, CSV, interval logs, time series or single operations.
//
// A Recording is the files of a workload's workers. Its Totals, together with what only this process knows,
// are the Figures, and each format is a function of them. Samples is fed while the run lasts, for the formats
// that need single operations. A format has the bytes that YCSB writes for the same values, down to how Java
// prints a number.
package measurements
