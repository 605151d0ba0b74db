package compile

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/plan"
)

// twenty requests, one each second, and two more in the last one.
func twentySeconds() []byte {
	var text bytes.Buffer
	for second := range 20 {
		fmt.Fprintf(&text, "%d,READ,user%d,\n", 1700000000+second, second)
	}
	text.WriteString("1700000019.2,UPDATE,user1,100\n1700000019.5,READ,user1,\n")
	return text.Bytes()
}

func gzipped(t *testing.T, content []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := w.Write(content); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func compiledWith(t *testing.T, files Files, edits ...func(*run)) *plan.Plan {
	t.Helper()
	p, err := With(shortForm(edits...), files, testCatalog())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestATraceTakesThePlaceOfARate(t *testing.T) {
	content := twentySeconds()
	for name, c := range map[string]struct {
		content              []byte
		edit                 func(*v1alpha1.WorkloadSpec)
		operations, duration int64
		rate, stretch        float64
		last                 int64
	}{
		"to its end":         {content, func(*v1alpha1.WorkloadSpec) {}, 12, 0, 3, 1, 19_500},
		"compressed":         {gzipped(t, content), func(*v1alpha1.WorkloadSpec) {}, 12, 0, 3, 1, 19_500},
		"faster":             {content, func(w *v1alpha1.WorkloadSpec) { w.Trace.Stretch = "0.6" }, 5, 0, 3, 0.6, 11_700},
		"a part of it":       {content, func(w *v1alpha1.WorkloadSpec) { w.Operations = ptr(int64(5)) }, 5, 0, 3, 1, 14_000},
		"for a time":         {content, func(w *v1alpha1.WorkloadSpec) { w.Duration = ptr(v1alpha1.Duration("7s")) }, 0, 7000, 3, 1, 19_500},
		"its last second":    {content, func(w *v1alpha1.WorkloadSpec) { w.Duration = ptr(v1alpha1.Duration("10s")) }, 0, 10_000, 3, 1, 19_500},
		"and a second after": {[]byte("0,READ,a,\n10.5,READ,a,\n"), func(w *v1alpha1.WorkloadSpec) { w.Duration = ptr(v1alpha1.Duration("1s")) }, 0, 1000, 1, 1, 10_500},
	} {
		t.Run(name, func(t *testing.T) {
			p := compiledWith(t, Files{"traces_day.csv": c.content}, replaying(c.edit), func(r *run) { r.Spec.Load.Workers = ptr(int32(2)) })
			w := p.Workloads[0]
			if w.Operations != c.operations || w.DurationMillis != c.duration {
				t.Errorf("%d operations and %d ms, want %d and %d", w.Operations, w.DurationMillis, c.operations, c.duration)
			}
			rows := int64(bytes.Count(twentySeconds(), []byte("\n")))
			if name == "and a second after" {
				rows = 2
			}
			want := plan.Load{
				Workers: 2, Threads: 8, Rate: c.rate, Arrivals: plan.ArrivalsTrace, MaxInFlight: int(3 * c.rate),
				Trace:        &plan.Trace{File: "traces_day.csv", SHA256: digest(c.content), Rows: rows, Stretch: c.stretch, LastMillis: c.last},
				WarmupMillis: 10_000, CooldownMillis: 5_000, OperationTimeoutMillis: 2_000,
			}
			if diff := cmp.Diff(want, w.Load); diff != "" {
				t.Error(diff)
			}
			listed := []plan.File{{Name: "traces_day.csv", ConfigMap: "traces", Key: "day.csv", SHA256: digest(c.content), Bytes: len(c.content)}}
			if diff := cmp.Diff(listed, p.Files); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestAScheduleIsInThePlan(t *testing.T) {
	p := compiledWith(t, Files{"rates_day.csv": []byte("seconds,rate\n0,100\n2,400\n")}, scheduled)
	want := &plan.Shape{File: "rates_day.csv", Segments: []plan.Segment{{From: 100, To: 100, Millis: 2000}, {From: 400, To: 400, Millis: 1}}}
	if load := p.Workloads[0].Load; !reflect.DeepEqual(load.Shape, want) || load.Rate != 400 || load.Arrivals != plan.ArrivalsPoisson {
		t.Errorf("%+v at %g/s", load.Shape, load.Rate)
	}
	if len(p.Files) != 1 || p.Files[0].ConfigMap != "rates" {
		t.Errorf("files %+v", p.Files)
	}
}

func TestAHistogramSaysHowLongFieldsAre(t *testing.T) {
	p := compiledWith(t, Files{"lengths_hist.txt": []byte("BlockSize\t10\n0\t5\n1\t7\n")}, withLengths)
	properties := p.Workloads[0].Properties
	if properties["fieldlengthdistribution"] != "histogram" || properties["fieldlengthhistogram"] != "lengths_hist.txt" || properties["readproportion"] != "0.5" {
		t.Errorf("properties %v", properties)
	}
}

func TestAFileIsListedOnce(t *testing.T) {
	trace := &v1alpha1.TraceSpec{FileSource: fileOf("one", "file")}
	spec := shortForm(withWorkloads(
		v1alpha1.WorkloadSpec{Name: "a", Trace: trace},
		v1alpha1.WorkloadSpec{Name: "b", Trace: trace, FieldLengthHistogram: ptr(fileOf("one", "other"))},
		v1alpha1.WorkloadSpec{Name: "c", FieldLengthHistogram: ptr(fileOf("one", "other"))},
	), scheduled).Spec
	var listed []string
	for _, file := range FilesOf(&spec) {
		listed = append(listed, file.Field+" "+FileName(file.ConfigMapKeyRef))
	}
	want := []string{"spec.workloads[0].trace one_file", "spec.workloads[1].fieldLengthHistogram one_other", "spec.load.rateShape.schedule rates_day.csv"}
	if !reflect.DeepEqual(listed, want) {
		t.Errorf("%q, want %q", listed, want)
	}
}

func TestFilesHaveTheSizeOfAConfigMapTogether(t *testing.T) {
	files := Files{}
	half := make([]byte, maxFileBytes/2)
	for _, key := range []string{"a", "b", "b"} {
		if err := files.Add(File{"spec.x", v1alpha1.ConfigMapKeyRef{Name: "m", Key: key}}, half); err != nil {
			t.Fatalf("%s: %v", key, err)
		}
	}
	err := files.Add(File{"spec.x", v1alpha1.ConfigMapKeyRef{Name: "m", Key: "c"}}, []byte{0})
	expectRefusal(t, err, ReasonInvalidFile, "spec.x: with it the run's files have 1048577 bytes", "1048576", "compress a trace")
}

func expectRefusal(t *testing.T, err error, reason string, says ...string) {
	t.Helper()
	var refused *Refusal
	if !errors.As(err, &refused) || refused.Reason != reason {
		t.Fatalf("%v, want a refusal for %s", err, reason)
	}
	for _, words := range says {
		if !strings.Contains(refused.Message, words) {
			t.Errorf("%q does not say %q", refused.Message, words)
		}
	}
}

func TestRefusesFilesThatCannotWork(t *testing.T) {
	type workload = v1alpha1.WorkloadSpec
	whole := string(twentySeconds())
	for name, c := range map[string]struct {
		edit   func(*run)
		file   string // the content of each file; none where it is "missing"
		reason string
		says   []string
	}{
		"no such trace":     {replaying(), "missing", ReasonFileMissing, []string{"spec.workloads[0].trace", `no key "day.csv" in a ConfigMap "traces"`, "create it"}},
		"no such schedule":  {scheduled, "missing", ReasonFileMissing, []string{"spec.load.rateShape.schedule", `no key "day.csv" in a ConfigMap "rates"`}},
		"no such histogram": {withLengths, "missing", ReasonFileMissing, []string{"spec.workloads[0].fieldLengthHistogram", `no key "hist.txt" in a ConfigMap "lengths"`}},
		"an empty trace":    {replaying(), "", ReasonInvalidFile, []string{"spec.workloads[0].trace: ConfigMap traces, day.csv: no line of the form time,operation,key,size"}},
		"a broken trace": {
			replaying(), "0,READ,a,\n1,GET,a,\n", ReasonInvalidFile,
			[]string{"spec.workloads[0].trace: ConfigMap traces, day.csv:2: no operation …: use READ"},
		},
		"a broken compression": {replaying(), "\x1f\x8b\x08broken", ReasonInvalidFile, []string{"spec.workloads[0].trace: ConfigMap traces, day.csv: unpacking it"}},
		"a trace that isn't UTF-8": {
			replaying(), "0,READ,\xff\xfe,\n", ReasonInvalidFile, []string{"ConfigMap traces, day.csv:1: no UTF-8"},
		},
		"a broken schedule": {
			scheduled, "seconds,rate\n0,5\n3,many\n", ReasonInvalidFile, []string{"spec.load.rateShape.schedule: ConfigMap rates, day.csv:3: … is not a rate"},
		},
		"a schedule that isn't UTF-8": {scheduled, "0,5\n\xff", ReasonInvalidFile, []string{"spec.load.rateShape.schedule: ConfigMap rates, day.csv is no UTF-8 text"}},
		"a schedule that ends at 0 before its operations": {
			func(r *run) { scheduled(r); r.Spec.Workloads[0].Operations = ptr(int64(9)) }, "0,5\n9,0\n",
			ReasonInvalidLoad, []string{"spec.load.rateShape", "ends at 0"},
		},
		"a broken histogram": {
			withLengths, "BlockSize\t10\n0\t5\n2\t5\n", ReasonInvalidFile,
			[]string{"spec.workloads[0].fieldLengthHistogram: ConfigMap lengths, hist.txt:3: must be the count of bucket 1"},
		},
		"a histogram that isn't UTF-8": {withLengths, "BlockSize\t10\n\xff", ReasonInvalidFile, []string{"ConfigMap lengths, hist.txt is no UTF-8 text"}},
		"a histogram of records too large": {
			func(r *run) {
				withLengths(r)
				r.Spec.Workloads[0].Properties = map[string]v1alpha1.PropertyValue{"fieldcount": "1000"}
			}, "BlockSize\t1000000\n0\t5\n",
			ReasonInvalidProperty, []string{"spec.workloads[0].properties", "fieldcount=1000"},
		},
		"a trace and a rate": {
			func(r *run) { replaying()(r); r.Spec.Load.Rate = ptr(int64(5)) }, whole,
			ReasonInvalidLoad, []string{"spec.workloads[0].trace", "leave spec.load.rate"},
		},
		"a trace of known values": {
			replaying(func(w *workload) { w.Properties = map[string]v1alpha1.PropertyValue{"dataintegrity": "true"} }), whole,
			ReasonInvalidProperty, []string{"spec.workloads[0].properties", "leave dataintegrity out"},
		},
		"a stretch that is no number": {
			replaying(func(w *workload) { w.Trace.Stretch = "fast" }), whole,
			ReasonInvalidWorkload, []string{"spec.workloads[0].trace.stretch", `"fast" is no number`},
		},
		"a trace for more than a day": {
			replaying(func(w *workload) { w.Trace.Stretch = "10000" }), whole,
			ReasonInvalidFile, []string{"spec.workloads[0].trace: ConfigMap traces, day.csv:10: due 90000 s after"},
		},
		"a trace that is over with the warm-up": {
			func(r *run) { replaying()(r); r.Spec.Load.Warmup = ptr(v1alpha1.Duration("20s")) }, whole,
			ReasonInvalidFile, []string{"spec.workloads[0].trace", "in the first 20s, the warm-up", "shorten the warm-up, spec.load.warmup"},
		},
		"more operations than requests": {
			replaying(func(w *workload) { w.Operations = ptr(int64(13)) }), whole,
			ReasonInvalidWorkload, []string{"spec.workloads[0].operations", "12 requests after the warm-up, not 13"},
		},
		"a duration beyond the trace": {
			replaying(func(w *workload) { w.Duration = ptr(v1alpha1.Duration("11s")) }), whole,
			ReasonInvalidWorkload, []string{"spec.workloads[0].duration", "due 9.5s after the warm-up", "at 11s"},
		},
		"a trace that the store can't replay": {
			func(r *run) { replaying()(r); r.Spec.Store.Name = "cache" }, "0,READ,a,\n20,SCAN,a,1\n",
			ReasonInvalidFile, []string{"spec.workloads[0].trace: 1 of its 2 requests are scans", "cache in its mode plain"},
		},
		"fewer slots than workers": {
			func(r *run) {
				replaying()(r)
				r.Spec.Load.Workers, r.Spec.Load.MaxInFlight = ptr(int32(3)), ptr(int32(2))
			}, whole,
			ReasonInvalidLoad, []string{"spec.load.maxInFlight", "each of 3 workers"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			files := Files{}
			if c.file != "missing" {
				for _, file := range []string{"traces_day.csv", "rates_day.csv", "lengths_hist.txt"} {
					files[file] = []byte(c.file)
				}
			}
			_, err := With(shortForm(c.edit), files, testCatalog())
			expectRefusal(t, err, c.reason, c.says...)
		})
	}
}

// The run's author may not be allowed to read what the service account is.
func TestARefusalTellsNothingOfAFilesContent(t *testing.T) {
	const secret = "hunter2"
	for name, edit := range map[string]func(*run){"trace": replaying(), "schedule": scheduled, "histogram": withLengths} {
		for _, content := range []string{
			secret, "0," + secret + ",a,\n", "0,UPDATE,a," + secret, secret + ",READ,a,", "0," + secret, secret + ",5\n",
			"0,5\n\"" + secret + "\\\"" + secret + "\",1\n", "BlockSize\t" + secret, "BlockSize\t5\n0\t" + secret, "BlockSize\t5\n" + secret + "\t7",
		} {
			_, err := With(shortForm(edit), Files{
				"traces_day.csv": []byte(content), "rates_day.csv": []byte(content), "lengths_hist.txt": []byte(content),
			}, testCatalog())
			if err == nil || strings.Contains(err.Error(), secret) {
				t.Errorf("%s of %q: %v", name, content, err)
			}
		}
	}
}
