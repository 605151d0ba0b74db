package telemetry

import "math"

// Bounds of what a worker can truly say of itself.
const (
	maxSecondMicros = 1_800_000_000 // of one line; a generator that is held up longer is no worker
	maxCount        = math.MaxInt32
	maxSlotMicros   = 1 << 50 // of all slots in one line
	MaxErrorsOfLine = 1000
	maxOperations   = 1 << 50 // of one worker, in a week
)
