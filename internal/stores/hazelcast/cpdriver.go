package hazelcast

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/kvbench/kvbench/internal/stores"
	"github.com/kvbench/kvbench/internal/stores/conn"
)

// cpDriver hands sessions out, each with another member that it asks first.
type cpDriver struct {
	conn.Sharing
	addresses []string
	cluster   string
	known     cpShared
	sessions  atomic.Int64
}

// cpShared is what one session has learned and all go by.
type cpShared struct {
	group  atomic.Pointer[cpGroup] // nil: nobody has asked yet
	tables generations
}

func openCP(cfg stores.Config) (stores.Driver, error) {
	d := &cpDriver{addresses: cfg.Addresses, cluster: clusterOf(cfg), known: cpShared{tables: generations{known: map[string]uint64{}}}}
	if cfg.Connections > 0 {
		var members []conn.Opener
		for _, address := range cfg.Addresses {
			members = append(members, openerOf(address, d.cluster, func(authenticated) {}))
		}
		d.Share("hazelcast", members, cfg.Connections)
	}
	return d, nil
}

func (d *cpDriver) NewSession() (stores.Session, error) {
	s := d.session()
	if groups := d.Groups(); groups != nil {
		s.places, s.seat = groups[0], newSeat()
	}
	return s, nil
}

func (d *cpDriver) session() *cpSession {
	s := &cpSession{shared: &d.known, home: int(d.sessions.Add(1)) % len(d.addresses)}
	for _, address := range d.addresses {
		s.links = append(s.links, newLink(address, d.cluster))
	}
	return s
}

func (d *cpDriver) Close() error {
	d.End()
	return nil
}

// Ping reads an object that nobody writes, which takes a leader that a majority follows.
func (d *cpDriver) Ping(ctx context.Context) error {
	s := d.session()
	defer s.Close()
	err := s.Do(&stores.Op{Kind: stores.Read, Table: "kvbench-ping", Key: []byte("nothing"), Deadline: stores.DeadlineOf(ctx, adminTimeout)})
	var answer *stores.Error
	if errors.As(err, &answer) && answer.Code == stores.CodeNotFound {
		return nil
	}
	return fmt.Errorf("hazelcast: ping: %w", errors.Join(ctx.Err(), err))
}

// Reset gives the table other objects than before.
func (d *cpDriver) Reset(ctx context.Context, table string) error {
	if err := checkTable(table); err != nil {
		return err
	}
	s := d.session()
	defer s.Close()
	if err := s.empty(table, stores.DeadlineOf(ctx, adminTimeout)); err != nil {
		return fmt.Errorf("hazelcast: reset table %s: %w", table, errors.Join(ctx.Err(), err))
	}
	return nil
}
