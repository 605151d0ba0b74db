package redis

import (
	"bytes"
	"fmt"
	"strings"
)

// plainTable is YCSB's default table, whose names are those of YCSB's own client: the key as it
// is, and one index. Any other table puts its own name and a slash before both, so that no two
// tables share a key; no key of the plain one has a slash.
const (
	plainTable = "usertable"
	indexName  = "_indices"
)

// prefixOf is what begins the names of a table's records and of its index. In a cluster there is no
// index, so the plain table's records must be known by their names, too.
func prefixOf(table string, clustered bool) (string, error) {
	switch {
	case table == plainTable && !clustered:
		return "", nil
	case table == "" || strings.Contains(table, "/"):
		return "", fmt.Errorf("redis: table %q: use a name without a slash", table)
	}
	return table + "/", nil
}

// appendName appends a record's name. The two kinds of keys that it refuses have other meanings.
func appendName(dst []byte, prefix string, key []byte) ([]byte, error) {
	if string(key) == indexName || prefix == "" && bytes.IndexByte(key, '/') >= 0 {
		return dst, fmt.Errorf("redis: key %.50q: use one that is not %s and, in table %s, has no slash", key, indexName, plainTable)
	}
	return append(append(dst, prefix...), key...), nil
}

// belongs says whether a name is of the table with that prefix.
func belongs(name, prefix string) bool {
	if prefix == "" {
		return !strings.Contains(name, "/")
	}
	return strings.HasPrefix(name, prefix)
}

// score is a key's place in the index: Java's String.hashCode, as YCSB's client has it, with each
// byte as a character.
func score(key []byte) int32 {
	var hash int32
	for _, b := range key {
		hash = 31*hash + int32(b)
	}
	return hash
}
