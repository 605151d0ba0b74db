package measurements

import (
	"errors"
	"fmt"
	"iter"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/report/hlog"
)

// eachInterval calls each for the latencies in the interval logs. It reads the logs of all writers side by
// side: the one that is behind in time goes on. Of one log the order stays.
func (r *Recording) eachInterval(each func(hlog.Interval) error) error {
	var logs []*openLog
	for _, writer := range r.Writers {
		next, stop := iter.Pull2(r.intervals(writer))
		defer stop()
		logs = append(logs, &openLog{next: next})
	}
	for {
		behind := furthestBehind(logs)
		if behind == nil {
			return nil
		}
		in, err, more := behind.next()
		switch {
		case !more:
			behind.ended = true
			continue
		case err != nil:
			return err
		}
		behind.reached = max(behind.reached, in.UnixSeconds)
		if in.Lag {
			continue
		}
		if err := each(in); err != nil {
			return err
		}
	}
}

// openLog is the interval log of one writer, on its way through the seconds.
type openLog struct {
	next    func() (hlog.Interval, error, bool)
	reached int64 // the latest second so far, in Unix time
	ended   bool
}

// furthestBehind is nil if all logs were read to their ends.
func furthestBehind(logs []*openLog) (behind *openLog) {
	for _, log := range logs {
		if !log.ended && (behind == nil || log.reached < behind.reached) {
			behind = log
		}
	}
	return behind
}

// intervals are the rows of a writer's interval log, in the log's order. An error ends them, and names the file.
func (r *Recording) intervals(writer bundle.Writer) iter.Seq2[hlog.Interval, error] {
	return func(yield func(hlog.Interval, error) bool) {
		name := writer.File(bundle.Hlog)
		file, err := r.Files.Open(name)
		if err != nil {
			yield(hlog.Interval{}, err)
			return
		}
		defer file.Close()
		wanted := true
		err = hlog.ReadIntervals(file, func(in hlog.Interval) error {
			if wanted = yield(in, nil); !wanted {
				return errUnwanted
			}
			return nil
		})
		if err != nil && wanted {
			yield(hlog.Interval{}, fmt.Errorf("%s: %w", name, err))
		}
	}
}

// errUnwanted ends the reading of a log whose rows nobody wants any more.
var errUnwanted = errors.New("no more rows are wanted")
