package ycsb

import (
	"errors"
	"fmt"
	"os"

	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/rate"
)

// open says whether an open loop is asked for. YCSB's target is none, as far as a user sees.
func (c *Command) open() bool { return c.RateSet || c.RateSchedule != "" || c.Trace != "" }

// intends says whether each operation has a time at which it was to be sent, as the plan's do that
// have a rate: with YCSB's target, too.
func (s *Settings) intends() bool { return s.open() || !s.Load && s.client.Target > 0 }

// settleRate checks what sets the rate, of which there is one at most, and reads its file.
func (s *Settings) settleRate() error {
	c := s.client
	switch {
	case s.RateSet && !(s.Rate > 0 && s.Rate <= mostRate):
		return fmt.Errorf("--rate=%s: must be above 0 and at most %s; without it the loop is closed", number(s.Rate), number(mostRate))
	case c.Target > mostRate:
		return fmt.Errorf("target=%s is above %s", number(c.Target), number(mostRate))
	case s.RateSet && c.Target > 0:
		return errors.New("target and --rate are both given: target lets at most threadcount operations be under way, --rate does not; leave one out")
	case s.RateSchedule != "" && (s.RateSet || c.Target > 0):
		return errors.New("--rate-schedule says the rate at all times: leave --rate and target out")
	case s.Trace != "" && (s.RateSet || s.RateSchedule != "" || c.Target > 0):
		return errors.New("--trace has a time for each request: leave --rate, --rate-schedule and target out")
	case s.Trace == "" && s.StretchSet:
		return errors.New("--trace-stretch is for --trace")
	case s.Load && s.RateSet:
		return errors.New("--rate is for run: a load is a closed loop, which target may slow down")
	case s.RateSchedule != "":
		return s.readSchedule()
	case s.Trace != "":
		return s.readTrace()
	}
	return nil
}

// settleThreads tells of a number of threads that would change nothing: an open loop has none. Where
// operations share connections, it is how many there are of these, beyond the least number.
func (s *Settings) settleThreads(properties map[string]string) error {
	_, given := properties["threadcount"]
	connections := s.entry.SharesConnections && s.Connections == 0 &&
		plan.DefaultConnections(s.client.Threads) != plan.DefaultConnections(1)
	if !given || !s.open() || connections {
		return nil
	}
	if _, option := s.Options["threadcount"]; option {
		return errors.New("--threads is of a closed loop and changes nothing here: " +
			"in an open loop --max-in-flight bounds what is under way, and --connections is for drivers that share connections; leave --threads out")
	}
	s.unused["threadcount"] = true
	return nil
}

// readSchedule makes the rate that of the file: the highest, and how it changes.
func (s *Settings) readSchedule() (err error) {
	if s.shape, err = parseScheduleFile(s.RateSchedule); err != nil {
		return fmt.Errorf("--rate-schedule: %w", err)
	}
	if rate.EndsAtZero(s.shape) && s.client.MaxExecutionTime == 0 {
		return fmt.Errorf("--rate-schedule: %s ends with a rate of 0: say with --duration when the run ends", s.RateSchedule)
	}
	s.Rate = rate.Peak(s.shape)
	return nil
}

func parseScheduleFile(name string) (*plan.Shape, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return rate.ParseSchedule(name, file)
}
