package junit

import "testing"

func TestUnknownOpensNoGate(t *testing.T) {
	got, err := Document("n/gate", []Case{
		{Class: "n/gate", Name: "errors at most 0.1 %", Verdict: "Passed"},
		{Class: "n/gate", Name: "p99 of READ at most 20ms", Verdict: "Failed", Message: `30 ms in workload "a<b"`},
		{Class: "n/gate", Name: "records lost 0", Verdict: "Unknown", Message: "there was no fault"},
		{Class: "n/gate", Name: "of a later version", Verdict: "Perhaps"},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := `<?xml version="1.0" encoding="UTF-8"?>
<testsuite name="n/gate" tests="4" failures="1" errors="2">
  <testcase classname="n/gate" name="errors at most 0.1 %"></testcase>
  <testcase classname="n/gate" name="p99 of READ at most 20ms">
    <failure type="Failed" message="30 ms in workload &#34;a&lt;b&#34;"></failure>
  </testcase>
  <testcase classname="n/gate" name="records lost 0">
    <error type="Unknown" message="there was no fault"></error>
  </testcase>
  <testcase classname="n/gate" name="of a later version">
    <error type="Unknown" message=""></error>
  </testcase>
</testsuite>
`
	if string(got) != want {
		t.Errorf("%s", got)
	}
}
