package workload

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

func properties(text string) map[string]string {
	m := map[string]string{}
	for pair := range strings.FieldsSeq(text) {
		name, value, _ := strings.Cut(pair, "=")
		m[name] = value
	}
	return m
}

func TestTheClientHasYCSBsDefaults(t *testing.T) {
	c, rest, err := ParseClient(nil)
	want := Client{
		Records: 2147483647, InsertCount: 2147483647, Threads: 1, BatchSize: 1,
		InsertRetryInterval: 3 * time.Second, StatusInterval: 10 * time.Second,
		Exporter: "text", MeasurementType: "hdrhistogram", MeasurementInterval: "op",
		Percentiles: []float64{50, 95, 99}, HistogramBuckets: 1000, TimeSeriesStep: time.Second,
	}
	if err != nil || len(rest) != 0 || !reflect.DeepEqual(*c, want) {
		t.Errorf("%+v, %v, %v, want %+v", c, rest, err, want)
	}
}

func TestTheClientsPropertiesAreTakenAndTheOthersLeft(t *testing.T) {
	c, rest, err := ParseClient(properties(`recordcount=5000000000 operationcount=7 insertstart=3000000000
		insertcount=1000 dotransactions=FALSE threadcount=16 target=1000 maxexecutiontime=60
		core_workload_insertion_retry_limit=2 batch.size=100 core_workload_insertion_retry_interval=0.5
		core_workload_insertion_keep_going_on_error=true status=true status.interval=1
		exporter=site.ycsb.measurements.exporter.JSONArrayMeasurementsExporter exportfile=out.json
		measurementtype=hdrhistogram+raw measurement.interval=both measurement.raw.output_file=raw measurement.raw.no_summary=true
		hdrhistogram.percentiles=50,99.9 hdrhistogram.fileoutput=true hdrhistogram.output.path=hdr/
		histogram.buckets=500 measurement.histogram.verbose=true timeseries.granularity=500 reportlatencyforeacherror=true latencytrackederrors=NOT_FOUND,ERROR
		fieldcount=1 workload=core`))
	want := Client{
		Load: true, Records: 5e9, Operations: 7, InsertStart: 3e9, InsertCount: 1000,
		Threads: 16, Target: 1000, MaxExecutionTime: time.Minute,
		BatchSize: 100, InsertRetries: 2, InsertRetryInterval: 500 * time.Millisecond, KeepGoing: true,
		Status: true, StatusInterval: time.Second,
		Exporter: "json-array", ExportFile: "out.json",
		MeasurementType: "hdrhistogram+raw", MeasurementInterval: "both", Percentiles: []float64{50, 99.9},
		HistogramBuckets: 500, HistogramVerbose: true,
		HdrFiles: true, HdrPath: "hdr/", TimeSeriesStep: 500 * time.Millisecond, RawFile: "raw", RawAlone: true,
		LatencyOfEachError: true, LatencyOfErrors: []string{"NOT_FOUND", "ERROR"},
	}
	if err != nil || !reflect.DeepEqual(*c, want) {
		t.Errorf("%+v, %v, want %+v", c, err, want)
	}
	if !maps.Equal(rest, map[string]string{"fieldcount": "1", "workload": "core"}) {
		t.Errorf("left are %v", rest)
	}
}

// These are what YCSB's and go-ycsb's workloads/workload_template set.
func TestTheTemplatesOfYCSBAreTaken(t *testing.T) {
	_, rest, err := ParseClient(properties(`workload=com.yahoo.ycsb.workloads.CoreWorkload
		recordcount=1000000 operationcount=3000000 insertstart=0 fieldcount=10 fieldlength=100
		readallfields=true writeallfields=false fieldlengthdistribution=constant readproportion=0.95
		updateproportion=0.05 insertproportion=0 readmodifywriteproportion=0 scanproportion=0
		maxscanlength=1000 scanlengthdistribution=uniform insertorder=hashed
		requestdistribution=zipfian hotspotdatafraction=0.2 hotspotopnfraction=0.8 table=usertable
		measurementtype=histogram histogram.buckets=1000 timeseries.granularity=1000`))
	if err == nil {
		_, err = Parse(rest, FromCommandLine())
	}
	if err != nil {
		t.Error(err)
	}
}

func TestTheInsertsAreTheRestOfTheRecords(t *testing.T) {
	c, _, err := ParseClient(properties("recordcount=1000 insertstart=300"))
	if err != nil || c.InsertCount != 700 {
		t.Errorf("%+v, %v", c, err)
	}
}

func TestWrongClientPropertiesAreRefusedWithTheFix(t *testing.T) {
	for text, want := range map[string]string{
		"threadcount=0":                `property threadcount="0": must be a whole number from 1`,
		"target=-1":                    "a number from 0",
		"maxexecutiontime=1h":          "in seconds",
		"status=yes":                   "true or false",
		"exporter=XML":                 "must be one of site.ycsb.measurements.exporter.{JSONArray",
		"measurementtype=hdr":          "must be one of hdrhistogram, histogram",
		"measurement.interval=op,op":   "must be one of op, intended, both",
		"hdrhistogram.percentiles=5,x": `"x" must be a number from 0 to 100`,
		"hdrhistogram.percentiles=,":   "with commas between them",
		"dotransactions=false":         "nothing to load",
		"recordcount=1000 insertstart=500 insertcount=501":                    "reach beyond recordcount=1000",
		"recordcount=1000 insertstart=1000":                                   "is not below recordcount=1000",
		"insertstart=2147483646 insertcount=1000000000000000":                 "reach beyond recordcount=2147483647",
		"recordcount=x timeseries.granularity=0":                              "timeseries.granularity",
		"core_workload_insertion_retry_limit=-1 dotransactions=x threadcount": "dotransactions",
	} {
		c, rest, err := ParseClient(properties(text))
		if err == nil || !strings.Contains(err.Error(), want) || c != nil || rest != nil {
			t.Errorf("%s: error %v, want one with %q", text, err, want)
		}
	}
}

func TestOnTheCommandLineTheNearestOfAllPropertiesIsSuggested(t *testing.T) {
	for name, want := range map[string]string{
		"recordcuont": `did you mean "recordcount"?`, "feildcount": `did you mean "fieldcount"?`,
		"colour": "no known one is like it", "host": "unknown property",
	} {
		_, err := Parse(map[string]string{name: "1"}, FromCommandLine())
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want one with %q", name, err, want)
		}
	}
}

// What the client takes on the command line, a run says elsewhere.
func TestARunIsToldWhereItSaysWhatTheClientIsTold(t *testing.T) {
	client, run := slices.Sorted(maps.Keys(clientSetters)), slices.Sorted(maps.Keys(elsewhere))
	if !slices.Equal(client, run) {
		t.Errorf("the client's properties are %q, a run knows of %q", client, run)
	}
}

func FuzzParseClient(f *testing.F) {
	f.Add("hdrhistogram.percentiles", "5,99.9", "500")
	f.Add("insertstart", "9223372036854775807", "9223372036854775807")
	f.Fuzz(func(t *testing.T, name, value, records string) {
		c, rest, err := ParseClient(map[string]string{name: value, "recordcount": records})
		if (c == nil) != (err != nil) || (rest == nil) != (err != nil) {
			t.Fatalf("%+v, %v, %v", c, rest, err)
		}
		if c != nil && (c.InsertStart < 0 || c.InsertCount < 1 || c.InsertStart+c.InsertCount > c.Records) {
			t.Errorf("%+v", c)
		}
	})
}
