package cassandra

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/kvbench/kvbench/internal/stores"
)

// keyColumn is the key's name, which is that of YCSB's table.
const keyColumn = "y_id"

// maxFieldName bounds a field's name, far below Cassandra's limit of 64 KiB.
const maxFieldName = 255

// tableName is Cassandra's rule.
var tableName = regexp.MustCompile(`^[a-zA-Z0-9_]{1,48}$`)

// checkNames refuses names that can't be those of a table or a column.
func checkNames(table string, fields []string) error {
	if !tableName.MatchString(table) {
		return fmt.Errorf("cassandra: table %.80q: use 1 to 48 letters, digits and underscores", table)
	}
	for _, field := range fields {
		if field == "" || len(field) > maxFieldName || field == keyColumn || !utf8.ValidString(field) || strings.ContainsRune(field, 0) {
			return fmt.Errorf("cassandra: field %.80q: use a name of 1 to %d bytes of text, and not %s", field, maxFieldName, keyColumn)
		}
	}
	return nil
}

// quote makes an identifier of any name, whose case counts.
func quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// statement is the CQL of an operation.
type statement struct {
	kind   stores.Kind
	table  string
	fields []string // nil: all
	text   string
}

// is says whether it is that operation's.
func (s *statement) is(kind stores.Kind, table string, fields []string) bool {
	return s.kind == kind && s.table == table && slices.Equal(s.fields, fields)
}

// textOf is the CQL of an operation on these fields, no fields being all. What is written comes
// first among its parameters, then the key; a scan's second is the number of records.
//
// An insert is an UPDATE, which makes the row that isn't there. INSERT would make a row that is
// there without any field, and outlives them when they expire.
func textOf(kind stores.Kind, keyspace, table string, fields []string, ttl int) (string, error) {
	if err := checkNames(table, fields); err != nil {
		return "", err
	}
	name, where := quote(keyspace)+"."+quote(table), " WHERE "+keyColumn+" = ?"
	switch {
	case kind == stores.Read:
		return "SELECT " + selected(fields) + " FROM " + name + where, nil
	case kind == stores.Scan:
		return "SELECT " + selected(fields) + " FROM " + name + " WHERE token(" + keyColumn + ") >= token(?) LIMIT ?", nil
	case kind == stores.Delete:
		return "DELETE FROM " + name + where, nil
	case (kind == stores.Insert || kind == stores.Update) && len(fields) > 0:
		using := ""
		if ttl > 0 {
			using = fmt.Sprintf(" USING TTL %d", ttl)
		}
		var set []string
		for _, field := range fields {
			set = append(set, quote(field)+" = ?")
		}
		return "UPDATE " + name + using + " SET " + strings.Join(set, ", ") + where, nil
	}
	return "", fmt.Errorf("cassandra cannot do a %v of %d fields", kind, len(fields))
}

func selected(fields []string) string {
	if len(fields) == 0 {
		return "*"
	}
	var columns []string
	for _, field := range fields {
		columns = append(columns, quote(field))
	}
	return strings.Join(columns, ", ")
}
