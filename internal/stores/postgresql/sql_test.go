package postgresql

import (
	"strings"
	"testing"

	"github.com/kvbench/kvbench/internal/stores"
)

func TestStatementsOfBothLayouts(t *testing.T) {
	two := []string{"field0", `f"1`}
	for _, c := range []struct {
		kind   stores.Kind
		fields []string
		jsonb  bool
		want   string
	}{
		{stores.Read, nil, false, `SELECT * FROM "t" WHERE ycsb_key = $1`},
		{stores.Read, two, false, `SELECT "field0", "f""1" FROM "t" WHERE ycsb_key = $1`},
		{stores.Scan, two[:1], false, `SELECT "field0" FROM "t" WHERE ycsb_key >= $1 ORDER BY ycsb_key LIMIT $2`},
		{stores.Update, two, false, `UPDATE "t" SET "field0" = $2, "f""1" = $3 WHERE ycsb_key = $1`},
		{stores.Insert, two, false, `INSERT INTO "t" (ycsb_key, "field0", "f""1") VALUES ($1, $2, $3) ON CONFLICT (ycsb_key) DO UPDATE SET "field0" = EXCLUDED."field0", "f""1" = EXCLUDED."f""1"`},
		{stores.Delete, nil, false, `DELETE FROM "t" WHERE ycsb_key = $1`},
		{stores.Read, nil, true, `SELECT data FROM "t" WHERE ycsb_key = $1`},
		{stores.Read, []string{`f'\1`}, true, `SELECT data ->> E'f\'\\1' AS "f'\1" FROM "t" WHERE ycsb_key = $1`},
		{stores.Update, nil, true, `UPDATE "t" SET data = data || $2::jsonb WHERE ycsb_key = $1`},
		{stores.Insert, nil, true, `INSERT INTO "t" (ycsb_key, "data") VALUES ($1, $2) ON CONFLICT (ycsb_key) DO UPDATE SET "data" = EXCLUDED."data"`},
	} {
		if got, err := statementOf(c.kind, "t", c.fields, c.jsonb); err != nil || got != c.want {
			t.Errorf("%v of %q, jsonb %v: %s, %v\nwant %s", c.kind, c.fields, c.jsonb, got, err, c.want)
		}
	}
}

func TestNamesThatAreNoneAreRefused(t *testing.T) {
	long := strings.Repeat("n", 64)
	for _, c := range []struct {
		table  string
		fields []string
	}{{"", nil}, {long, nil}, {"a\x00", nil}, {"\xff", nil}, {"t", []string{""}}, {"t", []string{long}}, {"t", []string{"ycsb_key"}}} {
		if sql, err := statementOf(stores.Read, c.table, c.fields, false); err == nil {
			t.Errorf("%q %q: %s", c.table, c.fields, sql)
		}
	}
}

func TestATableIsMadeByOneAfterTheOther(t *testing.T) {
	const want = `SELECT pg_advisory_xact_lock(30247987488645992); CREATE TABLE IF NOT EXISTS "t" (ycsb_key bytea PRIMARY KEY, "f" bytea)`
	if got := schemaOf("t", []string{"f"}, false, false); got != want {
		t.Errorf("%s", got)
	}
	if got := schemaOf("t", []string{"f"}, false, true); got != want+`; ALTER TABLE "t" ADD COLUMN IF NOT EXISTS "f" bytea` {
		t.Errorf("%s", got)
	}
	if got := schemaOf("t", nil, true, false); !strings.HasSuffix(got, `(ycsb_key bytea PRIMARY KEY, "data" jsonb)`) {
		t.Errorf("%s", got)
	}
}
