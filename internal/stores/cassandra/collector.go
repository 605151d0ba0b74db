package cassandra

import (
	"context"
	"regexp"
	"strconv"
	"time"

	gocql "github.com/apache/cassandra-gocql-driver/v2"
)

// logRows is how many rows a member's log has at most, as the chart says: the fewest that Cassandra
// takes, since it makes all of them anew for who reads one.
const logRows = 1000

// shortest is the level of collections that are too short to be logged, unless somebody asks for them.
const shortest = "TRACE"

// collection is how Cassandra's GCInspector begins: a collector's name, and how long it stopped the process.
var collection = regexp.MustCompile(`^[A-Za-z0-9 ]{1,100} GC in (\d{1,9})ms\.`)

const inspector = "org.apache.cassandra.service.GCInspector"

// logged is a row of system_views.system_logs. Those of one millisecond are numbered, from 0 for the
// newest.
type logged struct {
	at                     time.Time
	number                 int
	logger, level, message string
}

// collector adds up how long garbage collection stopped a process, by its log, of which the oldest
// row goes for each that is too many.
type collector struct {
	process uint64
	begun   bool
	millis  int64
	newest  time.Time // of what is counted
	there   int       // how many rows of that millisecond are counted
	short   bool      // collections of all lengths are logged
	lost    bool      // rows may have gone that were not counted
}

// take counts the rows that are new, in any order.
func (c *collector) take(process uint64, rows []logged) {
	if process != c.process {
		*c = collector{process: process}
	}
	newest, oldest, atBefore := c.newest, time.Time{}, 0
	for i, row := range rows {
		if i == 0 || row.at.Before(oldest) {
			oldest = row.at
		}
		if row.at.After(newest) {
			newest = row.at
		}
		if row.at.Equal(c.newest) {
			atBefore++
		}
	}
	// Of a full log there must be a row left that is counted.
	if len(rows) > logRows || len(rows) == logRows && (!c.begun || oldest.After(c.newest)) {
		c.lost = true
	}
	there := 0
	for _, row := range rows {
		if row.at.Equal(newest) {
			there++
		}
		if row.at.After(c.newest) || row.at.Equal(c.newest) && row.number < atBefore-c.there {
			c.count(row)
		}
	}
	c.begun, c.newest, c.there = true, newest, there
}

func (c *collector) count(row logged) {
	if row.logger != inspector {
		return
	}
	c.short = c.short || row.level == shortest
	if found := collection.FindStringSubmatch(row.message); found != nil {
		millis, _ := strconv.ParseInt(found[1], 10, 64) // nine digits at most
		c.millis += millis
	}
}

// micros are all of the process; nil where that isn't known.
func (c *collector) micros() *int64 {
	if c.lost || !c.short {
		return nil
	}
	micros := c.millis * int64(time.Millisecond/time.Microsecond)
	return &micros
}

// logOf reads a member's log.
func logOf(ctx context.Context, client *gocql.Session) (all []logged, err error) {
	rows := client.Query("SELECT timestamp, order_in_millisecond, logger, level, message FROM system_views.system_logs").IterContext(ctx)
	for row := (logged{}); rows.Scan(&row.at, &row.number, &row.logger, &row.level, &row.message) && len(all) <= logRows; {
		all = append(all, row)
	}
	return all, rows.Close()
}
