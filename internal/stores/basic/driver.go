package basic

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/kvbench/kvbench/internal/stores"
)

type driver struct {
	delayMillis int
	randomize   bool
	lines       *lines // nil: nothing is printed
}

// Open takes the store's properties. What is printed goes to standard output.
func Open(cfg stores.Config) (stores.Driver, error) { return open(cfg.Properties, os.Stdout) }

func open(properties map[string]string, out io.Writer) (*driver, error) {
	d := &driver{randomize: true}
	speaks := false
	for name, text := range properties {
		var err error
		switch name {
		case verbose:
			err = boolean(&speaks, text)
		case randomizeDelay:
			err = boolean(&d.randomize, text)
		case simulateDelay:
			d.delayMillis, err = strconv.Atoi(text)
			if err != nil || d.delayMillis < 0 || d.delayMillis > maxDelayMillis {
				err = fmt.Errorf("must be a whole number of milliseconds from 0 to %d", maxDelayMillis)
			}
		default:
			err = errors.New("is not one of the store's properties")
		}
		if err != nil {
			return nil, fmt.Errorf("basic: property basicdb.%s=%q: %w", name, text, err)
		}
	}
	if speaks {
		d.lines = &lines{to: out}
	}
	return d, nil
}

const maxDelayMillis = 600_000

func boolean(to *bool, text string) error {
	switch strings.ToLower(text) {
	case "true":
		*to = true
	case "false":
		*to = false
	default:
		return errors.New("must be true or false")
	}
	return nil
}

// NewSession is one that does nothing at all, unless the properties ask for more.
func (d *driver) NewSession() (stores.Session, error) {
	if d.delayMillis == 0 && d.lines == nil {
		return idle{}, nil
	}
	return &session{driver: d}, nil
}

func (d *driver) Reset(context.Context, string) error { return nil }
func (d *driver) Ping(context.Context) error          { return nil }
func (d *driver) Close() error                        { return nil }

type idle struct{}

func (idle) Do(*stores.Op) error { return nil }
func (idle) Close() error        { return nil }

// session delays operations and prints them.
type session struct {
	*driver
	line []byte
}

var errOverdue = &stores.Error{
	Outcome: stores.Failed, Code: stores.CodeDeadline, Err: errors.New("basic: the simulated delay is longer than the operation may take"),
}

func (s *session) Do(op *stores.Op) error {
	if !s.delay(op.Deadline) {
		return errOverdue // for certain: there is no effect that could come later
	}
	if s.lines == nil {
		return nil
	}
	s.line = appendOperation(s.line[:0], op)
	if err := s.lines.write(s.line); err != nil {
		return &stores.Error{Outcome: stores.Failed, Code: "Unavailable", Err: fmt.Errorf("basic: print the operation: %w", err)}
	}
	return nil
}

func (s *session) Close() error { return nil }

// delay is false when it would outlast the deadline; then it lasts until that.
func (s *session) delay(deadline time.Time) bool {
	millis := s.delayMillis
	if s.randomize && millis > 0 {
		millis = rand.IntN(millis)
	}
	if millis == 0 {
		return true
	}
	wanted, allowed := time.Duration(millis)*time.Millisecond, time.Until(deadline)
	time.Sleep(min(wanted, allowed))
	return wanted <= allowed
}

// lines keeps the lines of concurrent sessions apart.
type lines struct {
	mu sync.Mutex
	to io.Writer
}

func (l *lines) write(line []byte) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, err := l.to.Write(line)
	return err
}
