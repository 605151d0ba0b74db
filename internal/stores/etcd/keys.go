package etcd

import (
	"fmt"
	"slices"
	"strings"
)

// tablePrefix appends "<table>/" to dst. A slash in the table's name is refused, since
// the keys of table "a/b" would lie within table "a".
func tablePrefix(dst []byte, table string) ([]byte, error) {
	if table == "" || strings.Contains(table, "/") {
		return nil, fmt.Errorf("etcd: table %q: use a name without a slash", table)
	}
	return append(append(dst, table...), '/'), nil
}

// prefixEnd is the first key behind all keys with that prefix, which ends with a slash.
func prefixEnd(prefix []byte) []byte {
	end := slices.Clone(prefix)
	end[len(end)-1]++
	return end
}
