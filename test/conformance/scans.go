package conformance

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/kvbench/kvbench/internal/stores"
)

func scans(t *testing.T, b *bench) {
	table, session := b.table(), b.session(t)
	fill(t, session, table, 20)
	if b.mode.Scan == stores.ScanTokenOrdered {
		scansByToken(t, b, session, table, 20)
		return
	}
	for _, c := range []struct {
		from, count, want int
	}{{5, 1, 1}, {5, 7, 7}, {0, 20, 20}, {15, 100, 5}} {
		b.eventually(t, fmt.Sprintf("scan %d records from %d on", c.count, c.from), func() (bool, string) {
			op := do(t, session, stores.Op{Kind: stores.Scan, Table: table, Key: fmt.Appendf(nil, "user%04d", c.from), Count: c.count})
			if len(op.Result) != c.want {
				return false, fmt.Sprintf("%d records, want %d", len(op.Result), c.want)
			}
			for i, field := range op.Result {
				if want := fmt.Sprintf("user%04d", c.from+i); string(field.Value) != want {
					return false, fmt.Sprintf("record %d is %s, want %s", i, field.Value, want)
				}
			}
			return true, ""
		})
	}
}

// scansByToken knows nothing of the order but that there is one: a scan begins with its key, and
// from each of the keys on there are another number of records, up to all of them.
func scansByToken(t *testing.T, b *bench, session stores.Session, table string, records int) {
	b.eventually(t, "scan from each key on", func() (bool, string) {
		seen := map[int]string{}
		for i := range records {
			key := fmt.Sprintf("user%04d", i)
			all := do(t, session, stores.Op{Kind: stores.Scan, Table: table, Key: []byte(key), Count: 5 * records}).Result
			some := do(t, session, stores.Op{Kind: stores.Scan, Table: table, Key: []byte(key), Count: 7}).Result
			if len(all) == 0 || string(all[0].Value) != key || len(some) != min(7, len(all)) || !sameFields(all[:len(some)], some) {
				return false, fmt.Sprintf("from %s on: %v, of which 7 are %v", key, all, some)
			}
			if other, taken := seen[len(all)]; taken || len(all) > records {
				return false, fmt.Sprintf("%d records from %s on and from %q on, of %d", len(all), key, other, records)
			}
			seen[len(all)] = key
		}
		return true, ""
	})
}

// What a scan brings has no bound but its count.
func scansManyBytes(t *testing.T, b *bench) {
	table, session, value := b.table(), b.session(t), bytes.Repeat([]byte("v"), 500_000)
	for i := range 12 {
		do(t, session, stores.Op{Kind: stores.Insert, Table: table, Key: fmt.Appendf(nil, "user%02d", i),
			Values: []stores.Field{{Name: "field0", Value: value}}})
	}
	b.eventually(t, "scan 6 MB", func() (bool, string) {
		found := b.scanAll(t, session, table, "user00", "user%02d", 12)
		return found == 12, fmt.Sprintf("%d records, want 12", found)
	})
}

func scansOneTable(t *testing.T, b *bench) {
	// The second name begins with the first, and sorts behind it.
	table, session := b.table(), b.session(t)
	fill(t, session, table, 3)
	fill(t, session, table+"x", 3)
	b.eventually(t, "scan beyond the table's end", func() (bool, string) {
		found := b.scanAll(t, session, table, "user", "user%04d", 3)
		return found == 3, fmt.Sprintf("%d records, want 3", found)
	})
}

// scanAll is how many records a scan from the first key on brings, where 100 are asked for. Which
// key is the first one by its token is found out by trying them, which the format makes.
func (b *bench) scanAll(t *testing.T, session stores.Session, table, first, format string, records int) (most int) {
	t.Helper()
	from := []string{first}
	if b.mode.Scan == stores.ScanTokenOrdered {
		from = nil
		for i := range records {
			from = append(from, fmt.Sprintf(format, i))
		}
	}
	for _, key := range from {
		op := do(t, session, stores.Op{Kind: stores.Scan, Table: table, Key: []byte(key), Count: 100})
		most = max(most, len(op.Result))
	}
	return most
}

func refusesScans(t *testing.T, b *bench) {
	table, session := b.table(), b.session(t)
	fill(t, session, table, 1)
	if got := code(t, session, stores.Op{Kind: stores.Scan, Table: table, Key: []byte("user0000"), Count: 1}); got == stores.CodeNotFound {
		t.Errorf("code %s says that there is no such record", got)
	}
}
