package ycsb

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/plan"
)

// settled is `run etcd` with changes.
func settled(t *testing.T, change func(*Command)) *Settings {
	t.Helper()
	c := &Command{Store: "etcd", Arrivals: "poisson", OperationTimeout: 2 * time.Second, Seed: 7}
	change(c)
	s, err := Settle(c)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// file has the text, and is in a folder of its own.
func file(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func pairs(pairs ...string) func(*Command) { return func(c *Command) { c.Pairs = pairs } }

func TestACommandBecomesAPlan(t *testing.T) {
	schedule := file(t, "0,200\n1.5,50\n")
	requests := file(t, "7,READ,a,\n7.4,READ,b,\n7.5,READ,c,\n7.9,READ,d,\n9,READ,e,\n")
	for _, c := range []struct {
		name   string
		change func(*Command)
		want   func(p *plan.Plan, w *plan.Workload) bool
	}{
		{"closed loop", pairs("operationcount=5", "recordcount=9", "threadcount=3"), func(p *plan.Plan, w *plan.Workload) bool {
			return w.Operations == 5 && w.DurationMillis == 0 && w.Records == 9 && w.InsertBase == 9 && w.Load.Threads == 3 &&
				w.Load.Rate == 0 && !w.LoadFirst && p.Seed == 7 && w.Load.OperationTimeoutMillis == 2000
		}},
		{"open loop", func(c *Command) { c.Rate, c.RateSet, c.MaxInFlight = 1000, true, 50 }, func(_ *plan.Plan, w *plan.Workload) bool {
			return w.Load.Rate == 1000 && w.Load.Arrivals == plan.ArrivalsPoisson && w.Load.MaxInFlight == 50
		}},
		{"connections", func(c *Command) {
			c.Store, c.Rate, c.RateSet, c.Pairs = "redis", 1000, true, []string{"threadcount=20"}
		},
			func(_ *plan.Plan, w *plan.Workload) bool { return w.Load.Connections == 20 }},
		{"connections by number", func(c *Command) { c.Store, c.Rate, c.RateSet, c.Connections = "redis", 1000, true, 3 },
			func(_ *plan.Plan, w *plan.Workload) bool { return w.Load.Connections == 3 }},
		{"YCSB's target, whose threads have connections of their own", func(c *Command) { c.Store, c.Pairs = "redis", []string{"target=1000", "threadcount=32"} },
			func(_ *plan.Plan, w *plan.Workload) bool { return w.Load.Connections == 0 && w.Load.MaxInFlight == 32 }},
		{"a rate that changes", func(c *Command) { c.RateSchedule = schedule }, func(_ *plan.Plan, w *plan.Workload) bool {
			return w.Load.Rate == 200 && len(w.Load.Shape.Segments) == 2 && w.Load.Shape.Segments[0].Millis == 1500 &&
				w.Load.Shape.Segments[1].To == 50 && w.Load.Arrivals == plan.ArrivalsPoisson
		}},
		{"a trace, of which two requests are the warm-up's", func(c *Command) { c.Trace, c.Stretch, c.Warmup = requests, 2, time.Second },
			func(_ *plan.Plan, w *plan.Workload) bool {
				return w.Load.Rate == 2 && w.Load.Arrivals == plan.ArrivalsTrace && w.Load.Trace.Rows == 5 && w.Load.Trace.Stretch == 2 &&
					w.Operations == 3 && w.DurationMillis == 0
			}},
		{"a part of a trace", func(c *Command) {
			c.Trace, c.Stretch, c.Pairs = requests, 1, []string{"operationcount=4", "maxexecutiontime=9"}
		},
			func(_ *plan.Plan, w *plan.Workload) bool {
				return w.Operations == 4 && w.DurationMillis == 9000 && w.Load.Trace.Rows == 5
			}},
		{"a trace of fewer requests than operations", func(c *Command) { c.Trace, c.Stretch, c.Pairs = requests, 1, []string{"operationcount=1000"} },
			func(_ *plan.Plan, w *plan.Workload) bool { return w.Operations == 5 }},
		{"YCSB's target: no more under way than threads", pairs("target=1000", "threadcount=8"), func(_ *plan.Plan, w *plan.Workload) bool {
			return w.Load.Rate == 1000 && w.Load.Arrivals == plan.ArrivalsConstant && w.Load.MaxInFlight == 8
		}},
		{"time and operations", pairs("operationcount=5", "maxexecutiontime=60"), func(_ *plan.Plan, w *plan.Workload) bool {
			return w.Operations == 5 && w.DurationMillis == 60_000
		}},
		{"without an end", pairs(), func(_ *plan.Plan, w *plan.Workload) bool {
			return w.Operations == 0 && w.DurationMillis == 24*3600*1000
		}},
		{"load of a part", func(c *Command) {
			c.Load, c.Pairs = true, []string{"recordcount=5000000000", "insertstart=3000000000", "insertcount=10"}
		}, func(_ *plan.Plan, w *plan.Workload) bool {
			return w.LoadFirst && w.InsertStart == 3_000_000_000 && w.ToLoad() == 10 && w.DurationMillis == 0
		}},
		{"one endpoint by default", pairs(), func(p *plan.Plan, _ *plan.Workload) bool {
			return len(p.Store.Members) == 1 && p.Store.Members[0].Address == "localhost:2379" && p.Store.Mode == "linearizable" && p.Store.WholeRecord
		}},
		{"endpoints and a mode", pairs("etcd.endpoints=http://a:1/, b:2", "etcd.mode=serializable"), func(p *plan.Plan, _ *plan.Workload) bool {
			return len(p.Store.Members) == 2 && p.Store.Members[0].Address == "a:1" && p.Store.Members[1].Address == "b:2" &&
				p.Store.Members[1].Name == "etcd-1" && p.Store.Mode == "serializable" && p.Store.Promise == "Durable" && len(p.Store.Properties) == 0
		}},
		{"one server, as YCSB's client has it", func(c *Command) { c.Store, c.Pairs = "redis", []string{"redis.host=::1", "redis.port=1"} },
			func(p *plan.Plan, _ *plan.Workload) bool {
				return len(p.Store.Members) == 1 && p.Store.Members[0].Address == "[::1]:1" && len(p.Store.Properties) == 0
			}},
		{"one server at its usual port", func(c *Command) { c.Store, c.Pairs = "redis", []string{"redis.host=a"} },
			func(p *plan.Plan, _ *plan.Workload) bool { return p.Store.Members[0].Address == "a:6379" }},
		{"another store's properties are left out", pairs("basicdb.verbose=true"), func(p *plan.Plan, _ *plan.Workload) bool {
			return len(p.Store.Properties) == 0
		}},
		{"the store's own", func(c *Command) { c.Store, c.Pairs = "basic", []string{"basicdb.verbose=true", "etcd.mode=none"} },
			func(p *plan.Plan, _ *plan.Workload) bool {
				return len(p.Store.Members) == 0 && p.Store.Properties["verbose"] == "true" && len(p.Store.Properties) == 1
			}},
	} {
		p := settled(t, c.change).Plan("uid")
		if !c.want(p, &p.Workloads[0]) {
			t.Errorf("%s: %+v", c.name, p)
		}
	}
}

func TestOperationsAreIntendedWhereThePlanHasARate(t *testing.T) {
	schedule, requests := file(t, "0,5\n"), file(t, "0,READ,a,\n")
	for name, change := range map[string]func(*Command){
		"a closed loop": pairs(), "YCSB's target": pairs("target=5"),
		"a load":     func(c *Command) { c.Load, c.Pairs = true, []string{"target=5", "recordcount=9"} },
		"a rate":     func(c *Command) { c.Rate, c.RateSet = 5, true },
		"a schedule": func(c *Command) { c.RateSchedule = schedule },
		"a trace":    func(c *Command) { c.Trace, c.Stretch = requests, 1 },
	} {
		s := settled(t, change)
		if got, want := s.intends(), s.Plan("uid").Workloads[0].Load.Rate > 0; got != want {
			t.Errorf("%s: %v, and its plan says %v", name, got, want)
		}
	}
}

func TestAnOpenLoopShowsItsResponseTimesUnlessToldOtherwise(t *testing.T) {
	schedule, requests := file(t, "0,5\n"), file(t, "0,READ,a,\n")
	for _, c := range []struct {
		change func(*Command)
		want   string
	}{
		{pairs(), "op"},
		{pairs("target=5"), "op"},
		{func(c *Command) { c.Rate, c.RateSet = 5, true }, "both"},
		{func(c *Command) { c.RateSchedule = schedule }, "both"},
		{func(c *Command) { c.Trace, c.Stretch = requests, 1 }, "both"},
		{func(c *Command) { c.Rate, c.RateSet, c.Pairs = 5, true, []string{"measurement.interval=op"} }, "op"},
	} {
		if got := settled(t, c.change).client.MeasurementInterval; got != c.want {
			t.Errorf("measurement.interval=%s, want %s", got, c.want)
		}
	}
}

func TestAllThatIsWrongIsSaidInOneLine(t *testing.T) {
	_, err := Settle(&Command{Store: "etcd", Pairs: []string{"etcd.endpoint=x:1", "readproportion=-1", "zeropading=3"}, Arrivals: "poisson"})
	var bad BadInput
	if !errors.As(err, &bad) || strings.Contains(err.Error(), "\n") {
		t.Fatalf("%T: %v", err, err)
	}
	for _, want := range []string{`unknown property "etcd.endpoint"; etcd has etcd.endpoints, etcd.mode`, "readproportion", `did you mean "zeropadding"?`} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%v lacks %q", err, want)
		}
	}
}

func TestWhatTheStoreCanNotDoIsSaidWithItsPlace(t *testing.T) {
	second := file(t, "scanproportion=0.95\nreadproportion=0")
	_, err := Settle(&Command{Store: "memcached", Files: []string{second}, Arrivals: "poisson", OperationTimeout: time.Second})
	var bad BadInput
	if !errors.As(err, &bad) {
		t.Fatalf("%T: %v", err, err)
	}
	for _, want := range []string{second + ":1", "memcached in its mode sharded has no scan", "scanproportion=0"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%v lacks %q", err, want)
		}
	}
}

func TestExportsAreThoseOfTheOptionsAndTheProperties(t *testing.T) {
	for _, c := range []struct {
		options []string
		pairs   []string
		want    []export
	}{
		{nil, nil, []export{{FormatText, ""}}},
		{[]string{"csv"}, nil, []export{{FormatCSV, ""}}},
		{[]string{"csv=a", "ycsb-json"}, nil, []export{{FormatCSV, "a"}, {FormatJSON, ""}}},
		{nil, []string{"exportfile=b"}, []export{{FormatText, "b"}}},
		{[]string{"hlog"}, []string{"exporter=site.ycsb.measurements.exporter.JSONMeasurementsExporter", "exportfile=b"},
			[]export{{FormatHlog, ""}, {FormatJSONObjects, "b"}}},
	} {
		s := settled(t, func(command *Command) { command.Exports, command.Pairs = c.options, c.pairs })
		if !slices.Equal(s.exports, c.want) {
			t.Errorf("%v and %v: %v, want %v", c.options, c.pairs, s.exports, c.want)
		}
	}
}

func TestOnlyARunWithoutABoundIsEndless(t *testing.T) {
	for _, c := range []struct {
		change func(*Command)
		want   bool
	}{
		{pairs(), true},
		{pairs("target=5"), true},
		{pairs("operationcount=5"), false},
		{pairs("maxexecutiontime=86400"), false},
		{func(c *Command) { c.Load, c.Pairs = true, []string{"recordcount=5"} }, false},
	} {
		if s := settled(t, c.change); s.endless() != c.want {
			t.Errorf("%v: endless %v", s.Pairs, !c.want)
		}
	}
}

func TestTheStartIsAFullSecondAhead(t *testing.T) {
	for from, want := range map[int64]int64{0: 0, 1: 1e9, 1e9: 1e9, 1e9 + 1: 2e9} {
		if got := nextSecond(from); got != want {
			t.Errorf("%d: %d, want %d", from, got, want)
		}
	}
}

func TestNoFileHoldsASecret(t *testing.T) {
	s := settled(t, func(c *Command) {
		c.Store, c.Pairs = "postgresql", []string{"pg.password=a secret", "pg.user=me"}
	})
	p := s.Plan("uid")
	if p.Store.Properties["password"] != "a secret" {
		t.Errorf("the driver gets %v", p.Store.Properties)
	}
	if shown := s.shown(p).Store.Properties; shown["password"] != "(hidden)" || shown["user"] != "me" {
		t.Errorf("the file gets %v", shown)
	}
}
