package suites

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/suite/manifest"
)

// replace is a disk that doesn't sync.
func replace(dir, name string, content io.Reader) error {
	text, err := io.ReadAll(content)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, name), text, 0o600)
}

// clock is one that a test sets.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

func open(t *testing.T, dir string, c *clock) *Store {
	t.Helper()
	s, err := Open(dir, replace, c.now, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func uidOf(i int) string { return fmt.Sprintf("00000000-0000-4000-8000-%012d", i) }

// document of a suite with one valid run, and one that isn't.
func document(t *testing.T, uid string, complete bool) []byte {
	t.Helper()
	text, err := json.Marshal(&manifest.Manifest{
		Format: manifest.Format, Suite: manifest.Name{UID: uid}, Complete: complete, Blocks: 1, Combinations: [][]manifest.Label{{}},
		Trials: []manifest.Trial{{Attempts: []manifest.Attempt{{UID: "lost of " + uid, Outcome: manifest.Failed}, {UID: "run of " + uid, Outcome: manifest.Valid}}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func put(t *testing.T, s *Store, uid string, complete bool) {
	t.Helper()
	if err := s.Put(uid, document(t, uid, complete)); err != nil {
		t.Fatal(err)
	}
}

func TestTheRunsOfSuitesUnderWayAreWanted(t *testing.T) {
	c := &clock{at: time.Now()}
	dir := t.TempDir()
	s := open(t, dir, c)
	put(t, s, uidOf(1), false)
	c.at = c.at.Add(time.Hour)
	put(t, s, uidOf(2), true)
	if got := s.Wanted(); !slices.Equal(got, []string{"run of " + uidOf(2), "run of " + uidOf(1)}) {
		t.Errorf("%q: the verdict of a suite that has just ended is still to be asked for", got)
	}
	c.at = c.at.Add(settledFor + time.Second)
	put(t, s, uidOf(3), false)
	want := []string{"run of " + uidOf(3), "run of " + uidOf(1)}
	if got := s.Wanted(); !slices.Equal(got, want) {
		t.Errorf("%q, want those of the suite that was changed last first", got)
	}
	if got := open(t, dir, c).Wanted(); !slices.Equal(got, want) {
		t.Errorf("after a restart: %q", got)
	}
	c.at = c.at.Add(wantedFor)
	if got := s.Wanted(); !slices.Equal(got, want[:1]) {
		t.Errorf("after 30 days: %q", got)
	}
}

func TestTheRunsOfASearchAreWanted(t *testing.T) {
	s := open(t, t.TempDir(), &clock{at: time.Now()})
	m := shop(uidOf(1), trial(0, 0, run("a", manifest.Valid, false)))
	m.Axes = append(m.Axes, manifest.Axis{Name: manifest.SearchAxis, Values: []string{manifest.Holds, manifest.Misses}})
	for i := range m.Combinations {
		m.Combinations[i] = append(m.Combinations[i], manifest.Label{Axis: manifest.SearchAxis, Value: m.Axes[1].Values[i]})
	}
	// That of an earlier version has no name of a run, and doesn't say which combination is absent.
	m.Search = &manifest.Search{Found: []manifest.Found{{With: m.Combinations[0][:1], Holds: &manifest.Point{Rate: 100}, Tried: []manifest.Tried{
		{Rate: 50, Kept: true}, {Rate: 100, Kept: true, Run: "s-c1-at100", UID: "tried"},
	}}}}
	keepManifest(t, s, m)
	if got := s.Wanted(); !slices.Equal(got, []string{"a", "tried"}) {
		t.Errorf("%q", got)
	}
	kept, err := s.Manifest(uidOf(1))
	if err != nil || !kept.Search.Absent(1) || kept.Search.Absent(0) {
		t.Errorf("%+v, %v", kept, err)
	}
}

func TestSuitesMakeRoomThatNeedTheirRunsNoMore(t *testing.T) {
	c := &clock{at: time.Now()}
	s := open(t, t.TempDir(), c)
	for i := range MaxSuites {
		put(t, s, uidOf(i), false)
	}
	if err := s.Put(uidOf(MaxSuites), document(t, uidOf(MaxSuites), false)); !errors.Is(err, ErrFull) {
		t.Errorf("one more: %v", err)
	}
	put(t, s, uidOf(7), true)
	put(t, s, uidOf(MaxSuites), false)
	if _, err := s.Manifest(uidOf(7)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the complete suite is still there: %v", err)
	}
	c.at = c.at.Add(2 * wantedFor)
	put(t, s, uidOf(MaxSuites+1), false) // nobody has told of the others for long
}

func TestASuiteThatIsToldOfAgainGetsNoYounger(t *testing.T) {
	c := &clock{at: time.Now()}
	s := open(t, t.TempDir(), c)
	put(t, s, uidOf(1), true)
	c.at = c.at.Add(time.Hour)
	put(t, s, uidOf(1), true)
	if err := s.Sweep(30 * time.Minute); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Manifest(uidOf(1)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("it is still there: %v", err)
	}
}

func TestManifestsThatContradictThemselvesAreRefused(t *testing.T) {
	s := open(t, t.TempDir(), &clock{at: time.Now()})
	for what, text := range map[string]string{
		"no JSON":                     `{`,
		"another format":              `{"format":3,"suite":{"uid":"u"}}`,
		"a search without its axis":   `{"format":1,"suite":{"uid":"u"},"search":{"objectives":[],"texts":[],"found":[]}}`,
		"a rate with too many labels": `{"format":1,"suite":{"uid":"u"},"axes":[{"name":"search","values":["holds"]}],"combinations":[[{"axis":"search","value":"holds"}]],"search":{"objectives":[],"texts":[],"found":[{"with":[{"axis":"a","value":"b"}]}]}}`,
		"a rate of no combination":    `{"format":1,"suite":{"uid":"u"},"axes":[{"name":"search","values":["holds"]}],"combinations":[[{"axis":"search","value":"holds"}]],"search":{"objectives":[],"texts":[],"found":[{"with":[],"holds":{"rate":1,"combination":7}}]}}`,
		"no suite":                    `{"format":1}`,
		"another suite":               `{"format":1,"suite":{"uid":"v"}}`,
		"an empty axis":               `{"format":1,"suite":{"uid":"u"},"axes":[{"name":"a"}]}`,
		"a label too many":            `{"format":1,"suite":{"uid":"u"},"combinations":[[{"axis":"a","value":"b"}]]}`,
		"a trial of no one":           `{"format":1,"suite":{"uid":"u"},"combinations":[[]],"blocks":1,"trials":[{"block":0,"combination":1}]}`,
		"a trial before":              `{"format":1,"suite":{"uid":"u"},"combinations":[[]],"blocks":1,"trials":[{"block":-1,"combination":0}]}`,
	} {
		var disk *DiskError
		if err := s.Put("u", []byte(text)); err == nil || errors.As(err, &disk) || errors.Is(err, ErrFull) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func TestADamagedManifestDoesNotKeepOthersFromBeingServed(t *testing.T) {
	c := &clock{at: time.Now()}
	dir := t.TempDir()
	put(t, open(t, dir, c), uidOf(1), false)
	if err := os.WriteFile(filepath.Join(dir, uidOf(2)+suffix), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := open(t, dir, c).Wanted(); len(got) != 1 {
		t.Errorf("%q", got)
	}
}
