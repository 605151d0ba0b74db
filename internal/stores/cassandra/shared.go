package cassandra

import (
	"context"
	"errors"
	"fmt"
	"time"

	gocql "github.com/apache/cassandra-gocql-driver/v2"

	"github.com/kvbench/kvbench/internal/stores"
)

// routed asks gocql's policy for the hosts of a key, in the order in which it would ask them.
type routed struct {
	gocql.ExecutableStatement
	key      []byte
	keyspace string
}

func (r routed) GetRoutingKey() ([]byte, error) { return r.key, nil }
func (r routed) Keyspace() string               { return r.keyspace }

// hostsOf are those of a key that are up: its replicas first.
func (d *driver) hostsOf(key []byte) (hosts []string) {
	next := d.policy.Pick(routed{key: key, keyspace: d.keyspace})
	for host := next(); host != nil; host = next() {
		if info := host.Info(); info.IsUp() {
			hosts = append(hosts, info.HostID())
		}
	}
	return hosts
}

// share runs a statement at a place on the connections to a member, or of another one where there is
// none: of what gocql gave to no connection nothing was sent.
func (s *session) share(op *stores.Op, statement *statement) (rows int, err error) {
	hosts := s.driver.hostsOf(op.Key)
	err = fmt.Errorf("no member is up: %w", gocql.ErrNoConnections)
	for len(hosts) > 0 {
		p, waited := s.driver.bound.take(hosts)
		op.Waited += waited
		op.Deadline = op.Deadline.Add(waited)
		rows, err = s.at(op, statement, p.host)
		s.driver.bound.give(p, answered(err))
		if !neverSent(err) {
			if lost(err) {
				s.driver.attempts.lost.Add(1)
			}
			break
		}
		hosts = without(hosts, p.host)
	}
	return rows, err
}

// at runs a statement at one host.
func (s *session) at(op *stores.Op, statement *statement, host string) (rows int, err error) {
	if !time.Now().Before(op.Deadline) {
		return 0, fmt.Errorf("%w before the statement: %w", errLate, context.DeadlineExceeded)
	}
	ctx, cancel := context.WithDeadline(context.Background(), op.Deadline)
	defer cancel()
	return s.run(ctx, op, statement, host)
}

// errLate is of an operation of which nothing was sent.
var errLate = errors.New("the deadline passed")

func without(hosts []string, gone string) (others []string) {
	for _, host := range hosts {
		if host != gone {
			others = append(others, host)
		}
	}
	return others
}

// answered says that a member has answered, if only with an error.
func answered(err error) bool {
	var said gocql.RequestError
	return err == nil || errors.As(err, &said) || errors.Is(err, stores.ErrTooManyRecords)
}

// lost says that the answer was lost with the connection.
func lost(err error) bool {
	return !answered(err) && !neverSent(err) && !errors.Is(err, context.DeadlineExceeded)
}
