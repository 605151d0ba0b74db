package ycsb

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/trace"
)

// readTrace makes the requests those of the file, all of which belong to the one worker. The
// rate, which bounds what may be under way, is that of its busiest second.
func (s *Settings) readTrace() error {
	if s.spec.DataIntegrity {
		return errors.New("dataintegrity=true: nobody knows which values the records of --trace have: leave it out")
	}
	file, err := os.Open(s.Trace)
	if err != nil {
		return fmt.Errorf("--trace: %w", err)
	}
	defer file.Close()
	sum := sha256.New()
	s.trace, err = trace.Read(s.Trace, io.TeeReader(file, sum), trace.Share{Workers: 1, Stretch: s.Stretch, Warmup: s.Warmup})
	if err != nil {
		return fmt.Errorf("--trace: %w", err)
	}
	whole := s.trace.Summary()
	switch {
	case whole.Busiest > mostRate:
		return fmt.Errorf("--trace: %d requests of %s are due in one second, and at most %s can be", whole.Busiest, s.Trace, number(mostRate))
	case s.measuredRows() == 0:
		return fmt.Errorf("--trace: all requests of %s are due within --warmup=%s", s.Trace, s.Warmup)
	}
	s.Rate = float64(whole.Busiest)
	s.traced = &plan.Trace{
		File: filepath.Base(s.Trace), SHA256: hex.EncodeToString(sum.Sum(nil)), Rows: whole.Rows, Stretch: s.Stretch,
	}
	return nil
}

// measuredRows is how many requests are due after the warm-up.
func (s *Settings) measuredRows() int64 { return s.trace.Summary().Measured }
