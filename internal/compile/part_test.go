package compile

import (
	"strings"
	"testing"

	"github.com/kvbench/kvbench/api/v1alpha1"
)

// onPart is a workload without inserts on a part of the records; -1 sets nothing.
func onPart(name string, records, start, count int64) v1alpha1.WorkloadSpec {
	w := v1alpha1.WorkloadSpec{Name: name, Preset: "C"}
	for _, field := range []struct {
		to    **int64
		value int64
	}{{&w.Records, records}, {&w.InsertStart, start}, {&w.InsertCount, count}} {
		if field.value >= 0 {
			*field.to = ptr(field.value)
		}
	}
	return w
}

func TestAWorkloadMayAddRecordsOrAskForAPart(t *testing.T) {
	inserting, again := onPart("d", -1, -1, -1), onPart("again", 300, 100, -1)
	inserting.Preset, again.Reset = "D", ptr(true)
	for name, c := range map[string]struct {
		second                v1alpha1.WorkloadSpec
		records, start, count int64
		loads                 bool
		toLoad                int64
	}{
		"all that is there": {onPart("b", -1, -1, -1), 100, 0, 0, false, 100},
		"a part of it":      {onPart("b", -1, 20, 30), 100, 20, 30, false, 30},
		"its end":           {onPart("b", -1, 20, -1), 100, 20, 0, false, 80},
		"as many beside it": {onPart("b", -1, 100, 100), 200, 100, 100, true, 100},
		"the rest of more":  {onPart("b", 250, 100, -1), 250, 100, 0, true, 150},
		"as many anew":      {anew(onPart("b", -1, -1, -1)), 100, 0, 0, true, 100},
		"fewer":             {onPart("b", 50, -1, -1), 50, 0, 0, false, 50},
		"as many more":      {onPart("b", 120, 100, 20), 120, 100, 20, true, 20},
	} {
		run := shortForm(withWorkloads(onPart("a", 100, -1, -1), c.second))
		p, err := With(run, Files{}, testCatalog())
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		w := &p.Workloads[1]
		if w.Records != c.records || w.InsertStart != c.start || w.InsertCount != c.count || w.LoadFirst != c.loads || w.Reset != (c.second.Reset != nil) || w.ToLoad() != c.toLoad {
			t.Errorf("%s: %+v", name, w)
		}
	}
	latest := onPart("b", -1, 20, 30)
	latest.Properties = map[string]v1alpha1.PropertyValue{"requestdistribution": "latest"}
	scanning := onPart("b", -1, 20, 30)
	scanning.Preset, scanning.Properties = "", map[string]v1alpha1.PropertyValue{"scanproportion": "1", "readproportion": "0", "updateproportion": "0"}
	partWithInserts := onPart("b", -1, 20, 30)
	partWithInserts.Preset = "E"
	for name, c := range map[string]struct {
		workloads []v1alpha1.WorkloadSpec
		want      string
	}{
		"the first begins in the middle": {[]v1alpha1.WorkloadSpec{onPart("a", 100, 50, -1)}, "spec.workloads[0].insertStart: the store is empty then"},
		"a reset does":                   {[]v1alpha1.WorkloadSpec{onPart("a", 100, -1, -1), again}, "spec.workloads[1].insertStart: the store is empty then"},
		"a gap":                          {[]v1alpha1.WorkloadSpec{onPart("a", 100, -1, -1), onPart("b", 200, 150, -1)}, "insertStart: 100 to load those that are missing"},
		"a gap at the end":               {[]v1alpha1.WorkloadSpec{onPart("a", 100, -1, -1), onPart("b", 250, 100, 20)}, "spec.workloads[1].records: with insertCount 20 the records from number 120 on"},
		"fewer than there are":           {[]v1alpha1.WorkloadSpec{onPart("a", 100, -1, 50)}, "the records from number 50 on"},
		"over the end":                   {[]v1alpha1.WorkloadSpec{onPart("a", 100, -1, -1), onPart("b", -1, 90, 20)}, "spec.workloads[1].insertCount: 20 records from number 90 on are beyond the 100"},
		"none":                           {[]v1alpha1.WorkloadSpec{onPart("a", 100, -1, -1), onPart("b", -1, 100, -1)}, "spec.workloads[1].insertStart: of 100 records none"},
		"from the newest on":             {[]v1alpha1.WorkloadSpec{onPart("a", 100, -1, -1), latest}, "its requests begin at the newest of all records"},
		"with inserts":                   {[]v1alpha1.WorkloadSpec{onPart("a", 100, -1, -1), partWithInserts}, "its inserts come behind all records"},
		"with scans":                     {[]v1alpha1.WorkloadSpec{onPart("a", 100, -1, -1), scanning}, "its scans go on behind the part"},
		"after inserts":                  {[]v1alpha1.WorkloadSpec{onPart("a", 100, -1, -1), inserting, onPart("b", 200, 100, -1)}, `workload "d" inserts records of its own`},
	} {
		if _, err := With(shortForm(withWorkloads(c.workloads...)), Files{}, testCatalog()); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// What is added afterwards must not meet the keys of inserts.
func TestInsertsGoBeyondRecordsThatWereAdded(t *testing.T) {
	inserting := onPart("d", -1, -1, -1)
	inserting.Preset = "D"
	p, err := With(shortForm(withWorkloads(onPart("a", 100, -1, -1), onPart("b", 300, 100, -1), inserting)), Files{}, testCatalog())
	if err != nil {
		t.Fatal(err)
	}
	if w := &p.Workloads[2]; w.Records != 300 || w.InsertBase < 300 {
		t.Errorf("%+v", w)
	}
}

// Records that were added have sizes of their own.
func TestAllRecordsTogetherHaveToFit(t *testing.T) {
	sized := func(w v1alpha1.WorkloadSpec, length string) v1alpha1.WorkloadSpec {
		w.Properties = map[string]v1alpha1.PropertyValue{"fieldlength": v1alpha1.PropertyValue(length)}
		return w
	}
	small := sized(onPart("a", 1_000_000, -1, -1), "10")
	for name, c := range map[string]struct {
		workloads []v1alpha1.WorkloadSpec
		want      string // "" is that they fit
	}{
		"few large ones":       {[]v1alpha1.WorkloadSpec{small, sized(onPart("b", -1, 1_000_000, 1000), "10000")}, ""},
		"too many in all":      {[]v1alpha1.WorkloadSpec{sized(onPart("a", 900_000, -1, -1), "100"), sized(onPart("b", -1, 900_000, 90_000_000), "1")}, "beside 858.3Mi that are there"},
		"too many at once":     {[]v1alpha1.WorkloadSpec{sized(onPart("a", 2_000_000, -1, -1), "100")}, "1.863Gi"},
		"as many, but emptied": {[]v1alpha1.WorkloadSpec{sized(onPart("a", 900_000, -1, -1), "100"), anew(sized(onPart("b", -1, -1, -1), "100"))}, ""},
	} {
		if _, err := With(shortForm(withWorkloads(c.workloads...)), Files{}, testCatalog()); (err != nil) != (c.want != "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func anew(w v1alpha1.WorkloadSpec) v1alpha1.WorkloadSpec {
	w.Reset = ptr(true)
	return w
}
