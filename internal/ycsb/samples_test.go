package ycsb

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

// sampling are the samples of an open loop whose recorder took all of these.
func sampling(t *testing.T, client *workload.Client, all ...record.Sample) *samples {
	t.Helper()
	s := newSamples(client, true, time.Second)
	t.Cleanup(func() {
		if err := s.close(); err != nil {
			t.Error(err)
		}
	})
	set := record.NewSet(1, began*int64(time.Millisecond), true)
	set.KeepSamples()
	for i := range all {
		set.Recorder(0).Finish(&all[i])
		s.take(set.Collect())
	}
	if err := s.takeEnds(newOwn()); err != nil {
		t.Fatal(err)
	}
	return s
}

// sampledFor are the operations behind recorded.
func sampledFor(t *testing.T, client *workload.Client, valuesBelow int64) *samples {
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

// read is one that was sent a millisecond after it was intended, so many milliseconds after
// the start.
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
		f.samples = sampling(t, client, all...)
		var got []string
		for _, of := range f.told(stores.Read, client.MeasurementInterval == workload.IntervalIntended) {
			if h := f.histogram(of); of.status != "" && h != nil {
				got = append(got, strings.Join([]string{of.name(), formatValue(h.TotalCount()), formatValue(h.Max())}, " "))
			}
		}
		if text := strings.Join(got, ", "); text != want {
			t.Errorf("%s: got %s, want %s", properties, text, want)
		}
	}
}

func TestATimeSeriesHasStepsOfLessThanASecond(t *testing.T) {
	client := clientOf(t, "measurementtype=timeseries timeseries.granularity=100")
	s := sampling(t, client,
		read(900, 7, stores.OK, ""), read(1090, 100, stores.OK, ""), read(1095, 300, stores.OK, ""), read(1099, 2000, stores.OK, ""), read(1350, 50, stores.OK, ""))
	f := recorded(t, 2000)
	f.samples = s
	got := string(appendText(nil, f.seriesOf(latencies{operation: "READ"}).entries("READ", client.TimeSeriesStep)))
	if want := "[READ], 0, 200.0\n[READ], 100, 2000.0\n[READ], 300, 50.0\n"; got != want {
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
		f.samples = sampling(t, client,
			read(900, 7, stores.OK, ""), read(1500, 2000, stores.OK, ""), read(1600, 200, stores.Failed, "NOT_FOUND"), read(1700, 33, stores.OK, ""))
		if err := f.samples.takeEnds(&own{ended: []sessionEnd{{began + 9000, 12}}}); err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if err := f.printRaw(client, &out); err != nil || out.String() != want {
			t.Errorf("%s: %v, printed\n%s, want\n%s", properties, err, &out, want)
		}
	}
}

func TestSamplesAreKeptOnlyWhereHistogramsAreTooLittle(t *testing.T) {
	for properties, want := range map[string]bool{
		"": false, "measurementtype=timeseries": false, "measurementtype=timeseries timeseries.granularity=3000": false,
		"measurementtype=timeseries timeseries.granularity=1500": true, "measurementtype=raw": true,
		"measurementtype=hdrhistogram+raw": true, "reportlatencyforeacherror=true": true, "latencytrackederrors=ERROR": true,
	} {
		if got := needsSamples(clientOf(t, properties)); got != want {
			t.Errorf("%q: %v", properties, got)
		}
	}
}
