package hazelcast

import (
	"context"
	"sync"
	"time"

	"github.com/kvbench/kvbench/internal/stores"
	"github.com/kvbench/kvbench/internal/stores/conn"
)

const (
	// connectTimeout bounds the introduction to a member.
	connectTimeout = 2 * time.Second
	// metricsSilence is longer than a member ever is between two metrics: they are made every five
	// seconds, unless it was told otherwise.
	metricsSilence = 30 * time.Second
)

// tidings are a member's metrics as they come. A member answers a request for them only once it
// has new ones, which a look at its state can't wait for.
type tidings struct {
	begin sync.Once
	ctx   context.Context
	end   context.CancelFunc
	ended chan struct{}
	meter meter

	mu   sync.Mutex
	raft raft
	used *stores.Usage // that nobody has asked for yet
	came time.Time     // when it did
}

func newTidings(address, cluster string) *tidings {
	t := &tidings{meter: meter{link: newLink(address, cluster)}, ended: make(chan struct{})}
	t.ctx, t.end = context.WithCancel(context.Background())
	return t
}

// listen begins to read them, if that has not begun.
func (t *tidings) listen() {
	t.begin.Do(func() {
		go func() {
			defer close(t.ended)
			for t.ctx.Err() == nil {
				if blob, err := t.meter.metrics(t.ctx); !t.keep(blob, err) {
					t.pause()
				}
			}
			t.meter.link.drop()
		}()
	})
}

// pause keeps from asking a member without end that has no answer.
func (t *tidings) pause() {
	select {
	case <-time.After(conn.RedialMax):
	case <-t.ctx.Done():
	}
}

// keep is what is known after an attempt: nothing after one that failed.
func (t *tidings) keep(blob []byte, err error) (ok bool) {
	now, used := raft{}, (*stores.Usage)(nil)
	if err == nil {
		now, used, err = readMetrics(blob)
		now.of = t.meter.link.said.member
	}
	if err != nil {
		now, used = raft{}, nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.raft = now
	if used != nil {
		used.Process = now.of.process()
		t.used, t.came = used, time.Now()
	}
	return err == nil
}

// latest is what the process of that name last said of the raft group. Where another one has its
// address, which the connection may not show yet, it has said nothing.
func (t *tidings) latest(of uuid) raft {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.raft.of != of {
		return raft{}
	}
	return t.raft
}

// usage is what the member last said of itself; nil when it has said nothing since the last time.
func (t *tidings) usage() *stores.Usage {
	t.mu.Lock()
	defer t.mu.Unlock()
	used := t.used
	if used != nil {
		used.Age = time.Since(t.came)
	}
	t.used = nil
	return used
}

func (t *tidings) close() {
	t.end()
	t.begin.Do(func() { close(t.ended) })
	<-t.ended
}
