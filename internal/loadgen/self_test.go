package loadgen

import (
	"math"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

func setStat(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestThrottlingIsReadFromEitherCgroup(t *testing.T) {
	dir := t.TempDir()
	v2, v1 := filepath.Join(dir, "v2"), filepath.Join(dir, "v1")
	setStat(t, v2, "usage_usec 5\nnr_throttled 1\nthrottled_usec 7000\n")
	setStat(t, v1, "nr_periods 5\nnr_throttled 1\nthrottled_time 7000000\n")
	for _, path := range []string{v2, v1} {
		s := newSelf([]string{filepath.Join(dir, "none"), path}, math.MaxInt64)
		if got := s.since().throttledMicros; got == nil || *got != 0 {
			t.Errorf("%s: %v before anything happened", path, got)
		}
		setStat(t, path, "throttled_usec 9500\n")
		if got := s.since().throttledMicros; got == nil || *got != 2500 {
			t.Errorf("%s: throttled for %v µs, want 2500", path, got)
		}
	}
}

// A pod's quota is above that of its container, which has none.
func TestTheQuotaOfAGroupAboveIsSeen(t *testing.T) {
	dir := t.TempDir()
	own, pod := filepath.Join(dir, "own"), filepath.Join(dir, "pod")
	setStat(t, own, "usage_usec 5\nthrottled_usec 100\n")
	setStat(t, pod, "usage_usec 5\nthrottled_usec 7000\n")
	s := newSelf([]string{own, pod}, math.MaxInt64)
	setStat(t, own, "usage_usec 5\nthrottled_usec 300\n")
	setStat(t, pod, "usage_usec 5\nthrottled_usec 207000\n")
	if got := s.since().throttledMicros; got == nil || *got != 200_000 {
		t.Errorf("throttled for %v µs, want 200,000", got)
	}
}

func TestAQuotaThatNobodyTellsIsNotNone(t *testing.T) {
	if got := newSelf([]string{filepath.Join(t.TempDir(), "none")}, math.MaxInt64).since().throttledMicros; got != nil {
		t.Errorf("throttled for %d µs, and nothing says so", *got)
	}
}

func TestTheCollectorsWorkIsSeen(t *testing.T) {
	s := newSelf(nil, math.MaxInt64)
	for range 20 {
		runtime.GC()
	}
	if got := s.since().gcCPUMicros; got <= 0 {
		t.Errorf("20 collections took %d µs", got)
	}
}
