package cassandra

import (
	"context"
	"regexp"
	"strconv"
	"time"

	gocql "github.com/apache/cassandra-gocql-driver/v2"
)

// LogRows is how many rows a member's log has at most, as the chart says: the fewest that Cassandra
// takes, since it makes all of them anew for who reads one.
const LogRows = 1000

// inspector is what logs each collection, and shortest the level of those that are too short to be
// logged, unless somebody asks for them.
const (
	inspector = "org.apache.cassandra.service.GCInspector"
	shortest  = "TRACE"
)

// collection is how it begins: with a collector whose collections stop the process, and how long one did.
var collection = regexp.MustCompile(`^(?:G1 (?:Young|Old) Generation|Copy|MarkSweepCompact|PS (?:Scavenge|MarkSweep)) GC in (\d{1,9})ms\.`)

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
	millis  int64
	rows    int           // how many were there at the last look, all of them counted
	counted map[int64]int // how many of each millisecond of Unix time; nil before the first look
	short   bool          // collections of all lengths are logged
	gap     bool          // before this look rows may have gone that were not counted
	unfit   bool          // the log isn't there, or not the chart's
}

// begin forgets another process.
func (c *collector) begin(process uint64) {
	if process != c.process {
		*c = collector{process: process}
	}
}

// take counts the rows that were not there at the last look. They may be of any time: a clock may have
// been set back.
func (c *collector) take(rows []logged) {
	now, known := map[int64]int{}, false
	for _, row := range rows {
		at := row.at.UnixMilli()
		now[at]++
		known = known || c.counted[at] > 0
	}
	// Of a full log there must be a row left that is counted. One that was emptied has fewer.
	c.gap = len(rows) < c.rows || len(rows) == LogRows && !known
	c.unfit = c.unfit || len(rows) > LogRows
	for _, row := range rows {
		if at := row.at.UnixMilli(); row.number < now[at]-c.counted[at] {
			c.count(row)
		}
	}
	c.rows, c.counted = len(rows), now
}

func (c *collector) count(row logged) {
	found := collection.FindStringSubmatch(row.message)
	if row.logger != inspector || found == nil {
		c.unfit = true
		return
	}
	c.short = c.short || row.level == shortest
	millis, _ := strconv.ParseInt(found[1], 10, 64) // nine digits at most
	c.millis += millis
}

// micros are all that were counted; nil where that lacks some that the last look would have to have.
func (c *collector) micros() *int64 {
	if c.unfit || c.gap || !c.short {
		return nil
	}
	micros := c.millis * int64(time.Millisecond/time.Microsecond)
	return &micros
}

// logOf reads a member's log.
func logOf(ctx context.Context, client *gocql.Session) (all []logged, err error) {
	rows := client.Query("SELECT timestamp, order_in_millisecond, logger, level, message FROM system_views.system_logs").IterContext(ctx)
	for row := (logged{}); len(all) <= LogRows && rows.Scan(&row.at, &row.number, &row.logger, &row.level, &row.message); {
		all = append(all, row)
	}
	return all, rows.Close()
}
