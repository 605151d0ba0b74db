package telemetry

import (
	"fmt"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/report/clocks"
)

// Check refuses a line that no worker can have written: its numbers would enter rates
// and bounds.
func Check(l *bundle.SelfLine) error {
	if s := l.Second; s != nil {
		if err := checkSecond(s); err != nil {
			return err
		}
	}
	if c := l.Clock; c != nil {
		if err := clocks.Check(c); err != nil {
			return err
		}
	}
	if f := l.Finish; f != nil {
		for _, n := range [...]int64{f.Operations, f.Succeeded, f.NeverStarted, f.Dropped, f.OverRange, f.Inserted} {
			if n < 0 || n > maxOperations {
				return fmt.Errorf("a summary with a count of %d", n)
			}
		}
		if f.Before != nil {
			if err := checkConnections(f.Before); err != nil {
				return err
			}
		}
		if f.Arrivals != nil {
			if err := checkArrivals(f.Arrivals); err != nil {
				return err
			}
		}
	}
	if n := len(l.Errors); n > MaxErrorsOfLine {
		return fmt.Errorf("%d kinds of errors", n)
	}
	for _, e := range l.Errors {
		if e.Count < 0 || e.Count > maxCount {
			return fmt.Errorf("%d errors of one kind", e.Count)
		}
	}
	return nil
}

func checkArrivals(a *bundle.Arrivals) error {
	if len(a.Short) != bundle.ArrivalSteps || len(a.Long) != bundle.ArrivalSteps {
		return fmt.Errorf("arrivals in %d and %d steps, not %d", len(a.Short), len(a.Long), bundle.ArrivalSteps)
	}
	var sum int64
	for i := range a.Short {
		for _, n := range [...]int64{a.Short[i], a.Long[i]} {
			if n < 0 || n > maxOperations {
				return fmt.Errorf("arrivals with a count of %d", n)
			}
		}
		sum += a.Short[i] - a.Long[i]
	}
	if sum != 0 || a.Each < 1 {
		return fmt.Errorf("arrivals of each %d operations whose counts differ by %d", a.Each, sum)
	}
	return nil
}

func checkSecond(s *bundle.SelfSecond) error {
	if s.LengthMicros <= 0 || s.LengthMicros > maxSecondMicros {
		return fmt.Errorf("a second of %d µs", s.LengthMicros)
	}
	inFlight := int64(s.InFlightMax)
	for _, n := range [...]*int64{&inFlight, &s.Limited, &s.Queued, &s.Intended, &s.Sent, &s.Late, &s.GCPauseMicros, &s.GCCPUMicros, s.ThrottledMicros,
		s.StoppedMicros, &s.StoppedAgoMicros, &s.WriteMicros} {
		if n != nil && (*n < 0 || *n > maxCount) {
			return fmt.Errorf("a second with a count of %d", *n)
		}
	}
	if s.SlotMicros < 0 || s.SlotMicros > maxSlotMicros || s.SlotOwnMicros < 0 || s.SlotOwnMicros > s.SlotMicros {
		return fmt.Errorf("a second in which slots were busy for %d µs, %d of them by the generator", s.SlotMicros, s.SlotOwnMicros)
	}
	if s.Connections != nil {
		if err := checkConnections(s.Connections); err != nil {
			return err
		}
	}
	if s.Machine != nil {
		if err := checkMachine(s.Machine); err != nil {
			return err
		}
	}
	if s.Cores != nil {
		return checkCores(s.Cores)
	}
	return nil
}
