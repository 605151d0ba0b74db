package hlog

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/report/bundletest"
	"github.com/kvbench/kvbench/internal/report/histogram"
	"github.com/kvbench/kvbench/internal/report/instant"
)

func TestLogRows(t *testing.T) {
	h := hdr.New(1, bundle.HistogramMaxMicros, bundle.HistogramDigits)
	if err := h.RecordValue(17); err != nil {
		t.Fatal(err)
	}
	ours := bundletest.Encoded(t, h)
	if err := h.RecordValue(30_000); err != nil {
		t.Fatal(err)
	}
	both := bundletest.Encoded(t, h)
	foreign := bundletest.Encoded(t, hdr.New(1, 1000, 3))
	wide := bundletest.Encoded(t, hdr.New(1, 1<<60, 5))
	for _, c := range []struct {
		name, text string
		rows       []string
		err        string
	}{
		{name: "empty"},
		{name: "comments and legend", text: "#[StartTime: 1]\n\"StartTimestamp\",…\n\n"},
		{name: "service time", text: "Tag=READ,5.000,1.000,0.1," + ours, rows: []string{"5s READ ok service 1"}},
		{name: "response time", text: "Tag=Intended-UPDATE,5,1,0.1," + ours, rows: []string{"5s UPDATE ok response 1"}},
		{name: "wait", text: "Tag=Wait-INSERT-UNKNOWN,5,1,0.1," + ours, rows: []string{"5s INSERT unknown wait 1"}},
		{name: "both of one row", text: "Tag=Wait-Intended-READ,5,1,0.1," + ours, err: `tag "Wait-Intended-READ"`},
		{name: "failed", text: "Tag=SCAN-FAILED,5,1,0.1," + ours, rows: []string{"5s SCAN failed service 1"}},
		{name: "unknown", text: "Tag=Intended-READ-MODIFY-WRITE-UNKNOWN,5,1,0.1," + ours, rows: []string{"5s READ-MODIFY-WRITE unknown response 1"}},
		{name: "rows of one second are deltas", text: "Tag=READ,5,1,0.1," + ours + "\nTag=READ,5,1,0.1," + ours, rows: []string{"5s READ ok service 1", "5s READ ok service 1"}},
		{
			name: "what was intended in other seconds", text: "#[of the next row] Tag=READ,4.000,1.000,0.1," + ours + "\nTag=READ,5.400,0.6,30," + both,
			rows: []string{"4s READ ok service 1", "5s READ ok service 1"},
		},
		{
			name: "all of it, twice", text: strings.Repeat("#[of the next row] Tag=LAG,6,1,0.1,"+ours+"\nTag=LAG,5,1,0.1,"+ours+"\n", 2),
			rows: []string{"6s   service 1", "5s   service 0", "6s   service 1", "5s   service 0"},
		},
		{name: "more than there is", text: "#[of the next row] Tag=READ,4,1,30," + both + "\nTag=READ,5,1,0.1," + ours, rows: []string{"4s READ ok service 2"}, err: "line 2: histogram: lacks values"},
		{
			name: "more of one value", text: strings.Repeat("#[of the next row] Tag=READ,4,1,30,"+ours+"\n", 2) + "Tag=READ,5,1,0.1," + both,
			rows: []string{"4s READ ok service 1", "4s READ ok service 1"}, err: "line 3: histogram: fewer values around 17",
		},
		{name: "of another row", text: "#[of the next row] Tag=READ,4,1,30," + ours + "\nTag=Wait-READ,5,1,0.1," + ours, rows: []string{"4s READ ok service 1"}, err: "line 2: has another tag"},
		{name: "of two rows", text: "#[of the next row] Tag=READ,4,1,30," + ours + "\n#[of the next row] Tag=SCAN,4,1,0.1," + ours, rows: []string{"4s READ ok service 1"}, err: "line 2: comments of two tags"},
		{name: "a part of a comment", text: "#[of the next row] Tag=READ,4,1,30", err: "line 1: is not tag"},
		{name: "no tag", text: "5,1,0.1," + ours, err: "line 1: is not tag"},
		{name: "another operation", text: "#\nTag=DROP,5,1,0.1," + ours, err: `line 2: tag "DROP"`},
		{name: "no time", text: "Tag=READ,NaN,1,0.1," + ours, err: `begin "NaN"`},
		{name: "a time beyond all", text: "Tag=READ,1e300,1,0.1," + ours, err: `begin "1e300"`},
		{name: "another geometry", text: "Tag=READ,5,1,0.1," + foreign, err: "geometry 1 to 1000"},
		{name: "a geometry that takes much memory", text: "Tag=READ,5,1,0.1," + wide, err: "geometry 1 to"},
		{name: "cut off", text: "Tag=READ,5,1,0.1," + ours[:len(ours)-9], err: "histogram"},
		{name: "a line without end", text: "Tag=READ,5,1,0.1," + strings.Repeat("A", maxLogLine), err: "too long"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var rows []string
			err := Read(strings.NewReader(c.text), func(r Row, h *hdr.PackedHistogram) error {
				which := map[timeOf]string{ServiceTime: "service", ResponseTime: "response", WaitTime: "wait"}
				rows = append(rows, fmt.Sprintf("%ds %s %s %s %d", r.At/instant.NanosPerSecond, r.Operation, r.Outcome, which[r.Time], h.TotalCount()))
				return nil
			})
			if !slices.Equal(rows, c.rows) {
				t.Errorf("rows %q, want %q", rows, c.rows)
			}
			if (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
				t.Errorf("error %v, want %q", err, c.err)
			}
		})
	}
}

func FuzzLog(f *testing.F) {
	h := hdr.New(1, bundle.HistogramMaxMicros, bundle.HistogramDigits)
	for _, micros := range []int64{0, 1, 2047, 2048, bundle.HistogramMaxMicros} {
		if err := h.RecordValue(micros); err != nil {
			f.Fatal(err)
		}
	}
	f.Add("Tag=Intended-READ-FAILED,1800000000.000,1.000,0.123," + bundletest.Encoded(f, h) + "\n")
	f.Add("#[StartTime: 1]\n\nTag=READ,1,1,1,HISTFAAA\n")
	f.Add("#[of the next row] Tag=LAG,1,1,1," + bundletest.Encoded(f, h) + "\nTag=LAG,2,1,1," + bundletest.Encoded(f, h))
	f.Fuzz(func(t *testing.T, text string) {
		rows := 0
		err := Read(strings.NewReader(text), func(r Row, h *hdr.PackedHistogram) error {
			rows++
			if h.TotalCount() < 0 || r.Operation == "" && !r.Lag || r.At < 0 {
				t.Errorf("row %+v", r)
			}
			return histogram.Merge(histogram.New(), h)
		})
		if err == nil && rows > strings.Count(text, "\n")+1 {
			t.Errorf("%d rows from %d lines", rows, strings.Count(text, "\n")+1)
		}
	})
}
