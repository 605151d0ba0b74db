package cassandra

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/kvbench/kvbench/internal/stores"
)

// schemaTimeout bounds the making of a table: each change has to reach all members.
const schemaTimeout = time.Minute

// pingTable is a table of the driver's own, for Ping to read.
const pingTable = "kvbench_ping"

// tables knows which tables are there, and makes those that aren't.
type tables struct {
	driver *driver
	mu     sync.Mutex
	known  map[string][]string // columns, by the table, which all members have
	seen   map[string]bool     // tables of which a member has told
	making map[string]*making
	look   func(ctx context.Context, member, table string) ([]string, error) // is columns, but in tests
}

// making is a table on its way, for whoever waits for it.
type making struct {
	done chan struct{}
	err  error // when it is done
}

func newTables(d *driver) *tables {
	t := &tables{driver: d, known: map[string][]string{}, seen: map[string]bool{}, making: map[string]*making{}}
	t.look = t.columns
	return t
}

// ensure waits until the table has these columns on all members that can be reached, or the
// context ends. The making goes on without it.
func (t *tables) ensure(ctx context.Context, table string, fields []string) error {
	for {
		one := t.begin(table, fields)
		if one == nil {
			return nil
		}
		select {
		case <-one.done:
			if one.err != nil {
				return one.err
			}
		case <-ctx.Done():
			return fmt.Errorf("make table %s: %w", table, ctx.Err())
		}
	}
}

// begin returns what to wait for; nil if all is there.
func (t *tables) begin(table string, fields []string) *making {
	t.mu.Lock()
	defer t.mu.Unlock()
	if columns, known := t.known[table]; known && len(missing(columns, fields)) == 0 {
		return nil
	}
	if one, there := t.making[table]; there {
		return one
	}
	one, fields := &making{done: make(chan struct{})}, slices.Clone(fields)
	t.making[table] = one
	t.driver.all.Go(func() {
		columns, err := t.make(table, fields)
		t.mu.Lock()
		defer t.mu.Unlock()
		if one.err = err; err == nil {
			t.known[table] = columns
		}
		delete(t.making, table)
		close(one.done)
	})
	return one
}

// missing are the fields that are no column yet.
func missing(columns, fields []string) []string {
	return slices.DeleteFunc(slices.Clone(fields), func(field string) bool { return slices.Contains(columns, field) })
}

// make brings the table to have these columns. Others may do the same at the same time: what one
// member tells of the table, another may not have heard, so one is asked, and told what to change.
func (t *tables) make(table string, fields []string) (columns []string, err error) {
	ctx, cancel := context.WithTimeout(t.driver.ctx, schemaTimeout)
	defer cancel()
	one, err := t.someone(ctx)
	if err != nil {
		return nil, fmt.Errorf("look for table %s: %w", table, err)
	}
	member := one.String()
	for complete := false; !complete; {
		if columns, err = t.columns(ctx, member, table); err != nil {
			return nil, fmt.Errorf("look for table %s: %w", table, err)
		}
		absent := missing(columns, fields)
		if complete = len(columns) > 0 && len(absent) == 0; complete {
			// Its tables tell of another one's change before the member goes by it. A change that
			// does nothing waits for that.
			absent = fields
		}
		for _, change := range changes(t.driver.keyspace, table, t.driver.replicas, absent, len(columns) > 0) {
			if err := t.driver.client.Query(change).SetHostID(member).ExecContext(ctx); err != nil {
				return nil, fmt.Errorf("make table %s: %w", table, err)
			}
			if err := t.agree(ctx); err != nil {
				return nil, err
			}
		}
	}
	return columns, nil
}

// has says whether there is such a table. One that was there isn't looked for again.
func (t *tables) has(ctx context.Context, table string) (bool, error) {
	t.mu.Lock()
	seen := t.seen[table] || len(t.known[table]) > 0
	t.mu.Unlock()
	if seen {
		return true, nil
	}
	columns, err := t.look(ctx, anyone, table)
	if err != nil || len(columns) == 0 {
		return false, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.seen[table] = true
	return true, nil
}

// anyone is no certain member.
const anyone = ""

// columns are those of the table, the key's among them, as the member of this id knows it; none if
// there is no such table.
func (t *tables) columns(ctx context.Context, member, table string) (columns []string, err error) {
	rows := t.driver.client.Query("SELECT column_name FROM system_schema.columns WHERE keyspace_name = ? AND table_name = ?",
		t.driver.keyspace, table).SetHostID(member).IterContext(ctx)
	for column := ""; rows.Scan(&column); {
		columns = append(columns, column)
	}
	return columns, rows.Close()
}

// ping reads a row that is not there at the mode's level.
func (t *tables) ping(ctx context.Context) error {
	field := []string{"field0"}
	if err := t.ensure(ctx, pingTable, field); err != nil {
		return err
	}
	text, err := textOf(stores.Read, t.driver.keyspace, pingTable, field, 0)
	if err != nil {
		return err
	}
	return t.driver.client.Query(text, []byte("ping")).ExecContext(ctx)
}
