// Package stats says what trials prove about two systems: how far apart they are, within which interval, and whether a
// gate may open. It is pure: it gets numbers, and returns numbers.
//
// A trial is one deployment, measured once: its figure is one number, whatever the number of operations. Nothing here
// takes single operations, because those of one trial share its luck.
package stats
