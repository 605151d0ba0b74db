package workload

import (
	"testing"

	"github.com/kvbench/kvbench/internal/stores"
)

func TestARecordedWriteHasOneValueOfItsSize(t *testing.T) {
	spec, err := Parse(map[string]string{"fieldcount": "3", "fieldlength": "5", "writeallfields": "true"}, FromRun(nil))
	if err != nil {
		t.Fatal(err)
	}
	const largest = 3 << 20 // more than a keyspace has without it
	thread := NewKeyspace(spec, Share{Records: 1, InsertBase: 1, Workers: 1, LargestRecorded: largest}).NewThread(0)
	check := func(kind, want stores.Kind, size, count int) {
		t.Helper()
		op := thread.Op()
		if op.Kind != want || string(op.Key) != "k" || op.Count != count {
			t.Errorf("%s became %s of %q, %d records", kind, op.Kind, op.Key, op.Count)
		}
		switch {
		case size < 0 && len(op.Values) == 0:
		case len(op.Values) != 1 || op.Values[0].Name != "field0" || len(op.Values[0].Value) != size:
			t.Errorf("%s writes %d fields, want one of %d bytes", kind, len(op.Values), size)
		}
	}
	for _, c := range []struct {
		kind, want  stores.Kind
		size, count int
		writes      int
	}{
		{stores.Update, stores.Update, largest, 0, largest},
		{stores.Insert, stores.Insert, 0, 0, 0},
		{stores.Read, stores.Read, 100, 0, -1},
		{stores.Scan, stores.Scan, 17, 17, -1},
		{stores.Delete, stores.Delete, 0, 0, -1},
		{stores.ReadModifyWrite, stores.Read, 40, 0, -1},
	} {
		thread.Replay(c.kind, []byte("k"), c.size)
		check(c.kind, c.want, c.writes, c.count)
	}
	thread.Update()
	check(stores.ReadModifyWrite, stores.Update, 40, 0)
}
