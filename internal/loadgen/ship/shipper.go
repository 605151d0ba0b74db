package ship

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/results/client"
)

// Server is the part of the results server's client that shipping needs.
type Server interface {
	Append(ctx context.Context, uid, name string, offset int64, data []byte) (length int64, err error)
	End(ctx context.Context, uid, name string, mark bundle.End) error
	// NearlyFull says of the last Append that the server has room for little more.
	NearlyFull() bool
}

const (
	interval  = time.Second
	chunkSize = 1 << 20
	// The pauses between attempts on a server that is away.
	firstPause = 100 * time.Millisecond
	lastPause  = 2 * time.Second
)

// Shipper ships some files of one run. Its methods are for one goroutine, but Full, Shipped and
// Pending, which are for any.
type Shipper struct {
	server  Server
	uid     string
	files   []*File
	say     func(format string, args ...any)
	buffer  []byte
	shipped atomic.Int64
	full    chan struct{}
	isFull  sync.Once
}

// New ships files of the run; say takes a line about trouble now and then.
func New(server Server, uid string, say func(format string, args ...any), files ...*File) *Shipper {
	return &Shipper{server: server, uid: uid, files: files, say: say, buffer: make([]byte, chunkSize), full: make(chan struct{})}
}

// Full is closed when the server has room for the end of the measurement alone.
func (s *Shipper) Full() <-chan struct{} { return s.full }

// Shipped is the number of bytes that the server took.
func (s *Shipper) Shipped() int64 { return s.shipped.Load() }

// Pending is the number of bytes that the server lacks.
func (s *Shipper) Pending() int64 {
	var n int64
	for _, f := range s.files {
		n += f.pending()
	}
	return n
}

// Run ships the tails every second until ctx ends, which is no error. It returns an error
// when the server refuses for good.
func (s *Shipper) Run(ctx context.Context) error {
	ticks := time.NewTicker(interval)
	defer ticks.Stop()
	trouble := 0
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticks.C:
		}
		err := s.tails(ctx)
		switch {
		case ctx.Err() != nil:
			return nil
		case err == nil:
			trouble = 0
		case !client.Transient(err):
			return err
		default:
			if trouble%10 == 0 {
				s.say("shipping waits: %v", err)
			}
			trouble++
		}
	}
}

// Finish ships what is left and marks every file as complete. It tries until the server
// has all of it, or ctx ends, or the server refuses for good. Nothing may be written any more.
func (s *Shipper) Finish(ctx context.Context) error {
	pause := firstPause
	said := time.Time{}
	var last error // what keeps the server from taking it
	for {
		done, err := s.round(ctx)
		switch {
		case done:
			return nil
		case ctx.Err() != nil:
			return s.missing(context.Cause(ctx), last)
		case err != nil && !client.Transient(err) && !errors.Is(err, client.ErrDigest):
			return s.missing(err, nil)
		case err == nil:
			continue // the server's copy had shrunk: send the rest again
		}
		last = err
		if now := time.Now(); now.Sub(said) > 10*time.Second {
			s.say("the results server lacks %d bytes and is tried again: %v", s.Pending(), err)
			said = now
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
		pause = min(2*pause, lastPause)
	}
}

// missing says, in one line, what the server lacks, and why.
func (s *Shipper) missing(cause, last error) error {
	if last == nil {
		return fmt.Errorf("ship the results, %d bytes of which have not arrived: %w", s.Pending(), cause)
	}
	return fmt.Errorf("ship the results, %d bytes of which have not arrived: %w: %w", s.Pending(), cause, last)
}

// round ships tails and then end marks; done when the server has all of it.
func (s *Shipper) round(ctx context.Context) (done bool, err error) {
	if err := s.tails(ctx); err != nil {
		return false, err
	}
	for _, f := range s.files {
		if f.ended {
			continue
		}
		err := s.server.End(ctx, s.uid, f.Name, f.end())
		if errors.Is(err, client.ErrOffset) || errors.Is(err, client.ErrNotFound) {
			// The copy has another length than the server said before. An empty append
			// asks for it.
			offset, _, err := f.tail(nil)
			if err != nil {
				return false, err
			}
			return false, s.append(ctx, f, offset, nil)
		}
		if errors.Is(err, client.ErrDigest) {
			if own := f.startAgain(); own != nil {
				return false, own
			}
		}
		if err != nil {
			return false, err
		}
		f.ended = true
	}
	return true, nil
}

// Flush ships what there is, once, without end marks: the files of a measurement that
// was broken off are worth looking at, but they are not complete.
func (s *Shipper) Flush(ctx context.Context) error { return s.tails(ctx) }

func (s *Shipper) tails(ctx context.Context) error {
	for _, f := range s.files {
		for !f.ended {
			offset, data, err := f.tail(s.buffer)
			if err != nil {
				return err
			}
			if len(data) == 0 {
				break
			}
			if err := s.append(ctx, f, offset, data); err != nil {
				return err
			}
		}
	}
	return nil
}

// append sends data; the server's length says where to go on, be it further or back.
func (s *Shipper) append(ctx context.Context, f *File, offset int64, data []byte) error {
	length, err := s.server.Append(ctx, s.uid, f.Name, offset, data)
	if err != nil && !errors.Is(err, client.ErrOffset) {
		return err
	}
	if err == nil {
		s.shipped.Add(int64(len(data)))
		if s.server.NearlyFull() {
			s.isFull.Do(func() { close(s.full) })
		}
	}
	return f.reached(length)
}
