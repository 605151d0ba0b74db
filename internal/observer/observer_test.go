package observer

import (
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/results/client"
	"github.com/kvbench/kvbench/internal/results/wire"
	"github.com/kvbench/kvbench/internal/stores"
)

func listen(t *testing.T) net.Listener {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	return listener
}

// observe runs an observer until it is ready, then ends it.
func observe(t *testing.T, options Options) {
	t.Helper()
	listener := listen(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- run(ctx, options, &members{states: threeLedBy("m-0")}, listener) }()
	deadline := time.Now().Add(10 * time.Second)
	for {
		answer, err := http.Get("http://" + listener.Addr().String() + "/readyz")
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(answer.Body)
		answer.Body.Close()
		if answer.StatusCode == http.StatusOK {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("not ready: %s", body)
		}
		select {
		case err := <-ended:
			t.Fatalf("ended: %v", err)
		case <-time.After(10 * time.Millisecond):
		}
	}
	cancel()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
}

func TestObserverClaimsRecordsAndShipsUntilItIsEnded(t *testing.T) {
	away := &client.Error{Status: http.StatusServiceUnavailable}
	server := &server{failures: []error{away, away}}
	options := testOptions(t, server)
	observe(t, options)
	if len(server.claims) != 1 || server.claims[0] != options.Writer {
		t.Errorf("claims: %v", server.claims)
	}
	if !server.ended {
		t.Error("the file has no end mark")
	}
	lines := parseLines(t, server.content.String())
	if len(lines) == 0 || lines[0].Leader != "m-0" || !lines[0].Steady || lines[0].Clock == nil {
		t.Errorf("the server has %+v", lines)
	}
}

func TestARestartedObserverGoesOnWithItsFile(t *testing.T) {
	server := &server{}
	options := testOptions(t, server)
	observe(t, options)
	first := server.content.String()
	server.content.Reset() // the server lost all of it
	observe(t, options)
	if got := server.content.String(); !strings.HasPrefix(got, first) || len(got) == len(first) {
		t.Errorf("first\n%s\nthen\n%s", first, got)
	}
}

func TestARefusalForGoodEndsTheObserver(t *testing.T) {
	options := testOptions(t, &server{failures: []error{&client.Error{Status: http.StatusForbidden}}})
	err := run(t.Context(), options, &members{states: threeLedBy("m-0")}, listen(t))
	if err == nil || !strings.Contains(err.Error(), "begin to observe") {
		t.Fatalf("%v", err)
	}
}

func TestTheObserverOfARunThatIsRetainedWaits(t *testing.T) {
	reported := &client.Error{Status: http.StatusConflict, Problem: wire.Problem{Reason: wire.ReasonReported}}
	options := testOptions(t, &server{failures: []error{reported}})
	ctx, end := context.WithCancel(t.Context())
	options.Say = func(format string, _ ...any) {
		if strings.Contains(format, "nothing more to observe") {
			end()
		}
	}
	if err := run(ctx, options, &members{states: threeLedBy("m-0")}, listen(t)); err != nil || ctx.Err() == nil {
		t.Errorf("it ended by itself: %v", err)
	}
}

func TestAnUnknownStoreCannotBeObserved(t *testing.T) {
	options := testOptions(t, &server{})
	options.Plan.Store.Driver = "abacus"
	options.Writer = bundle.Writer{Role: bundle.RoleObserver, PodUID: "x"}
	if err := Run(t.Context(), options); err == nil || !strings.Contains(err.Error(), `"abacus"`) {
		t.Fatalf("%v", err)
	}
}

// An observer sets up members of the run's own alone, so it has to know whose they are.
func TestMembersOfOthersAreObservedAsSuch(t *testing.T) {
	held := &stores.Credentials{Password: "x"}
	for name, of := range map[string]plan.Store{
		"the run's":           {},
		"an existing cluster": {Existing: true},
		"an own chart":        {OwnChart: &plan.OwnChart{}},
	} {
		options := testOptions(t, &server{})
		options.Plan.Store.Existing, options.Plan.Store.OwnChart = of.Existing, of.OwnChart
		got := configOf(options.Plan, held)
		if others := of.Existing || of.OwnChart != nil; got.Shared != others || got.Credentials != held || len(got.Names) != len(options.Plan.Store.Members) || len(got.Addresses) != len(got.Names) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
