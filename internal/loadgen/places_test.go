package loadgen

import (
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/loadgen/record"
	"github.com/kvbench/kvbench/internal/stores"
)

// placing gives each operation its place so long after it asked for one, and answers at once.
type placing struct{ wait time.Duration }

func (p placing) Do(op *stores.Op) error {
	if p.wait > 0 {
		time.Sleep(p.wait)
		op.Waited += p.wait
	}
	return nil
}

func (placing) Close() error { return nil }

func TestTheWaitForAPlaceIsNoTimeOfService(t *testing.T) {
	const wait = 50 * time.Millisecond
	read := map[string]string{"readproportion": "1", "updateproportion": "0"}
	modify := map[string]string{"readproportion": "0", "updateproportion": "0", "readmodifywriteproportion": "1"}
	for name, c := range map[string]struct {
		wait       time.Duration
		properties map[string]string
		waits      int64
	}{
		"a place at once":                      {0, read, 0},
		"a read that waits":                    {wait, read, 1},
		"a read-modify-write that waits twice": {wait, modify, 2},
	} {
		t.Run(name, func(t *testing.T) {
			loop := newTestLoop(t, time.Now(), opening{Session: placing{c.wait}}, 1, c.properties, schedule{})
			s, err := loop.pool.open(0)
			if err != nil {
				t.Fatal(err)
			}
			sent := s.now()
			s.open(due{intended: sent})
			in := s.set.Collect()
			if in.Places.Count != c.waits || in.Places.Longest < c.wait || in.Places.Sum < time.Duration(c.waits)*c.wait {
				t.Errorf("%+v, want %d waits of %v", in.Places, c.waits, c.wait)
			}
			in.Each(func(of record.Row, h *record.Histogram) {
				longest := time.Duration(h.Max()) * time.Microsecond
				switch {
				case !of.Response && longest >= wait:
					t.Errorf("%+v: a service time of %v has the wait in it", of, longest)
				case of.Response && longest < c.wait:
					t.Errorf("%+v: a response time of %v hasn't the wait in it", of, longest)
				}
			})
		})
	}
}

// opening is a driver with one session.
type opening struct {
	stores.Driver
	stores.Session
}

func (o opening) NewSession() (stores.Session, error) { return o.Session, nil }
func (opening) Close() error                          { return nil }

func TestOperationsBeyondThePlacesWaitForOneAndNotForASlot(t *testing.T) {
	hold := make(chan struct{})
	p := newPool(10, func(int) (*session, error) {
		<-hold
		return nil, errStopped
	}, func(error) {})
	p.places(2)
	var fates []fate
	for i := range 12 {
		fates = append(fates, p.submit(due{intended: time.Duration(i)}))
	}
	for i, got := range fates {
		want := starts
		switch {
		case i >= 10:
			want = waits
		case i >= 2:
			want = queues
		}
		if got != want {
			t.Errorf("operation %d: fate %d, want %d", i, got, want)
		}
	}
	if peak := p.look(); peak != 10 {
		t.Errorf("%d operations are under way, want 10", peak)
	}
	close(hold)
	p.ended.Wait()
}

// counted is a driver that shares connections.
type counted struct {
	opening
	count stores.ConnectionCount
}

func (c *counted) Connections() stores.ConnectionCount { return c.count }
func (*counted) Places() int                           { return 0 }

func TestASecondTellsWhatBecameOfTheConnections(t *testing.T) {
	driver := &counted{count: stores.ConnectionCount{Opened: 16, Connect: 32 * time.Millisecond}}
	s := &scribe{sharer: driver}
	if before := s.connections(record.Waits{}); *before != (bundle.Connections{Opened: 16, ConnectMicros: 32_000}) {
		t.Errorf("before the begin: %+v", before)
	}
	driver.count = stores.ConnectionCount{Opened: 17, Connect: 35 * time.Millisecond, Lost: 3}
	second := s.connections(record.Waits{Count: 2, Sum: 5 * time.Millisecond, Longest: 4 * time.Millisecond})
	if *second != (bundle.Connections{Opened: 1, ConnectMicros: 3000, Lost: 3, Waited: 2, WaitMicros: 5000, WaitMaxMicros: 4000}) {
		t.Errorf("a second: %+v", second)
	}
	if (&scribe{}).connections(record.Waits{}) != nil {
		t.Error("connections of a driver that shares none")
	}
}
