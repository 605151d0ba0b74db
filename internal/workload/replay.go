package workload

import "github.com/kvbench/kvbench/internal/stores"

// Replay makes Op a request that was recorded, in place of Next. What it writes is one
// field with a value of size bytes; of a scan, size is the records. The key must stay as
// it is until the operation has ended.
func (t *Thread) Replay(kind stores.Kind, key []byte, size int) {
	t.recorded, t.insert = int64(size), -1
	t.op.Kind, t.op.Key, t.op.Fields, t.op.Values, t.op.Count = kind, key, nil, nil, 0
	switch kind {
	case stores.ReadModifyWrite:
		t.op.Kind = stores.Read // and then Update
	case stores.Scan:
		t.op.Count = size
	case stores.Update, stores.Insert:
		t.fillRecorded()
	}
}

// fillRecorded gives Op the value of a recorded request.
func (t *Thread) fillRecorded() {
	t.clear()
	t.values = append(t.values, stores.Field{Name: t.spec.Fields[0], Value: t.cut(t.recorded)})
	t.op.Values = t.values
}
