package workload

import (
	"strings"
	"testing"

	"github.com/kvbench/kvbench/internal/workload/propertyfile"
)

func TestAWrongPropertyOfAFileIsNamedWithItsLine(t *testing.T) {
	values, places := map[string]string{}, map[string]string{}
	for name, file := range map[string]string{
		"workloads/a": "# A\nrecordcount=1000\nfieldlength=\\\n  long\nfeildcount=5\n",
		"b":           "\nthreadcount=none\n",
	} {
		if err := propertyfile.Add(strings.NewReader(file), name, values, places); err != nil {
			t.Fatal(err)
		}
	}
	values["zeropadding"] = "x" // not from a file
	_, _, err := ParseClient(values)
	if got, want := Locate(err, places).Error(), `b:2: property threadcount="none": must be a whole number from 1 to 1024`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	delete(values, "threadcount")
	_, rest, err := ParseClient(values)
	if err != nil {
		t.Fatal(err)
	}
	_, err = Parse(rest, FromCommandLine())
	want := `workloads/a:5: unknown property "feildcount"; did you mean "fieldcount"?
workloads/a:3: property fieldlength="long": must be a whole number from 1 to 52428800
property zeropadding="x": must be a whole number from 0 to 256`
	if got := Locate(err, places).Error(); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	if err := Locate(nil, places); err != nil {
		t.Errorf("nothing is wrong: %v", err)
	}
}
