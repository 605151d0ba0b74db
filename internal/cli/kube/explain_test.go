package kube

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kvbench/kvbench/internal/results/forward"
	"github.com/kvbench/kvbench/internal/results/wire"
)

func TestAnErrorSaysWhatToDo(t *testing.T) {
	runs := schema.GroupResource{Group: "kvbench.io", Resource: "benchmarkruns"}
	for _, c := range []struct {
		err  error
		want string
	}{
		{&meta.NoKindMatchError{GroupKind: schema.GroupKind{Group: "kvbench.io", Kind: "BenchmarkRun"}}, "docs/guide/install.md"},
		{apierrors.NewUnauthorized("no"), "credentials are no longer valid"},
		{apierrors.NewForbidden(runs, "a", errors.New("no rights")), "kvbench-user"},
		{fmt.Errorf("listing: %w", &net.OpError{Op: "dial", Err: errors.New("connection refused")}), "kubectl config current-context"},
	} {
		explained := Explain(c.err)
		if !strings.Contains(explained.Error(), c.want) || !errors.Is(explained, c.err) {
			t.Errorf("%v: %v", c.err, explained)
		}
	}
	for _, err := range []error{nil, context.Canceled, errors.New("something else")} {
		if Explain(err) != err {
			t.Errorf("%v: %v", err, Explain(err))
		}
	}
}

func TestOnlyWhatMayPassIsTriedAgain(t *testing.T) {
	for reason, want := range map[wire.Reason]bool{
		wire.ReasonUnavailable: false, wire.ReasonMerging: false, wire.ReasonUnauthenticated: false, wire.ReasonNotFound: true, wire.ReasonForbidden: true, wire.ReasonUnmergeable: true,
	} {
		if got := final(fmt.Errorf("fetching: %w", &forward.Refusal{Reason: reason})); got != want {
			t.Errorf("%s: %t", reason, got)
		}
	}
	if final(errors.New("connection reset")) {
		t.Error("a lost connection is final")
	}
	if !final(&forward.AccessError{}) {
		t.Error("missing rights are tried again")
	}
}
