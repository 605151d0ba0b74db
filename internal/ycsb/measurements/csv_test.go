package measurements

import (
	"bytes"
	"strings"
	"testing"
)

// An operation that takes long has its row after the rows of later seconds.
func TestTheTableHasEachSecondOnceAndInOrder(t *testing.T) {
	r := logged(t,
		"100 READ 10 1", "101 READ 10 2", "101 LAG 5 9", "102 READ 30 1", "101 READ 2000 1", "102 Intended-READ 40 1", "102 READ-FAILED 7 3", "103 UPDATE-UNKNOWN 8 1")
	var out bytes.Buffer
	if err := r.WriteCSV(&out, []float64{50, 99.9}); err != nil {
		t.Fatal(err)
	}
	want := strings.Join([]string{
		"unix_seconds,phase,operation,outcome,latency,operations,average_us,min_us,max_us,p50_us,p99.9_us",
		"100,warmup,READ,ok,service,1,10.0,10,10,10,10",
		"101,measurement,READ,ok,service,3,673.3,10,2000,10,2000",
		"102,measurement,READ,failed,service,3,7.0,7,7,7,7",
		"102,measurement,READ,ok,service,1,30.0,30,30,30,30",
		"102,measurement,READ,ok,response,1,40.0,40,40,40,40",
		"103,measurement,UPDATE,unknown,service,1,8.0,8,8,8,8",
		"",
	}, "\n")
	if out.String() != want {
		t.Errorf("wrote\n%swant\n%s", out.String(), want)
	}
	out.Reset()
	if err := r.WriteCSV(&out, []float64{50}, Column{"valid", "false"}); err != nil || !strings.Contains(out.String(), ",p50_us,valid\n100,warmup,READ,ok,service,1,10.0,10,10,10,false\n") {
		t.Errorf("%v, wrote\n%s", err, out.String())
	}
}
