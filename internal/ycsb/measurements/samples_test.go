package measurements

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/loadgen/record"
	"github.com/kvbench/kvbench/internal/stores"
	"github.com/kvbench/kvbench/internal/workload"
)

// began is when the recorders of these tests begin, in milliseconds of Unix time.
const began = 1_700_000_000_000

// sampling is the samples of an open loop that made all of these operations.
func sampling(t *testing.T, client *workload.Client, all ...record.Sample) *Samples {
	t.Helper()
	s := NewSamples(client, true, time.Second)
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	set := record.NewSet(1, began*int64(time.Millisecond), true)
	set.KeepSamples()
	for i := range all {
		set.Recorder(0).Finish(&all[i])
	}
	s.Take(set.Collect())
	if err := s.TakeEnds(NewProcess()); err != nil {
		t.Fatal(err)
	}
	return s
}

// sampledFor are the operations behind recorded.
func sampledFor(t *testing.T, client *workload.Client, valuesBelow int64) *Samples {
	var all []record.Sample
	add := func(outcome stores.Outcome, code string, micros int64) {
		sent := 2 * time.Second
		all = append(all, record.Sample{
			Kind: stores.Read, Outcome: outcome, Code: code, Intended: sent - time.Millisecond, Sent: sent,
			Done: sent + time.Duration(micros)*time.Microsecond,
		})
	}
	for i := range int64(10_000) {
		v := i * i * 7919 % valuesBelow
		add(stores.OK, "", v)
		if i%100 == 0 {
			add(stores.Failed, "NOT_FOUND", v/7)
		}
	}
	return sampling(t, client, all...)
}

func clientOf(t *testing.T, properties string) *workload.Client {
	t.Helper()
	set := map[string]string{}
	for _, pair := range strings.Fields(properties) {
		name, value, _ := strings.Cut(pair, "=")
		set[name] = value
	}
	client, _, err := workload.ParseClient(set)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// read is a read that was sent so many milliseconds after the start, and a millisecond after it was intended.
func read(sentMillis, tookMicros int, outcome stores.Outcome, code string) record.Sample {
	sent := time.Duration(sentMillis) * time.Millisecond
	return record.Sample{
		Kind: stores.Read, Outcome: outcome, Code: code, Intended: sent - time.Millisecond, Sent: sent,
		Done: sent + time.Duration(tookMicros)*time.Microsecond,
	}
}

func TestEachStatusHasTheLatencyThatIsAskedFor(t *testing.T) {
	all := []record.Sample{
		read(500, 99, stores.Failed, "NOT_FOUND"), // in the warm-up
		read(1500, 100, stores.OK, ""),
		read(1600, 200, stores.Failed, "NOT_FOUND"),
		read(1700, 300, stores.Failed, "Unavailable"),
		read(1800, 400, stores.Unknown, "DeadlineExceeded"),
		read(1900, 500, stores.Failed, "NOT_FOUND"),
	}
	for properties, want := range map[string]string{
		"reportlatencyforeacherror=true":                               "READ-ERROR 1 400, READ-NOT_FOUND 2 500, READ-SERVICE_UNAVAILABLE 1 300",
		"latencytrackederrors=NOT_FOUND,FORBIDDEN":                     "READ-FAILED 2 400, READ-NOT_FOUND 2 500",
		"latencytrackederrors=FORBIDDEN":                               "READ-FAILED 4 500",
		"latencytrackederrors=NOT_FOUND measurement.interval=intended": "READ-FAILED 2 1400, READ-NOT_FOUND 2 1500",
	} {
		client := clientOf(t, properties)
		f := recorded(t, 2000)
		f.Samples = sampling(t, client, all...)
		var got []string
		for _, of := range f.told(stores.Read, client.MeasurementInterval == workload.IntervalIntended) {
			if h := f.histogram(of); of.Status != "" && h != nil {
				got = append(got, strings.Join([]string{of.name(), formatValue(h.TotalCount()), formatValue(h.Max())}, " "))
			}
		}
		if text := strings.Join(got, ", "); text != want {
			t.Errorf("%s: got %s, want %s", properties, text, want)
		}
	}
}

// YCSB's OneMeasurementTimeSeries writes no percentiles. The steps of a measurement begin with the end of its
// first operation.
func TestATimeSeriesIsThatOfYCSB(t *testing.T) {
	client := clientOf(t, "measurementtype=timeseries timeseries.granularity=100 measurement.interval=both")
	f := recorded(t, 2000)
	f.Samples = sampling(t, client,
		read(900, 7, stores.OK, ""), // in the warm-up
		read(1090, 3000, stores.OK, ""), read(1090, 1000, stores.OK, ""), read(1191, 300, stores.OK, ""), read(1350, 50, stores.OK, ""),
		read(2000, 400, stores.Failed, "NOT_FOUND"))
	f.Process = NewProcess()
	f.Process.SessionEnded(25 * time.Microsecond)
	if err := f.Samples.TakeEnds(f.Process); err != nil {
		t.Fatal(err)
	}
	f.Counted = f.Counted[:0]
	want := `[READ], Operations, 4
[READ], AverageLatency(us), 1087.5
[READ], MinLatency(us), 50
[READ], MaxLatency(us), 3000
[READ], Return=OK, 10000
[READ], 0, 2000.0
[READ], 100, 300.0
[READ], 200, 50.0
[READ-FAILED], Operations, 1
[READ-FAILED], AverageLatency(us), 400.0
[READ-FAILED], MinLatency(us), 400
[READ-FAILED], MaxLatency(us), 400
[READ-FAILED], 0, 400.0
[CLEANUP], Operations, 1
[CLEANUP], AverageLatency(us), 25.0
[CLEANUP], MinLatency(us), 25
[CLEANUP], MaxLatency(us), 25
[CLEANUP], 0, 25.0
[Intended-READ], Operations, 4
[Intended-READ], AverageLatency(us), 2087.5
`
	got := string(appendText(nil, f.entries(client)))
	_, got, _ = strings.Cut(got, "[TOTAL_GC_TIME_%]")
	if _, got, _ = strings.Cut(got, "\n"); !strings.HasPrefix(got, want) || !strings.HasSuffix(got, "[Intended-CLEANUP], 0, 25.0\n") {
		t.Errorf("got\n%s, want\n%s", got, want)
	}
}

func TestATimeSeriesWithoutASuccessHasTheStatuses(t *testing.T) {
	got := string(appendText(nil, new(series).entries("READ", 1000, []entry{{"READ", "Return=ERROR", int64(3)}})))
	want := "[READ], Operations, 0\n[READ], AverageLatency(us), NaN\n[READ], MinLatency(us), -1\n[READ], MaxLatency(us), -1\n" +
		"[READ], Return=ERROR, 3\n[READ], 0, NaN\n"
	if got != want {
		t.Errorf("got\n%s, want\n%s", got, want)
	}
}

func TestEveryOperationIsPrintedWithItsEnd(t *testing.T) {
	for properties, want := range map[string]string{
		"measurementtype=raw": `READ latency raw data: op, timestamp(ms), latency(us)
READ,1700000001502,2000
READ,1700000001700,33
READ-FAILED latency raw data: op, timestamp(ms), latency(us)
READ-FAILED,1700000001600,200
CLEANUP latency raw data: op, timestamp(ms), latency(us)
CLEANUP,1700000009000,12
`,
		"measurementtype=hdrhistogram+raw measurement.interval=intended latencytrackederrors=NOT_FOUND": `RawREAD latency raw data: op, timestamp(ms), latency(us)
RawREAD,1700000001502,3000
RawREAD,1700000001700,1033
RawREAD-NOT_FOUND latency raw data: op, timestamp(ms), latency(us)
RawREAD-NOT_FOUND,1700000001600,1200
RawCLEANUP latency raw data: op, timestamp(ms), latency(us)
RawCLEANUP,1700000009000,12
`,
	} {
		client := clientOf(t, properties)
		f := recorded(t, 2000)
		f.Samples = sampling(t, client,
			read(900, 7, stores.OK, ""), read(1500, 2000, stores.OK, ""), read(1600, 200, stores.Failed, "NOT_FOUND"), read(1700, 33, stores.OK, ""))
		if err := f.Samples.TakeEnds(&Process{ended: []sessionEnd{{began + 9000, 12}}}); err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if err := f.PrintRaw(client, &out); err != nil || out.String() != want {
			t.Errorf("%s: %v, printed\n%s, want\n%s", properties, err, &out, want)
		}
	}
}

func TestSamplesAreKeptOnlyWhereHistogramsAreTooLittle(t *testing.T) {
	for properties, want := range map[string]bool{
		"": false, "measurementtype=hdrhistogram+histogram": false, "measurementtype=timeseries": true, "measurementtype=raw": true,
		"measurementtype=hdrhistogram+raw": true, "reportlatencyforeacherror=true": true, "latencytrackederrors=ERROR": true,
	} {
		if got := needsSamples(clientOf(t, properties)); got != want {
			t.Errorf("%q: %v", properties, got)
		}
	}
}
