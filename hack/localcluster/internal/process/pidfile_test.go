package process

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

func TestStatIsParsedWhateverTheNameHolds(t *testing.T) {
	rest := " S 7 1 1 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 123456 999 321 18446744073709551615"
	cases := map[string]struct {
		line string
		name string
		ok   bool
	}{
		"plain":                  {"42 (etcd)" + rest, "etcd", true},
		"blanks and brackets":    {"42 (a) b (c)" + rest, "a) b (c", true},
		"cut short":              {"42 (etcd) S 7", "", false},
		"no name":                {"42 etcd S 7", "", false},
		"empty":                  {"", "", false},
		"brackets the wrong way": {"42 )etcd(" + rest, "", false},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := parseStat(c.line)
			if (err == nil) != c.ok {
				t.Fatalf("error %v", err)
			}
			if want := (Stat{Name: c.name, State: 'S', Parent: 7, Start: 123456, Pages: 321}); c.ok && got != want {
				t.Errorf("got %+v, want %+v", got, want)
			}
		})
	}
}

func TestOnlyTheVeryProcessCountsAsAlive(t *testing.T) {
	me, err := Identify(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	reused, rebooted := me, me
	reused.Start++
	rebooted.Boot = "another"
	for name, c := range map[string]struct {
		id   Identity
		want bool
	}{
		"itself":                       {me, true},
		"a pid that was given away":    {reused, false},
		"a pid file from another boot": {rebooted, false},
		"a pid that nobody has":        {Identity{Pid: 1 << 30, Boot: me.Boot}, false},
	} {
		if got := c.id.Alive(); got != c.want {
			t.Errorf("%s: alive is %v", name, got)
		}
	}
	if since := time.Since(me.Started()); since < 0 || since > time.Hour {
		t.Errorf("this test began %s ago", since)
	}
}

func TestAZombieIsNotAlive(t *testing.T) {
	cmd := exec.Command("true")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	id, err := Identify(cmd.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(5 * time.Second); id.Alive(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("it is not reaped, has ended, and counts as alive")
		}
	}
	_ = cmd.Wait()
}

func TestStopEndsTheProcessOfThePidFileAndNoOther(t *testing.T) {
	dir := t.TempDir()
	cmd := exec.Command("sleep", "60")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { _ = cmd.Wait(); close(ended) }()
	defer func() { _ = cmd.Process.Kill() }()
	id, err := Identify(cmd.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}

	stale := id
	stale.Start--
	if err := stale.save(filepath.Join(dir, "stale.pid")); err != nil {
		t.Fatal(err)
	}
	if err := Stop(dir, "stale", time.Second); err != nil {
		t.Fatal(err)
	}
	if !id.Alive() {
		t.Fatal("a stale pid file ended a stranger")
	}

	if err := id.save(filepath.Join(dir, "own.pid")); err != nil {
		t.Fatal(err)
	}
	if got := List(dir); len(got) != 1 || got[0] != "own" {
		t.Errorf("pid files: %v", got)
	}
	if err := Stop(dir, "own", 5*time.Second); err != nil {
		t.Fatal(err)
	}
	<-ended
	if len(List(dir)) != 0 {
		t.Error("the pid file is left")
	}
	if err := Stop(dir, "own", time.Second); err != nil {
		t.Errorf("stopping what isn't there: %v", err)
	}
}
