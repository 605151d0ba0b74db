package record

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"github.com/kvbench/kvbench/internal/stores"
)

// written are the rows of 300 operations, 10 ms apart from the start on, of which each takes as long as
// took says. They are collected at each full second, a moment late, and at their end.
func written(t *testing.T, took func(i int) time.Duration) string {
	t.Helper()
	set := NewSet(2, start, true)
	var hlog bytes.Buffer
	log, err := NewLog(&hlog, nil, start)
	if err != nil {
		t.Fatal(err)
	}
	var all []Sample
	for i := range 300 {
		at := ms(float64(10 * i))
		kind := stores.Read
		if i%3 == 0 {
			kind = stores.Update
		}
		all = append(all, Sample{Kind: kind, Intended: at, Sent: at + ms(0.2), Done: at + ms(0.2) + took(i)})
	}
	slices.SortStableFunc(all, func(a, b Sample) int { return cmp.Compare(a.Done, b.Done) })
	collect := func(until time.Duration) {
		if err := log.Write(set.Collect(), start+int64(until)); err != nil {
			t.Fatal(err)
		}
	}
	next := ms(600) // the start is within a second
	for i, s := range all {
		for ; s.Done > next+ms(3); next += time.Second {
			collect(next)
		}
		set.Recorder(i).Send(s.Intended, s.Sent)
		set.Recorder(i).Finish(&s)
	}
	collect(all[len(all)-1].Done)
	return hlog.String()
}

// HdrHistogram's readers stop at the first row beyond what they are asked for.
func TestRowsComeInTheOrderOfTimeOneForEachSecondAndTag(t *testing.T) {
	for name, took := range map[string]func(int) time.Duration{
		"quick":   func(int) time.Duration { return ms(1) },
		"slow":    func(int) time.Duration { return ms(700) },
		"a stall": func(i int) time.Duration { return max(ms(1), ms(2500)-ms(float64(10*i))) },
		"mixed":   func(i int) time.Duration { return ms(float64(i * 7919 % 1900)) },
	} {
		text := written(t, took)
		seen, latest, counts := map[string]bool{}, 0.0, map[string]int64{}
		for line := range strings.Lines(text) {
			if !strings.HasPrefix(line, "Tag=") {
				continue
			}
			fields := strings.Split(strings.TrimSpace(line), ",")
			var begin, length float64
			if _, err := fmt.Sscan(fields[1], &begin); err != nil {
				t.Fatal(err)
			}
			if _, err := fmt.Sscan(fields[2], &length); err != nil {
				t.Fatal(err)
			}
			if begin < latest {
				t.Errorf("%s: a row of %.3f follows one of %.3f", name, begin, latest)
			}
			if at := fields[0] + "," + fields[1]; seen[at] {
				t.Errorf("%s: two rows %s", name, at)
			} else {
				seen[at] = true
			}
			h, err := hdr.Decode([]byte(fields[4]))
			if err != nil {
				t.Fatal(err)
			}
			latest = begin
			counts[fields[0]] += h.TotalCount()
		}
		if counts["Tag=READ"] != 200 || counts["Tag=Intended-UPDATE"] != 100 || counts["Tag=LAG"] != 300 {
			t.Errorf("%s: the rows have %v", name, counts)
		}
	}
}

// The first interval begins with the load, the last one ends with it.
func TestARowsLengthIsThatOfItsInterval(t *testing.T) {
	var rows []string
	for line := range strings.Lines(written(t, func(int) time.Duration { return ms(10) })) {
		if fields := strings.Split(line, ","); fields[0] == "Tag=READ" {
			rows = append(rows, fields[1]+" "+fields[2])
		}
	}
	want := []string{"1700000000.400 0.600", "1700000001.000 1.000", "1700000002.000 1.000", "1700000003.000 0.400"}
	if !slices.Equal(rows, want) {
		t.Errorf("rows %q, want %q", rows, want)
	}
}
