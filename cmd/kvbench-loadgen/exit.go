package main

import (
	"errors"

	"github.com/kvbench/kvbench/internal/loadgen"
	"github.com/kvbench/kvbench/internal/ycsb"
)

// Exit codes. The controller reads those of a pod; docs/guide/ycsb-client.md has those of the
// stand-alone client.
const (
	exitFailed         = 1
	exitBadInput       = 2
	exitSecondClaimant = 3
	exitLost           = 4
	exitOperations     = 5
	exitNotValid       = 6
	exitSignal         = 128 // and the signal's number
)

// exitCode is that of the gravest of the errors.
func exitCode(err error) int {
	var signalled *ycsb.Signalled
	var badInput ycsb.BadInput
	var notValid *ycsb.NotValid
	var failures *ycsb.Failures
	switch {
	case errors.As(err, &signalled):
		return exitSignal + signalled.Number()
	case errors.As(err, &badInput), errors.Is(err, loadgen.ErrNotOpened), errors.Is(err, loadgen.ErrUnreachable):
		return exitBadInput
	case errors.Is(err, loadgen.ErrSecondClaimant):
		return exitSecondClaimant
	case errors.Is(err, loadgen.ErrMeasurementLost):
		return exitLost
	case errors.As(err, &notValid):
		return exitNotValid
	case errors.As(err, &failures):
		return exitOperations
	}
	return exitFailed
}
