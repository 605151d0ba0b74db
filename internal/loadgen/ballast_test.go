package loadgen

import (
	"math"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

// The collector's work is the whole process's, so each half has a process of its own.
const ballastChild = "KVBENCH_TEST_BALLAST"

var garbage []byte

func TestWithTheBallastGarbageIsCollectedSeldom(t *testing.T) {
	if side := os.Getenv(ballastChild); side != "" {
		alone := residentKiB(t)
		if side == "with" {
			b := &ballast{room: true}
			b.look(collectsOften + 1)
			runtime.GC()
			defer runtime.KeepAlive(b)
		}
		t.Logf("taken=%d", max(0, residentKiB(t)-alone))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range 4 << 10 {
			garbage = make([]byte, 256<<10)
		}
		runtime.ReadMemStats(&after)
		t.Logf("collections=%d", after.NumGC-before.NumGC)
		return
	}
	t.Parallel()
	without, _ := ballastRun(t, "without")
	with, takenKiB := ballastRun(t, "with")
	// 1 GiB of garbage.
	if most := int64(1<<30/ballastBytes + 2); with > most || without < 4*with {
		t.Errorf("%d collections with the ballast and %d without, want at most %d, and a quarter", with, without, most)
	}
	if takenKiB > ballastBytes/4>>10 {
		t.Errorf("the ballast takes %d KiB", takenKiB)
	}
}

func TestTheBallastIsTakenOnWhereThereIsRoom(t *testing.T) {
	for limit, want := range map[int64]bool{math.MaxInt64: true, ballastRoom: true, ballastRoom - 1: false} {
		s := newSelf(nil, limit)
		for range collectsOften + 1 {
			runtime.GC()
		}
		s.since()
		if taken := s.ballast.held != nil; taken != want {
			t.Errorf("with a limit of %d bytes: taken on %v", limit, taken)
		}
	}
}

func TestTheBallastIsTakenOnWhereMuchGarbageIsMade(t *testing.T) {
	b := &ballast{room: true, seen: 1000}
	b.look(1000 + collectsOften)
	if b.held != nil {
		t.Error("there is a ballast where collections are few")
	}
	b.look(1000 + 2*collectsOften + 1)
	if len(b.held) != ballastBytes {
		t.Errorf("the ballast is %d bytes", len(b.held))
	}
	held := &b.held[0]
	b.look(2000)
	if &b.held[0] != held {
		t.Error("the ballast is another one")
	}
}

// ballastRun is how often garbage was collected, and how many KiB the ballast took before there was any.
func ballastRun(t *testing.T, side string) (collections, takenKiB int64) {
	t.Helper()
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	child.Env = append(os.Environ(), ballastChild+"="+side)
	out, err := child.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return number(t, string(out), "collections="), number(t, string(out), "taken=")
}

func number(t *testing.T, text, before string) int64 {
	t.Helper()
	_, rest, _ := strings.Cut(text, before)
	n, err := strconv.ParseInt(strings.Fields(rest + " -")[0], 10, 64)
	if err != nil {
		t.Fatalf("%s: %v in\n%s", before, err, text)
	}
	return n
}

// residentKiB is VmRSS: proc(5).
func residentKiB(t *testing.T) int64 {
	t.Helper()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	return number(t, string(status), "VmRSS:")
}
