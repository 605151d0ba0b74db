package workload

import (
	"fmt"
	"math"
	"testing"

	"github.com/kvbench/kvbench/internal/stores"
)

func TestOperationsComeInTheirProportions(t *testing.T) {
	properties := map[string]string{
		"readproportion": "4", "updateproportion": "3", "insertproportion": "1",
		"scanproportion": "1", "readmodifywriteproportion": "0.5", "deleteproportion": "0.5",
	}
	thread := keyspace(t, properties, Share{Records: 100, Seed: 5}).NewThread(0)
	var counts [stores.NumKinds]float64
	const draws = 100_000
	for range draws {
		counts[thread.Next()]++
		thread.Settle(true)
	}
	for kind, want := range map[stores.Kind]float64{
		stores.Read: 0.4, stores.Update: 0.3, stores.Insert: 0.1, stores.Scan: 0.1,
		stores.ReadModifyWrite: 0.05, stores.Delete: 0.05,
	} {
		if got := counts[kind] / draws; math.Abs(got-want) > 0.006 {
			t.Errorf("%s: %.4f of all, want %.2f", kind, got, want)
		}
	}
}

func TestWhatAnOperationCarries(t *testing.T) {
	for _, c := range []struct {
		name       string
		properties map[string]string
		whole      bool
		kind       stores.Kind
		fields     int // asked for; -1 means all
		values     int
	}{
		{"read of all", nil, false, stores.Read, -1, 0},
		{"read of one", map[string]string{"readallfields": "false"}, false, stores.Read, 1, 0},
		{"read by name", map[string]string{"readallfieldsbyname": "true"}, false, stores.Read, 10, 0},
		{"read with dataintegrity", map[string]string{"dataintegrity": "true"}, false, stores.Read, 10, 0},
		{"read by name of one", map[string]string{"readallfieldsbyname": "true", "readallfields": "false"}, false, stores.Read, 1, 0},
		{"scan by name", map[string]string{"readallfieldsbyname": "true"}, false, stores.Scan, -1, 0},
		{"scan with dataintegrity", map[string]string{"dataintegrity": "true"}, false, stores.Scan, -1, 0},
		{"scan of one", map[string]string{"readallfields": "false"}, false, stores.Scan, 1, 0},
		{"update of one", nil, false, stores.Update, -1, 1},
		{"update of all", map[string]string{"writeallfields": "true"}, false, stores.Update, -1, 10},
		{"update of a whole record", nil, true, stores.Update, -1, 10},
		{"insert", nil, false, stores.Insert, -1, 10},
		{"scan", nil, false, stores.Scan, -1, 0},
		{"delete", nil, false, stores.Delete, -1, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			properties := map[string]string{"readproportion": "0", "updateproportion": "0"}
			properties[map[stores.Kind]string{
				stores.Read: "readproportion", stores.Update: "updateproportion", stores.Insert: "insertproportion",
				stores.Scan: "scanproportion", stores.Delete: "deleteproportion",
			}[c.kind]] = "1"
			for name, value := range c.properties {
				properties[name] = value
			}
			thread := keyspace(t, properties, Share{Records: 10, WholeRecord: c.whole}).NewThread(0)
			if kind := thread.Next(); kind != c.kind {
				t.Fatalf("kind %s", kind)
			}
			op := thread.Op()
			if op.Kind != c.kind || op.Table != "usertable" {
				t.Errorf("op is a %s of table %s", op.Kind, op.Table)
			}
			if c.fields < 0 && op.Fields != nil || c.fields >= 0 && len(op.Fields) != c.fields {
				t.Errorf("asks for %v", op.Fields)
			}
			if len(op.Values) != c.values {
				t.Errorf("carries %d values, want %d", len(op.Values), c.values)
			}
			for _, v := range op.Values {
				if len(v.Value) != 100 {
					t.Errorf("%s has %d bytes", v.Name, len(v.Value))
				}
			}
			if c.kind == stores.Scan && (op.Count < 1 || op.Count > 1000) {
				t.Errorf("scans %d", op.Count)
			}
		})
	}
}

func TestReadModifyWriteIsAReadAndAnUpdateOfOneKey(t *testing.T) {
	thread := keyspace(t, map[string]string{
		"readproportion": "0", "updateproportion": "0", "readmodifywriteproportion": "1", "readallfieldsbyname": "true",
	}, Share{Records: 10}).NewThread(0)
	if kind := thread.Next(); kind != stores.ReadModifyWrite {
		t.Fatalf("kind %s", kind)
	}
	if thread.Op().Kind != stores.Read || len(thread.Op().Values) != 0 || thread.Op().Fields != nil {
		t.Errorf("first part is a %s of %q", thread.Op().Kind, thread.Op().Fields)
	}
	key := string(thread.Op().Key)
	thread.Update()
	if thread.Op().Kind != stores.Update || string(thread.Op().Key) != key || len(thread.Op().Values) != 1 {
		t.Errorf("second part is a %s of %s", thread.Op().Kind, thread.Op().Key)
	}
}

func TestTheSameSeedMakesTheSameOperations(t *testing.T) {
	trace := func(seed uint64, worker, number int) (ops string) {
		thread := keyspace(t, nil, Share{Records: 1000, Worker: worker, Workers: 2, Seed: seed}).NewThread(number)
		for range 20 {
			thread.Next()
			ops += fmt.Sprint(thread.Op().Kind, string(thread.Op().Key))
		}
		return ops
	}
	if trace(1, 0, 0) != trace(1, 0, 0) {
		t.Error("one seed made two sequences")
	}
	for name, other := range map[string]string{
		"seed": trace(2, 0, 0), "worker": trace(1, 1, 0), "thread": trace(1, 0, 1),
	} {
		if other == trace(1, 0, 0) {
			t.Errorf("another %s made the same sequence", name)
		}
	}
}

func TestWorkersLoadEveryRecordOnce(t *testing.T) {
	for _, records := range []int64{1, 2, 3, 10, 11} {
		var sum int64
		for worker := range 3 {
			sum += LoadCount(records, worker, 3)
		}
		if sum != records {
			t.Errorf("of %d records %d are loaded", records, sum)
		}
	}
}

func TestOperationsAreMadeWithoutAllocating(t *testing.T) {
	check := func(name string, properties map[string]string) {
		k := keyspace(t, properties, Share{Records: 10_000, WholeRecord: true})
		thread := k.NewThread(0)
		op := func() {
			if thread.Next() == stores.ReadModifyWrite {
				thread.Update()
			}
			thread.Fill()
			thread.Settle(true)
		}
		for range 1000 {
			op()
		}
		if n := testing.AllocsPerRun(1000, op); n != 0 {
			t.Errorf("%s: %v allocations for an operation", name, n)
		}
	}
	for _, preset := range []string{"A", "B", "C", "D", "E", "F", "mixgraph"} {
		properties, _ := Preset(preset)
		check(preset, properties)
	}
	for _, law := range requestLaws {
		check(law, map[string]string{"requestdistribution": law, "keyspace": "own", "cacheaside": "true"})
	}
	for _, lengths := range []string{Uniform, Zipfian, Pareto} {
		check("lengths: "+lengths, map[string]string{"fieldlengthdistribution": lengths})
	}
	check("dataintegrity", map[string]string{"dataintegrity": "true"})
}
