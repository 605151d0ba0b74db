package suites

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/results/wire"
	"github.com/kvbench/kvbench/internal/suite/findings"
	"github.com/kvbench/kvbench/internal/suite/fingerprint"
)

func someBaseline() *findings.Baseline {
	return &findings.Baseline{Format: findings.BaselineFormat, Combinations: []findings.BaselineCombination{{Fingerprints: []fingerprint.Print{{}}}}}
}

func TestANamespaceFillsNobodyElsesBaselines(t *testing.T) {
	s := open(t, t.TempDir(), &clock{at: time.Now()})
	for i := range MaxBaselinesOfNamespace {
		if err := s.KeepBaseline("noisy", fmt.Sprintf("b%d", i), someBaseline()); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.KeepBaseline("noisy", "one-more", someBaseline()); !errors.Is(err, ErrFullBaselines) {
		t.Errorf("one more: %v", err)
	}
	if err := s.KeepBaseline("noisy", "b7", someBaseline()); err != nil {
		t.Errorf("in the place of one: %v", err)
	}
	if err := s.KeepBaseline("quiet", "main", someBaseline()); err != nil {
		t.Errorf("of another namespace: %v", err)
	}
	if _, err := s.Baseline("quiet", "b7"); !errors.Is(err, ErrNoBaseline) {
		t.Errorf("another namespace's: %v", err)
	}
}

func TestBaselinesOfSuitesThatAreForgottenGo(t *testing.T) {
	dir, c := t.TempDir(), &clock{at: time.Now()}
	s := open(t, dir, c)
	document, err := someBaseline().JSON()
	if err != nil {
		t.Fatal(err)
	}
	for _, uid := range []string{uidOf(1), uidOf(2)} {
		if _, err := s.Pin(uid, "team", map[string]wire.BaselineAsk{"main": {Document: document}}); err != nil {
			t.Fatal(err)
		}
	}
	put(t, s, uidOf(1), false)
	c.at = c.at.Add(wantedFor - time.Minute)
	for _, pass := range []struct{ later, left int }{{0, 2}, {2, 1}} {
		c.at = c.at.Add(time.Duration(pass.later) * time.Minute)
		if err := s.Sweep(0); err != nil {
			t.Fatal(err)
		}
		if left, err := filepath.Glob(filepath.Join(dir, "*"+pinnedSuffix)); err != nil || len(left) != pass.left {
			t.Errorf("%d minutes later: %q, %v, want %d", pass.later, left, err, pass.left)
		}
	}
}

func TestBaselinesThatMakeNoSenseAreNotPinned(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, &clock{at: time.Now()})
	for want, ask := range map[string]wire.BaselineAsk{
		"can't be read": {}, "is it the file baseline.json of a suite?": {Document: []byte(`{}`)},
		"and can have 2097152": {Document: []byte(strings.Repeat(" ", MaxBaselineBytes+1))}, "no suite has kept its figures": {Kept: true},
	} {
		if _, err := s.Pin(uidOf(1), "team", map[string]wire.BaselineAsk{"main": ask}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if _, err := os.Stat(s.pinnedPath(uidOf(1))); !errors.Is(err, os.ErrNotExist) {
		t.Error("something is pinned")
	}
}
