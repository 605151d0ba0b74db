package measurements

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/report/histogram"
	"github.com/kvbench/kvbench/internal/workload"
)

// recorded makes the values that testdata was made of: with the classes of YCSB 0.17.0,
// Measurements.measure was called with v, and measureIntended with v + 1,000, for
// v = i²·7919 modulo a range, i below 10,000; every hundredth also failed, with a latency
// of v/7.
func recorded(t *testing.T, valuesBelow int64) *Figures {
	t.Helper()
	m := &Totals{Histograms: map[Latencies]*hdr.PackedHistogram{}}
	add := func(of Latencies, micros int64) {
		if m.Histograms[of] == nil {
			m.Histograms[of] = histogram.New()
		}
		if err := m.Histograms[of].RecordValue(micros); err != nil {
			t.Fatal(err)
		}
	}
	for i := range int64(10_000) {
		v := i * i * 7919 % valuesBelow
		add(Latencies{"READ", "", false}, v)
		add(Latencies{"READ", "", true}, v+1000)
		if i%100 == 0 {
			add(Latencies{"READ", "FAILED", false}, v/7)
			add(Latencies{"READ", "FAILED", true}, v/7+1000)
		}
	}
	m.Counted = addError(m.Counted, bundle.ErrorSeen{Operation: "READ", Outcome: "failed", Code: "NOT_FOUND", Count: 40})
	m.Counted = addError(m.Counted, bundle.ErrorSeen{Operation: "READ", Outcome: "failed", Code: "NOT_FOUND", Count: 60})
	return &Figures{RuntimeMillis: 12345, Operations: 10_100, Open: true, Totals: m}
}

func TestOutputIsThatOfJavaYCSB(t *testing.T) {
	for _, c := range []struct {
		file        string
		properties  map[string]string
		valuesBelow int64
		format      func(dst []byte, entries []entry) []byte
	}{
		{"op.txt", nil, 3_000_000, appendText},
		{"both.txt", map[string]string{"measurement.interval": "both", "hdrhistogram.percentiles": "0,1,2,3,11,22,50,99.9,99.99,100"}, 3_000_000, appendText},
		{"intended.json", map[string]string{"measurement.interval": "intended"}, 3_000_000, appendJSONArray},
		{"objects.json", nil, 3_000_000, appendJSONObjects},
		// Its buckets are exact up to where our histograms are.
		{"histogram.txt", map[string]string{"measurementtype": "histogram"}, 2000, appendText},
		{"hdrverbose.txt", map[string]string{"measurement.histogram.verbose": "true"}, 5000, appendText},
		{"verbose.txt", map[string]string{"measurementtype": "histogram", "histogram.buckets": "1", "measurement.histogram.verbose": "true"}, 2000, appendText},
		{"raw.txt", map[string]string{"measurementtype": "raw", "measurement.interval": "both"}, 3_000_000, appendText},
		{"hdrraw.txt", map[string]string{"measurementtype": "hdrhistogram+raw"}, 3_000_000, appendText},
		{"rawnosummary.txt", map[string]string{"measurementtype": "raw", "measurement.raw.no_summary": "true"}, 3_000_000, appendText},
		{"hdrandbuckets.txt", map[string]string{"measurementtype": "hdrhistogram+histogram"}, 2000, appendText},
	} {
		t.Run(c.file, func(t *testing.T) {
			client, _, err := workload.ParseClient(c.properties)
			if err != nil {
				t.Fatal(err)
			}
			want, err := os.ReadFile(filepath.Join("testdata", c.file))
			if err != nil {
				t.Fatal(err)
			}
			f := recorded(t, c.valuesBelow)
			if needsSamples(client) {
				f.Samples = sampledFor(t, client, c.valuesBelow)
			}
			if got := c.format(nil, f.entries(client)); string(got) != string(want) {
				t.Errorf("wrote\n%s\nand YCSB writes\n%s", got, want)
			}
		})
	}
}

// With YCSB's failing store, the statuses stand where the successes would.
func TestWhereAllFailedTheStatusesStandWithNoSuccess(t *testing.T) {
	failed := histogram.New()
	if err := failed.RecordValues(7, 3); err != nil {
		t.Fatal(err)
	}
	f := &Figures{RuntimeMillis: 1, Operations: 3, Totals: &Totals{
		Histograms: map[Latencies]*hdr.PackedHistogram{{"UPDATE", "FAILED", false}: failed},
		Counted:    []bundle.ErrorSeen{{Operation: "UPDATE", Outcome: "unknown", Code: "DeadlineExceeded", Count: 3}},
	}}
	client, _, err := workload.ParseClient(map[string]string{"hdrhistogram.percentiles": "95"})
	if err != nil {
		t.Fatal(err)
	}
	want := `[OVERALL], RunTime(ms), 1
[OVERALL], Throughput(ops/sec), 3000.0
[UPDATE], Operations, 0
[UPDATE], AverageLatency(us), NaN
[UPDATE], MinLatency(us), 9223372036854775807
[UPDATE], MaxLatency(us), 0
[UPDATE], 95thPercentileLatency(us), 0
[UPDATE], Return=ERROR, 3
[UPDATE-FAILED], Operations, 3
[UPDATE-FAILED], AverageLatency(us), 7.0
[UPDATE-FAILED], MinLatency(us), 7
[UPDATE-FAILED], MaxLatency(us), 7
[UPDATE-FAILED], 95thPercentileLatency(us), 7
`
	if got := string(appendText(nil, f.entries(client))); got != want {
		t.Errorf("wrote\n%s\nwant\n%s", got, want)
	}
	if got := string(appendObject(nil, entry{"UPDATE", "AverageLatency(us)", mean(histogram.New())})); got != "{\n  \"metric\" : \"UPDATE\",\n  \"measurement\" : \"AverageLatency(us)\",\n  \"value\" : \"NaN\"\n}" {
		t.Errorf("wrote %s", got)
	}
}

func TestVerificationsAreCountedByStatus(t *testing.T) {
	f := recorded(t, 2000)
	f.Verified = true
	f.Counted = addError(f.Counted, bundle.ErrorSeen{Operation: "READ", Outcome: "failed", Code: "UNEXPECTED_STATE", Count: 7})
	f.Counted = addError(f.Counted, bundle.ErrorSeen{Operation: "READ", Outcome: "failed", Code: "ERROR", Count: 2})
	f.Counted = addError(f.Counted, bundle.ErrorSeen{Operation: "UPDATE", Outcome: "failed", Code: "ERROR", Count: 5})
	client, _, err := workload.ParseClient(nil)
	if err != nil {
		t.Fatal(err)
	}
	want := "[VERIFY], Operations, 10009\n[VERIFY], Return=OK, 10000\n[VERIFY], Return=ERROR, 2\n[VERIFY], Return=UNEXPECTED_STATE, 7\n"
	if got := string(appendText(nil, f.entries(client))); !strings.HasSuffix(got, want) {
		t.Errorf("wrote\n%s\nwant at its end\n%s", got, want)
	}
}

// What Java's Double.toString and DecimalFormat("#.##") write.
func TestNumbersAreWrittenAsJavaDoes(t *testing.T) {
	zero := 0.0
	for want, x := range map[string]float64{
		"0.0": 0, "0.001": 0.001, "9.9E-4": 0.00099, "1.0E7": 1e7, "9999999.99": 9999999.99,
		"1.23456789E7": 12345678.9, "0.3333333333333333": 1.0 / 3, "100.0": 100, "2.5E-5": 2.5e-5,
		"1.0E21": 1e21, "75471.69811320755": 75471.69811320755, "NaN": zero / zero, "Infinity": 1 / zero, "-Infinity": -1 / zero,
	} {
		if got := javaDouble(x); got != want {
			t.Errorf("%g is written %s, want %s", x, got, want)
		}
	}
	for want, x := range map[string]float64{
		"0": 0, "0.12": 0.125, "0.14": 0.135, "0.34": 0.335, "2.67": 2.675, "1": 1.005, "100": 100,
		"75471.7": 75471.698, "10000000": 1e7, "NaN": zero / zero, "∞": 1 / zero,
	} {
		if got := shortDecimal(x); got != want {
			t.Errorf("%g is shortened to %s, want %s", x, got, want)
		}
	}
}
