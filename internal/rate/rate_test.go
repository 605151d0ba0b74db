package rate

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/plan"
)

const warmup = 2 * time.Second

func shaped(shape plan.Shape) Rate {
	return Of(&plan.Load{Rate: Peak(&shape), Shape: &shape, WarmupMillis: warmup.Milliseconds()})
}

var shapes = map[string]plan.Shape{
	"steps":               {Segments: []plan.Segment{{From: 100, To: 100, Millis: 10_000}, {From: 2000, To: 2000, Millis: 500}, {From: 50, To: 50, Millis: 1000}}},
	"a ramp":              {Segments: []plan.Segment{{From: 10, To: 1000, Millis: 30_000}}},
	"a ramp from nothing": {Segments: []plan.Segment{{From: 0, To: 1000, Millis: 30_000}}},
	"a ramp down":         {Segments: []plan.Segment{{From: 1000, To: 0, Millis: 30_000}, {From: 3, To: 3, Millis: 1}}},
	"a pause":             {Segments: []plan.Segment{{From: 100, To: 100, Millis: 1000}, {Millis: 5000}, {From: 100, To: 100, Millis: 1000}}},
	"a sine":              {Sine: &plan.Sine{Mean: 500, Amplitude: 400, PeriodMillis: 7000}},
	"a sine down to 0":    {Sine: &plan.Sine{Mean: 500, Amplitude: 500, PeriodMillis: 7000}},
	"nearly flat":         {Segments: []plan.Segment{{From: 1000, To: 1000.000001, Millis: 86_400_000}}},
}

// The integral of the rate, by Simpson's rule over small steps, is what is due.
func TestDueIsTheIntegralOfTheRate(t *testing.T) {
	for name, shape := range shapes {
		r := shaped(shape)
		const step = time.Millisecond
		var sum float64
		for at := time.Duration(0); at < 40*time.Second; at += step {
			sum += (r.At(at) + 4*r.At(at+step/2) + r.At(at+step-1)) / 6 * step.Seconds()
			if at%time.Second == 0 && math.Abs(r.Due(at+step)-sum) > 0.01 {
				t.Fatalf("%s: %.4f due after %v, the integral is %.4f", name, r.Due(at+step), at+step, sum)
			}
		}
	}
}

func TestWhenIsTheInverseOfDue(t *testing.T) {
	for name, shape := range shapes {
		r := shaped(shape)
		last := time.Duration(-1)
		for n := 0.0; n < 5000; n += 0.37 {
			at := r.When(n)
			if at < last {
				t.Fatalf("%s: %.2f are due at %v, after %v", name, n, at, last)
			}
			last = at
			// A nanosecond too early, at the highest rate.
			if off := r.Due(at) - n; math.Abs(off) > 1e-4 {
				t.Fatalf("%s: %.2f are due at %v, and then %.6f are", name, n, at, r.Due(at))
			}
		}
	}
}

func TestARateIsWhatItsShapeSays(t *testing.T) {
	for _, c := range []struct {
		shape string
		at    time.Duration // after the warm-up
		rate  float64
		due   float64 // since the warm-up
	}{
		{"steps", -time.Second, 100, -100},
		{"steps", 5 * time.Second, 100, 500},
		{"steps", 10 * time.Second, 2000, 1000},
		{"steps", 10_250 * time.Millisecond, 2000, 1500},
		{"steps", 20 * time.Second, 50, 2000 + 9.5*50},
		{"a ramp", -time.Second, 10, -10},
		{"a ramp", 15 * time.Second, 505, 15 * (10 + 505) / 2.},
		{"a ramp", 40 * time.Second, 1000, 30*505 + 10*1000},
		{"a ramp down", 15 * time.Second, 500, 15 * 750},
		{"a pause", 3 * time.Second, 0, 100},
		{"a pause", 6500 * time.Millisecond, 100, 150},
		{"a sine", 7 * time.Second, 500, 3500},
		{"a sine", 1750 * time.Millisecond, 900, 500*1.75 + 400*7/(2*math.Pi)},
	} {
		r := shaped(shapes[c.shape])
		if got := r.At(warmup + c.at); math.Abs(got-c.rate) > 1e-6 {
			t.Errorf("%s: the rate after %v is %g, want %g", c.shape, c.at, got, c.rate)
		}
		if got := r.Due(warmup+c.at) - r.Due(warmup); math.Abs(got-c.due) > 1e-6 {
			t.Errorf("%s: %g are due after %v, want %g", c.shape, got, c.at, c.due)
		}
	}
}

func TestNothingIsDueInAPauseOrAfterTheEnd(t *testing.T) {
	pause := shaped(shapes["a pause"])
	if at := pause.When(300); at != warmup+6*time.Second {
		t.Errorf("the first after the pause is due at %v", at)
	}
	over := shaped(plan.Shape{Segments: []plan.Segment{{From: 10, To: 10, Millis: 1000}, {From: 10, To: 0, Millis: 1000}}})
	if at := over.When(20 + 10 + 5); at != Never {
		t.Errorf("one is due at %v, after the rate fell to 0 for ever", at)
	}
	if at := Flat(1e-300).When(1); at != Never {
		t.Errorf("one is due at %v", at)
	}
}

func TestNothingDrifts(t *testing.T) {
	// A day of 7 s periods: the n-th of each period is due at the same place of it.
	r := shaped(plan.Shape{Sine: &plan.Sine{Mean: 1000, Amplitude: 900, PeriodMillis: 7000}})
	const periods = 12_000
	first, last := r.When(2000+1234), r.When(2000+1234+7000*periods)
	if drift := last - first - periods*7*time.Second; drift.Abs() > time.Microsecond {
		t.Errorf("%v of drift in a day", drift)
	}
}

func TestBadShapesAreRefused(t *testing.T) {
	for _, c := range []struct {
		shape plan.Shape
		says  string
	}{
		{plan.Shape{}, "one of the two"},
		{plan.Shape{Segments: []plan.Segment{{From: 1, To: 1, Millis: 1}}, Sine: &plan.Sine{Mean: 1, PeriodMillis: 1}}, "one of the two"},
		{plan.Shape{Segments: make([]plan.Segment, MaxSegments+1)}, "1001 parts"},
		{plan.Shape{Segments: []plan.Segment{{From: -1, To: 1, Millis: 1}}}, "part 1 has a rate of -1"},
		{plan.Shape{Segments: []plan.Segment{{From: 1, To: math.NaN(), Millis: 1}}}, "a rate of NaN"},
		{plan.Shape{Segments: []plan.Segment{{From: 1, To: math.Inf(1), Millis: 1}}}, "a rate of +Inf"},
		{plan.Shape{Segments: []plan.Segment{{From: 1, To: 1}}}, "lasts 0 ms"},
		{plan.Shape{Segments: []plan.Segment{{Millis: 1000}}}, "0 all the time"},
		{plan.Shape{Sine: &plan.Sine{PeriodMillis: 1}}, "mean rate of 0"},
		{plan.Shape{Sine: &plan.Sine{Mean: 1, Amplitude: 2, PeriodMillis: 1}}, "amplitude of 2"},
		{plan.Shape{Sine: &plan.Sine{Mean: 1, Amplitude: 1}}, "period of 0"},
	} {
		if err := Check(&c.shape); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%+v: %v, want %q", c.shape, err, c.says)
		}
	}
	for name, shape := range shapes {
		if err := Check(&shape); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func BenchmarkSineWhen(b *testing.B) {
	r := shaped(shapes["a sine"])
	n := 0.0
	for b.Loop() {
		r.When(n)
		n += 1
	}
}
