package rate

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/plan"
)

func TestAScheduleIsRead(t *testing.T) {
	shape, err := ParseSchedule("day.csv", strings.NewReader("\ufeffseconds,rate\n# at night\n0,100\n\n10.5, 0\r\n 12 ,2500.5\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := []plan.Segment{{From: 100, To: 100, Millis: 10_500}, {Millis: 1500}, {From: 2500.5, To: 2500.5, Millis: 1}}
	if !reflect.DeepEqual(shape.Segments, want) {
		t.Errorf("%+v", shape.Segments)
	}
	if r := Of(&plan.Load{Shape: shape}); math.Abs(r.Due(14*time.Second)-(1050+2*2500.5)) > 1e-6 {
		t.Errorf("%g are due after 14 s", r.Due(14*time.Second))
	}
}

func TestABrokenScheduleIsRefusedWithItsLine(t *testing.T) {
	for _, c := range []struct{ text, says string }{
		{"", `day.csv: no line of "seconds,rate"`},
		{"seconds,rate\n", `day.csv: no line`},
		{"0,0\n", "day.csv: a rate that is 0 all the time"},
		{"5,100\n", "day.csv:1: the first step begins after 5 s"},
		{"0,100\n10,5\n10,6\n", "day.csv:3: the step at 10 s is not later"},
		{"0,100\nten,5\n", `day.csv:2: "ten" are not seconds`},
		{"0,100\n10,many\n", `day.csv:2: "many" is not a rate`},
		{"0,NaN\n", `"NaN" is not a rate`},
		{"0,-1\n", `"-1" is not a rate`},
		{"0,1e9\n", `"1e9" is not a rate`},
		{"0,100\n1e9,5\n", `"1e9" are not seconds`},
		{"0\n", `"0" is not "seconds,rate"`},
		{"0,1\n\nseconds,rate\n", "day.csv:3"},
		{strings.Repeat("1", maxScheduleLine+1), "day.csv:1: bufio.Scanner: token too long"},
	} {
		if _, err := ParseSchedule("day.csv", strings.NewReader(c.text)); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%q: %v, want %q", c.text, err, c.says)
		}
	}
	var long strings.Builder
	for i := range MaxSegments + 1 {
		fmt.Fprintf(&long, "%d,1\n", i)
	}
	if _, err := ParseSchedule("day.csv", strings.NewReader(long.String())); err == nil || !strings.Contains(err.Error(), "day.csv:1001: more than 1000 steps") {
		t.Errorf("too many steps: %v", err)
	}
}

// Whatever is read is a rate that can be driven: what is due grows, and is found again.
func FuzzSchedule(f *testing.F) {
	f.Add("seconds,rate\n0,100\n10,0\n20,5.5\n")
	f.Add("0,1e-300\n0.001,1\n")
	f.Add("#\n0,0\n86400,1")
	f.Fuzz(func(t *testing.T, text string) {
		shape, err := ParseSchedule("x", strings.NewReader(text))
		if err != nil {
			return
		}
		if err := Check(shape); err != nil {
			t.Fatal(err)
		}
		r := Of(&plan.Load{Shape: shape, WarmupMillis: 1000})
		last := time.Duration(0)
		for n := range 20 {
			at := r.When(float64(n))
			if at < last {
				t.Errorf("%d are due at %v, after %v", n, at, last)
			}
			last = at
		}
	})
}
