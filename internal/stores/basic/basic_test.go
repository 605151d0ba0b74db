package basic

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/stores"
)

func sessionOf(t *testing.T, properties map[string]string, out *strings.Builder) stores.Session {
	t.Helper()
	d, err := open(properties, out)
	if err != nil {
		t.Fatal(err)
	}
	s, err := d.NewSession()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// The lines are those of YCSB 0.17's BasicDB.
func TestOperationsArePrintedAsBasicDBDoes(t *testing.T) {
	values := []stores.Field{{Name: "field0", Value: []byte("=P=$2")}, {Name: "field1", Value: []byte("a b")}}
	for want, op := range map[string]stores.Op{
		"READ usertable user1 [ <all fields>]\n":               {Kind: stores.Read},
		"READ usertable user1 [ field0 field1 ]\n":             {Kind: stores.Read, Fields: []string{"field0", "field1"}},
		"SCAN usertable user1 7 [ <all fields>]\n":             {Kind: stores.Scan, Count: 7},
		"SCAN usertable user1 7 [ field0 ]\n":                  {Kind: stores.Scan, Count: 7, Fields: []string{"field0"}},
		"INSERT usertable user1 [ field0==P=$2 field1=a b ]\n": {Kind: stores.Insert, Values: values},
		"UPDATE usertable user1 [ field0==P=$2 ]\n":            {Kind: stores.Update, Values: values[:1]},
		"UPDATE usertable user1 [ ]\n":                         {Kind: stores.Update},
		"DELETE usertable user1\n":                             {Kind: stores.Delete},
	} {
		var out strings.Builder
		op.Table, op.Key, op.Deadline = "usertable", []byte("user1"), time.Now().Add(time.Minute)
		if err := sessionOf(t, map[string]string{"verbose": "true"}, &out).Do(&op); err != nil {
			t.Fatal(err)
		}
		if out.String() != want {
			t.Errorf("printed %q, want %q", out.String(), want)
		}
	}
}

func TestByDefaultNothingIsDoneAtNoCost(t *testing.T) {
	var out strings.Builder
	s, op := sessionOf(t, nil, &out), stores.Op{Kind: stores.Insert}
	allocated := testing.AllocsPerRun(100, func() {
		if err := s.Do(&op); err != nil {
			t.Fatal(err)
		}
	})
	if _, ok := s.(idle); !ok || allocated != 0 || out.Len() > 0 {
		t.Errorf("a session %T that allocates %v times and prints %q", s, allocated, out.String())
	}
}

func TestAnOperationTakesTheSimulatedDelayButNeverOutlivesItsDeadline(t *testing.T) {
	var out strings.Builder
	for _, c := range []struct {
		delay, randomize string
		within           time.Duration
		least            time.Duration
		overdue          bool
	}{
		{"20", "false", time.Minute, 20 * time.Millisecond, false},
		{"1", "true", time.Minute, 0, false}, // from 0 up to 1, without 1
		{"600000", "false", 20 * time.Millisecond, 20 * time.Millisecond, true},
	} {
		s := sessionOf(t, map[string]string{"simulatedelay": c.delay, "randomizedelay": c.randomize}, &out)
		begin := time.Now()
		err := s.Do(&stores.Op{Kind: stores.Insert, Deadline: begin.Add(c.within)})
		if took := time.Since(begin); took < c.least || took > 10*time.Second {
			t.Errorf("%+v: took %v", c, took)
		}
		var known *stores.Error
		if overdue := errors.As(err, &known) && known.Outcome == stores.Failed; overdue != c.overdue {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

func TestPropertiesThatMakeNoSenseAreRefused(t *testing.T) {
	for name, value := range map[string]string{
		"verbose": "yes", "randomizedelay": "", "simulatedelay": "-1", "count": "true",
	} {
		var out strings.Builder
		if _, err := open(map[string]string{name: value}, &out); err == nil || !strings.Contains(err.Error(), "basicdb."+name) {
			t.Errorf("%s=%q: %v", name, value, err)
		}
	}
}
