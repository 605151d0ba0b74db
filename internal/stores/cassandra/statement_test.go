package cassandra

import (
	"strings"
	"testing"

	"github.com/kvbench/kvbench/internal/stores"
)

func TestStatements(t *testing.T) {
	two := []string{"field0", `a"b`}
	for _, c := range []struct {
		kind   stores.Kind
		fields []string
		ttl    int
		want   string
	}{
		{stores.Read, nil, 0, `SELECT * FROM "ks"."Tab" WHERE y_id = ?`},
		{stores.Read, two, 3, `SELECT "field0", "a""b" FROM "ks"."Tab" WHERE y_id = ?`},
		{stores.Scan, nil, 0, `SELECT * FROM "ks"."Tab" WHERE token(y_id) >= token(?) LIMIT ?`},
		{stores.Insert, two, 0, `UPDATE "ks"."Tab" SET "field0" = ?, "a""b" = ? WHERE y_id = ?`},
		{stores.Update, two[:1], 3, `UPDATE "ks"."Tab" USING TTL 3 SET "field0" = ? WHERE y_id = ?`},
		{stores.Delete, nil, 3, `DELETE FROM "ks"."Tab" WHERE y_id = ?`},
	} {
		if got, err := textOf(c.kind, "ks", "Tab", c.fields, c.ttl); err != nil || got != c.want {
			t.Errorf("%v of %v: %s, %v; want %s", c.kind, c.fields, got, err, c.want)
		}
	}
}

func TestWhatNoStatementIsMadeOf(t *testing.T) {
	for name, c := range map[string]struct {
		kind   stores.Kind
		table  string
		fields []string
	}{
		"no table":               {stores.Read, "", nil},
		"another statement":      {stores.Read, `t" WHERE y_id = 0x00; --`, nil},
		"a long table":           {stores.Read, strings.Repeat("t", 49), nil},
		"another alphabet":       {stores.Read, "tä", nil},
		"no field's name":        {stores.Update, "t", []string{""}},
		"a long field's name":    {stores.Update, "t", []string{strings.Repeat("f", 256)}},
		"no text":                {stores.Update, "t", []string{"\xff"}},
		"a zero":                 {stores.Update, "t", []string{"a\x00"}},
		"the key as a field":     {stores.Update, "t", []string{"y_id"}},
		"an update of nothing":   {stores.Update, "t", nil},
		"an insert of nothing":   {stores.Insert, "t", nil},
		"what the generator has": {stores.ReadModifyWrite, "t", []string{"f"}},
	} {
		if text, err := textOf(c.kind, "ks", c.table, c.fields, 0); err == nil {
			t.Errorf("%s: %s", name, text)
		}
	}
}
