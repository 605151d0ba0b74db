package imported

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
)

func ptr[T any](value T) *T { return &value }

func document() *Imported {
	return &Imported{Kind: Kind, Format: Format, Source: Source{File: "old.txt", SHA256: "ab"}, ImportedAt: "2027-01-15T08:00:00Z", Workload: "old",
		Measured: Measured{Tool: YCSB, DurationMicros: ptr(1e6), Throughput: ptr(250.0), NotKnown: []NotKnown{Validity}, Remarks: []string{}, Operations: []Operation{
			{Operation: "READ", Count: ptr(int64(80)), Errors: ptr(int64(4)), Latencies: []Latency{
				{Time: Service, P99Micros: ptr(500.0)}, {Time: Response, P50Micros: ptr(700.0), P99Micros: ptr(1500.0)}}},
			{Operation: "SCAN", Count: ptr(int64(20)), Errors: ptr(int64(1)), Latencies: []Latency{}}}}}
}

func TestADocumentIsReadAsItWasWritten(t *testing.T) {
	text, err := json.Marshal(document())
	if err != nil {
		t.Fatal(err)
	}
	in, err := Read(text)
	if err != nil {
		t.Fatal(err)
	}
	again, err := json.Marshal(in)
	if err != nil || string(again) != string(text) || !Is(text) {
		t.Errorf("%v\n%s\nwant\n%s", err, again, text)
	}
}

func TestADocumentThatNobodyWroteIsRefused(t *testing.T) {
	for says, change := range map[string]func(*Imported){
		"its kind is":                     func(in *Imported) { in.Kind = "report" },
		"has format 2":                    func(in *Imported) { in.Format = 2 },
		"says that its numbers are valid": func(in *Imported) { in.Valid = ptr(true) },
		"workload's name is empty":        func(in *Imported) { in.Workload = " " },
		"can't be shown":                  func(in *Imported) { in.Operations[0].Operation = "READ\x1b[2J" },
		"is there twice":                  func(in *Imported) { in.Operations[1].Operation = "READ" },
		"81 of 80 operations failed":      func(in *Imported) { in.Operations[0].Errors = ptr(int64(81)) },
		"a count is negative":             func(in *Imported) { in.Operations[0].Count = ptr(int64(-1)) },
		"-1 is no figure":                 func(in *Imported) { in.Operations[0].Latencies[0].P99Micros = ptr(-1.0) },
		"1e+16 is no figure":              func(in *Imported) { in.Throughput = ptr(1e16) },
		`the role "boss"`:                 func(in *Imported) { in.Operations[0].Role = "boss" },
		`the time "soon"`:                 func(in *Imported) { in.Operations[0].Latencies[0].Time = "soon" },
		`the time "response"`:             func(in *Imported) { in.Operations[0].Latencies[0].Time = Response },
		"no time of RFC 3339":             func(in *Imported) { in.MeasuredAt = ptr("yesterday") },
		"remark is too long":              func(in *Imported) { in.Remarks = []string{strings.Repeat("x", 2000)} },
		"more than 1000 operations":       func(in *Imported) { in.Operations = make([]Operation, 1001) },
		"the file's name is longer than":  func(in *Imported) { in.Source.File = strings.Repeat("x", 300) },
	} {
		in := document()
		change(in)
		text, err := json.Marshal(in)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Read(text); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want %q", err, says)
		}
	}
	for _, text := range []string{"", "[]", "{}{}", "null", `{"kind":5}`} {
		if in, err := Read([]byte(text)); err == nil {
			t.Errorf("%q is read as %+v", text, in)
		}
	}
	if err := checkNumber(ptr(math.NaN()), 1); err == nil {
		t.Error("NaN is a figure")
	}
}

func TestFiguresAreThoseThatAreKnown(t *testing.T) {
	set := document().Figures()
	var lines []string
	for _, f := range set.Figures {
		lines = append(lines, fmt.Sprintf("%s %s %s %g %s", f.Operation, f.Metric, f.Time, f.Value, f.Unit))
	}
	want := []string{" throughput  250 1/s", " errors  0.05 1", "READ p50 response 0.0007 s", "READ p99 response 0.0015 s"}
	if strings.Join(lines, "\n") != strings.Join(want, "\n") {
		t.Errorf("%q, want %q", lines, want)
	}
	if len(set.Operations) != 2 || set.Operations[1].Operation != "SCAN" || len(set.Workloads) != 1 || set.Workloads[0] != "old" {
		t.Errorf("%+v", set)
	}
}

func TestTheOnlyKindOfOperationHasTheThroughputOfAll(t *testing.T) {
	in := document()
	in.Throughput, in.Operations[0].Throughput = nil, ptr(7.0)
	set := in.Figures()
	if f := set.Find("old", "", "", "throughput"); f != nil {
		t.Errorf("two kinds have the throughput of one: %+v", f)
	}
	in.Operations = in.Operations[:1]
	set = in.Figures()
	if f := set.Find("old", "", "", "throughput"); f == nil || f.Value != 7 {
		t.Errorf("%+v", f)
	}
}

func TestTheShareOfErrorsIsUnknownWhereACountIsMissing(t *testing.T) {
	for what, change := range map[string]func(*Operation){
		"no count":                 func(o *Operation) { o.Count = nil },
		"no errors":                func(o *Operation) { o.Errors = nil },
		"operations counted twice": func(o *Operation) { o.Role = Whole },
	} {
		in := document()
		change(&in.Operations[0])
		set := in.Figures()
		if f := set.Find("old", "", "", "errors"); f != nil {
			t.Errorf("%s: %+v", what, f)
		}
	}
	in := document()
	in.NotKnown = append(in.NotKnown, ErrorCount)
	set := in.Figures()
	if f := set.Find("old", "", "", "errors"); f != nil {
		t.Errorf("it is said to be unknown: %+v", f)
	}
}

func TestAFrameDoesntCountAsAnOperation(t *testing.T) {
	in := document()
	in.Operations = append(in.Operations, Operation{Operation: "iteration", Role: Frame, Count: ptr(int64(100))})
	set := in.Figures()
	if f := set.Find("old", "", "", "errors"); f == nil || f.Value != 0.05 {
		t.Errorf("%+v", f)
	}
}

func TestWhatIsNotKnownIsASentence(t *testing.T) {
	for _, n := range []NotKnown{Validity, IntendedRate, WarmUp, Time, ErrorCount} {
		if text := n.String(); text == string(n) || !strings.HasSuffix(text, ".") {
			t.Errorf("%s: %q", string(n), text)
		}
	}
}
