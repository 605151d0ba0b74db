package postgresql

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/kvbench/kvbench/internal/stores"
)

// The columns that are no fields. The key's name is that of YCSB's table, which is taken as it
// is where there is one.
const (
	keyColumn  = "ycsb_key"
	dataColumn = "data"
)

// maxName is PostgreSQL's limit: what is longer it would cut short in silence.
const maxName = 63

// checkNames refuses names that can't be those of a table or a column.
func checkNames(table string, fields []string, jsonb bool) error {
	if table == "" || !isName(table) {
		return fmt.Errorf("postgresql: table %.80q: use a name of 1 to %d bytes of text", table, maxName)
	}
	for _, field := range fields {
		if field == "" || !isName(field) || !jsonb && field == keyColumn {
			return fmt.Errorf("postgresql: field %.80q: use a name of 1 to %d bytes of text, and not %s", field, maxName, keyColumn)
		}
	}
	return nil
}

func isName(name string) bool {
	return len(name) <= maxName && utf8.ValidString(name) && !strings.ContainsRune(name, 0)
}

// quote makes an identifier of any name.
func quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// literal makes a text of any name; it holds whatever standard_conforming_strings says.
func literal(text string) string {
	return `E'` + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(text) + `'`
}

// statementOf is the SQL of an operation on these fields, no fields being all. Its first
// parameter is the key. What is written follows: a value for each field or, with jsonb, one
// object. A scan's second is the number of records.
func statementOf(kind stores.Kind, table string, fields []string, jsonb bool) (string, error) {
	if err := checkNames(table, fields, jsonb); err != nil {
		return "", err
	}
	name := quote(table)
	switch kind {
	case stores.Read:
		return "SELECT " + selected(fields, jsonb) + " FROM " + name + " WHERE " + keyColumn + " = $1", nil
	case stores.Scan:
		return "SELECT " + selected(fields, jsonb) + " FROM " + name +
			" WHERE " + keyColumn + " >= $1 ORDER BY " + keyColumn + " LIMIT $2", nil
	case stores.Delete:
		return "DELETE FROM " + name + " WHERE " + keyColumn + " = $1", nil
	case stores.Insert:
		return insert(name, fields, jsonb), nil
	case stores.Update:
		if jsonb {
			return "UPDATE " + name + " SET " + dataColumn + " = " + dataColumn + " || $2::jsonb WHERE " + keyColumn + " = $1", nil
		}
		if len(fields) > 0 {
			return "UPDATE " + name + " SET " + assignments(fields, func(i int, _ string) string { return fmt.Sprintf("$%d", i+2) }) +
				" WHERE " + keyColumn + " = $1", nil
		}
	}
	return "", fmt.Errorf("postgresql cannot do a %v of %d fields", kind, len(fields))
}

func selected(fields []string, jsonb bool) string {
	switch {
	case len(fields) == 0 && jsonb:
		return dataColumn
	case len(fields) == 0:
		return "*"
	}
	var columns []string
	for _, field := range fields {
		column := quote(field)
		if jsonb {
			column = dataColumn + " ->> " + literal(field) + " AS " + column
		}
		columns = append(columns, column)
	}
	return strings.Join(columns, ", ")
}

// insert replaces a record that is there, as a load that is begun again has to.
func insert(name string, fields []string, jsonb bool) string {
	if jsonb {
		fields = []string{dataColumn}
	}
	columns, places := []string{keyColumn}, []string{"$1"}
	for i, field := range fields {
		columns, places = append(columns, quote(field)), append(places, fmt.Sprintf("$%d", i+2))
	}
	action := "NOTHING"
	if len(fields) > 0 {
		action = "UPDATE SET " + assignments(fields, func(_ int, field string) string { return "EXCLUDED." + quote(field) })
	}
	return "INSERT INTO " + name + " (" + strings.Join(columns, ", ") + ") VALUES (" + strings.Join(places, ", ") +
		") ON CONFLICT (" + keyColumn + ") DO " + action
}

func assignments(fields []string, value func(int, string) string) string {
	var set []string
	for i, field := range fields {
		set = append(set, quote(field)+" = "+value(i, field))
	}
	return strings.Join(set, ", ")
}

// schemaLock is the advisory lock of all who make tables: CREATE TABLE IF NOT EXISTS fails when
// two do it at once. It spells "kvbench".
const schemaLock = 0x6b7662656e6368

// schemaOf makes the table and its columns, whatever of them is missing. A command of several
// statements is one transaction. Adding a column locks the table, even one that is there: it is
// left out unless one is missing.
func schemaOf(table string, fields []string, jsonb, missing bool) string {
	kind := "bytea"
	if jsonb {
		fields, kind = []string{dataColumn}, "jsonb"
	}
	columns, added := "", ""
	for _, field := range fields {
		columns += ", " + quote(field) + " " + kind
		if missing {
			added += "; ALTER TABLE " + quote(table) + " ADD COLUMN IF NOT EXISTS " + quote(field) + " " + kind
		}
	}
	return fmt.Sprintf("SELECT pg_advisory_xact_lock(%d); CREATE TABLE IF NOT EXISTS %s (%s bytea PRIMARY KEY%s)%s",
		schemaLock, quote(table), keyColumn, columns, added)
}
