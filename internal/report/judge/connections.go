package judge

import (
	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/report"
	"github.com/kvbench/kvbench/internal/report/telemetry"
)

// connectionSum adds up the connections of all workers.
type connectionSum struct {
	report.Connections
	shared                    bool
	connectMicros, waitMicros float64
}

// add adds a second of a worker, and whether it had cores to spare then.
func (s *connectionSum) add(c *telemetry.Connections, has capacity) {
	if c == nil {
		return
	}
	s.shared = true
	s.Opened += int64(c.Opened)
	s.Lost += int64(c.Lost)
	s.Waited += int64(c.Waited)
	if has == noneToSpare {
		s.WaitedCrowded += int64(c.Waited)
	}
	s.waitMicros += float64(c.WaitMicros)
	s.WaitMaxMicros = max(s.WaitMaxMicros, c.WaitMaxMicros)
}

// addBefore adds the connections that a worker made before its first operation.
func (s *connectionSum) addBefore(c *bundle.Connections) {
	if c == nil {
		return
	}
	s.shared = true
	s.Before += c.Opened
	s.connectMicros += float64(c.ConnectMicros)
}

// report is nil if operations shared no connections.
func (s *connectionSum) report() *report.Connections {
	if !s.shared {
		return nil
	}
	c := s.Connections
	if c.Before > 0 {
		c.ConnectMeanMicros = int64(s.connectMicros / float64(c.Before))
	}
	if c.Waited > 0 {
		c.WaitMeanMicros = int64(s.waitMicros / float64(c.Waited))
	}
	return &c
}
