package main

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
)

func TestAChildIsMeasured(t *testing.T) {
	used, err := child(t.Context(), []string{"sh", "-c", "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; echo done"})
	if err != nil {
		t.Fatal(err)
	}
	if used.output != "done\n" || used.cpu <= 0 || used.peakBytes < 100_000 {
		t.Errorf("%+v", used)
	}
}

func TestAChildEndsInTimeWithAllItStarted(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	begin := time.Now()
	// The grandchild holds the output open: Run would wait for it.
	_, err := child(ctx, []string{"sh", "-c", "sleep 300 & sleep 300"})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v", err)
	}
	if took := time.Since(begin); took > 4*time.Second {
		t.Errorf("it took %v", took)
	}
}

func TestWhatAFailedChildSaidIsShown(t *testing.T) {
	_, err := child(t.Context(), []string{"sh", "-c", "echo no such store >&2; exit 2"})
	if err == nil || !strings.Contains(err.Error(), "no such store") {
		t.Errorf("error %v", err)
	}
}
