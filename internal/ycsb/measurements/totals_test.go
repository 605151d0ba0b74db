package measurements

import (
	"testing"
	"testing/fstest"
)

func TestErrorsOfTheWarmUpAreNotCounted(t *testing.T) {
	lines := `{"atUnixNanos":1100,"clock":{"offsetNanos":0,"boundNanos":0}}
{"atUnixNanos":101002000000,"second":{"lengthMicros":1002000}}
{"atUnixNanos":101003000000,"errors":[{"operation":"READ","outcome":"failed","code":"E","count":1}]}
{"atUnixNanos":102001000000,"second":{"lengthMicros":999000}}
{"atUnixNanos":102003000000,"errors":[{"operation":"READ","outcome":"failed","code":"E","count":20}]}
{"atUnixNanos":103001000000,"second":{"lengthMicros":1000000}}
{"atUnixNanos":103002000000,"errors":[{"operation":"READ","outcome":"failed","code":"E","count":300}]}
{"atUnixNanos":103100000000,"finish":{"operations":400}}
`
	totals := &Totals{}
	r := &Recording{Files: fstest.MapFS{"lines": {Data: []byte(lines)}}, MeasuredFrom: 102}
	if err := totals.readLines(r, "lines"); err != nil {
		t.Fatal(err)
	}
	if len(totals.Errors) != 1 || totals.Errors[0].Count != 321 || len(totals.Counted) != 1 || totals.Counted[0].Count != 300 {
		t.Errorf("%+v in all, and %+v after the warm-up", totals.Errors, totals.Counted)
	}
}

func TestWhatWasMeasuredBeginsAfterTheWarmUp(t *testing.T) {
	r := logged(t, "100 READ 10 1", "101 READ 10 2", "101 LAG 5 9", "103 READ 30 1", "103 READ-FAILED 7 3", "103 READ-UNKNOWN 7 2", "103 Intended-READ 9 3")
	totals, err := r.Totals()
	if err != nil {
		t.Fatal(err)
	}
	if ok, failed := totals.count("READ", ""), totals.Failed("READ"); ok != 3 || failed != 5 || len(totals.Histograms) != 3 {
		t.Errorf("%d ok, %d failed in %v", ok, failed, totals.Histograms)
	}
}

// A log may have a row of a second before one of the second before it.
func TestALoadHasAllSecondsOfItsLog(t *testing.T) {
	r := logged(t, "102 INSERT 10 1", "101 INSERT 10 2", "102 INSERT 10 4")
	r.MeasuredFrom = 0
	totals, err := r.Totals()
	if err != nil || totals.count("INSERT", "") != 7 {
		t.Errorf("%d of 7, %v", totals.count("INSERT", ""), err)
	}
}
