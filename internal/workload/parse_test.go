package workload

import (
	"math"
	"strings"
	"testing"

	"github.com/kvbench/kvbench/internal/stores"
)

func TestPresetsAreYCSBsCoreWorkloads(t *testing.T) {
	for name, want := range map[string]struct {
		weights  [stores.NumKinds]float64
		requests string
		scan     int64
	}{
		"A":        {[stores.NumKinds]float64{stores.Read: 0.5, stores.Update: 0.5}, Zipfian, 1000},
		"B":        {[stores.NumKinds]float64{stores.Read: 0.95, stores.Update: 0.05}, Zipfian, 1000},
		"C":        {[stores.NumKinds]float64{stores.Read: 1}, Zipfian, 1000},
		"D":        {[stores.NumKinds]float64{stores.Read: 0.95, stores.Insert: 0.05}, Latest, 1000},
		"E":        {[stores.NumKinds]float64{stores.Scan: 0.95, stores.Insert: 0.05}, Zipfian, 100},
		"F":        {[stores.NumKinds]float64{stores.Read: 0.5, stores.ReadModifyWrite: 0.5}, Zipfian, 1000},
		"mixgraph": {[stores.NumKinds]float64{stores.Read: 0.83, stores.Update: 0.14, stores.Scan: 0.03}, Mixgraph, 10_000},
	} {
		properties, ok := Preset(name)
		if !ok {
			t.Fatalf("no preset %s", name)
		}
		spec, err := Parse(properties, FromRun(nil))
		if err != nil {
			t.Fatalf("preset %s: %v", name, err)
		}
		if spec.Weights != want.weights || spec.Requests != want.requests || spec.MaxScanLength != want.scan {
			t.Errorf("preset %s: weights %v, requests %s, scans up to %d", name, spec.Weights, spec.Requests, spec.MaxScanLength)
		}
	}
	if _, ok := Preset("G"); ok {
		t.Error("there is a preset G")
	}
}

func TestPropertiesHaveYCSBsDefaults(t *testing.T) {
	spec, err := Parse(nil, FromRun(nil))
	if err != nil {
		t.Fatal(err)
	}
	if len(spec.Fields) != 10 || spec.Fields[9] != "field9" || spec.FieldLength != 100 || spec.Table != "usertable" ||
		!spec.ReadAllFields || spec.WriteAllFields || spec.OrderedInserts || spec.ZeroPadding != 1 ||
		spec.Requests != Uniform || spec.share(stores.Read) != 0.95 || spec.share(stores.Update) < 0.049 {
		t.Errorf("defaults: %+v", spec)
	}
}

func TestProportionsAreWeights(t *testing.T) {
	// The defaults for reads and updates stay in place, so these sum to 2.
	spec, err := Parse(map[string]string{"insertproportion": "1"}, FromRun(nil))
	if err != nil {
		t.Fatal(err)
	}
	if got := spec.share(stores.Insert); got != 0.5 {
		t.Errorf("share of inserts = %v, want 0.5", got)
	}
}

func TestWrongPropertiesAreRefusedWithTheFix(t *testing.T) {
	for _, c := range []struct {
		properties string
		want       string
	}{
		{"feildlength=5", `did you mean "fieldlength"?`},
		{"ReadProportion=1", `did you mean "readproportion"?`},
		{"zeropaddin=1", `did you mean "zeropadding"?`},
		{"colour=red", "no known one is like it"},
		{"fieldlengthhistogram=/etc/passwd", "names a file, and a run's files are keys of ConfigMaps; set fieldLengthHistogram of the workload instead"},
		{"recordcuont=5", `did you mean "recordcount"?`},
		{"etcd.endpoints=10.0.0.1:2379", "file or an address"},
		{"hosts=a,b", "file or an address"},
		{"hdrhistogram.output.path=/tmp/x", "file or an address"},
		{"recordcount=5", "set records"},
		{"threadcount=5", "set load.threads"},
		{"target=100", "set load.rate"},
		{"fieldlength=0", "from 1 to"},
		{"fieldlength=99999999999999999999", "from 1 to"},
		{"fieldcount=ten", "whole number"},
		{"readproportion=NaN", "a number from 0"},
		{"readproportion=-1", "a number from 0"},
		{"readallfields=yes", "true or false"},
		{"requestdistribution=zipf", "must be one of uniform, zipfian"},
		{"fieldlengthdistribution=histogram", "needs the file of fieldlengthhistogram=\"hist.txt\""},
		{"readproportion=0 updateproportion=0", "all proportions are 0"},
		{"minscanlength=10 maxscanlength=5", "minscanlength=10 is above maxscanlength=5"},
		{"fieldlengthdistribution=uniform minfieldlength=200", "is above fieldlength=100"},
		{"dataintegrity=true fieldlengthdistribution=zipfian", "needs values of one length"},
		{"fieldcount=1000 fieldlength=1000000", "lower one of them"},
		{"requestdistribution=exponential exponential.frac=1e9 exponential.percentile=1e-9", "raise exponential.percentile or lower exponential.frac"},
		{"requestdistribution=exponential exponential.frac=300", "exponential.frac=300"},
		{"keyhash=java", "must be one of ycsb, go-ycsb"},
		{"keyspace=mine", "must be one of shared, own"},
		{"cacheaside.ttl=5", "cacheaside.ttl needs cacheaside=true"},
		{"cacheaside=true cacheaside.ttl=0", "from 0.001 to"},
		{"requestdistribution=mixgraph keyrange.a=0 keyrange.c=0", "give the first range no weight"},
		{"requestdistribution=mixgraph keyrange.b=1000", "one without end"},
		{"requestdistribution=mixgraph keyrange.a=-1e9 keyrange.b=1000 keyrange.c=1 keyrange.d=1000", "the published ones are"},
		{"keyrange.num=0", "from 1 to"},
		{"fieldlengthpareto.sigma=0", "from 1e-09 to"},
		{"scanlengthdistribution=latest", "must be one of uniform, zipfian, pareto"},
		{"table=a/b", "letters, digits"},
		{"workload=site.ycsb.workloads.TimeSeriesWorkload", "must be one of core"},
	} {
		properties := map[string]string{}
		for _, pair := range strings.Fields(c.properties) {
			name, value, _ := strings.Cut(pair, "=")
			properties[name] = value
		}
		_, err := Parse(properties, FromRun(nil))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one with %q", c.properties, err, c.want)
		}
	}
}

// Draws outside of the records are made again, so a law that rarely hits one hangs. What
// Parse takes hits one in a hundred times.
func TestEveryExponentialLawThatIsTakenHitsTheRecords(t *testing.T) {
	taken := 0
	for _, percentile := range []string{"1e-9", "0.5", "1", "5", "95", "99.999999999"} {
		for _, frac := range []string{"1e-9", "0.8571428571", "1", "10", "290", "1e9"} {
			properties := map[string]string{
				"requestdistribution": Exponential, "exponential.percentile": percentile, "exponential.frac": frac,
			}
			spec, err := Parse(properties, FromRun(nil))
			if err != nil {
				continue
			}
			taken++
			k := keyspace(t, properties, Share{Records: 1000})
			c := newChooser(k, NewRand(1, "", 0))
			if hits := 1 - math.Exp(-c.gamma*1000); hits < leastHits {
				t.Errorf("%s of %s hits in %g of the draws (%+v)", percentile, frac, hits, spec)
			}
			for range 100 {
				if v := c.next(); v < 0 || v >= 1000 {
					t.Fatalf("%s of %s drew %d of 1000", percentile, frac, v)
				}
			}
		}
	}
	if taken < 15 {
		t.Errorf("%d laws are taken", taken)
	}
	if _, err := Parse(map[string]string{"exponential.frac": "1e9"}, FromRun(nil)); err != nil {
		t.Errorf("refused where it is not used: %v", err)
	}
}

func TestAllThatIsWrongIsSaidAtOnce(t *testing.T) {
	_, err := Parse(map[string]string{"fieldlength": "0", "zeropadding": "x"}, FromRun(nil))
	if err == nil || !strings.Contains(err.Error(), "fieldlength") || !strings.Contains(err.Error(), "zeropadding") {
		t.Errorf("error: %v", err)
	}
}

// What is taken makes operations, within what it says of them, and without an end of time.
func FuzzParse(f *testing.F) {
	f.Add("fieldlength=100 requestdistribution=latest", int64(1000), int64(7))
	f.Add("requestdistribution=mixgraph keyrange.num=5 keydist.b=1e-9 fieldlengthdistribution=pareto fieldlengthpareto.k=100", int64(3), int64(0))
	f.Add("requestdistribution=exponential exponential.frac=280 deleteproportion=1 keyspace=own", int64(1), int64(1))
	f.Add("requestdistribution=hotspot hotspotdatafraction=1 insertproportion=1e9 minscanlength=7 scanproportion=3", int64(2), int64(50))
	f.Add("dataintegrity=true cacheaside=true cacheaside.ttl=1 zeropadding=200 fieldlengthdistribution=histogram", int64(9), int64(2))
	f.Fuzz(func(t *testing.T, text string, records, operations int64) {
		spec, err := Parse(properties(text), FromRun(map[string][]byte{"hist.txt": []byte("BlockSize\t3\n0\t1\n1\t2\n")}))
		if (spec == nil) == (err == nil) {
			t.Fatalf("%s: %v, %v", text, spec, err)
		}
		if err != nil || spec.FieldLength > 1000 || len(spec.Fields) > 20 || spec.KeyRanges.Num > 1000 {
			return // the rest is the same, and takes time and memory
		}
		records = max(1, records&(1<<40-1))
		share := Share{
			Records: records, InsertBase: records, Worker: 1, Workers: 2, Operations: max(0, operations),
			InsertStart: records / 2, Seed: uint64(operations),
		}
		thread := NewKeyspace(spec, share).NewThread(0)
		for range 30 {
			kind := thread.Next()
			op := thread.Op()
			if len(op.Key) < 5 || op.Kind == stores.Scan && int64(op.Count) > spec.MaxScanLength {
				t.Fatalf("%s: a %v of %q, %d records", text, kind, op.Key, op.Count)
			}
			for _, v := range op.Values {
				if n := int64(len(v.Value)); n < 1 || n > spec.FieldLength {
					t.Fatalf("%s: a value of %d bytes", text, n)
				}
			}
			thread.Fill()
			thread.Settle(op.Kind == stores.Insert && kind == stores.Insert)
		}
	})
}
