package postgresql

import (
	"errors"
	"strings"
	"testing"

	"github.com/kvbench/kvbench/internal/stores"
)

func TestAMemberIsWhatItsAnswerSays(t *testing.T) {
	o := &observer{names: map[string]string{"a.svc:5432": "a"}, quorum: 1}
	for name, c := range map[string]struct {
		said string
		want stores.MemberState
	}{
		"a primary with its quorum": {"f|1|1000||||1|on|ANY 1 (x, y)|on", stores.MemberState{Role: stores.MemberLeader, Healthy: true, Term: 1, Commit: 1000, Leader: "m"}},
		"a primary without":         {"f|2|1000||||0|on|ANY 1 (x, y)|on", stores.MemberState{Role: stores.MemberLeader, Term: 2, Commit: 1000, Leader: "m", Error: "0 synchronous standbys of 1"}},
		"a standby that streams":    {"t|1|900|streaming|a.svc|5432|0|on|ANY 1 (x, y)|on", stores.MemberState{Role: stores.MemberFollower, Healthy: true, Term: 1, Commit: 900, Leader: "a"}},
		"a standby that doesn't":    {"t|1|900||||0|on|ANY 1 (x, y)|on", stores.MemberState{Role: stores.MemberFollower, Term: 1, Commit: 900, Error: "it doesn't stream from the primary"}},
		"a standby that begins":     {"t|1||waiting|a.svc|5432|0|on|ANY 1 (x, y)|on", stores.MemberState{Role: stores.MemberFollower, Term: 1, Error: "it doesn't stream from the primary"}},
		"a standby of a stranger's": {"t|1|900|streaming|x|1|0|on|ANY 1 (x, y)|on", stores.MemberState{Role: stores.MemberFollower, Term: 1, Commit: 900, Error: "it streams from x:1, which is no member"}},
	} {
		c.want.Name = "m"
		if got, err := o.state("m", strings.Split(c.said, "|")); err != nil || got != c.want {
			t.Errorf("%s: %+v, %v\nwant %+v", name, got, err, c.want)
		}
	}
	for _, said := range []string{"x|1|1||||0|on||on", "f||1||||0|on||on", "f|1|-1||||0|on||on", "f|1|1|||||on||on", "f|1|1e9||||0|on||on"} {
		if got, err := o.state("m", strings.Split(said, "|")); !errors.Is(err, errAnswer) || got.Role != stores.MemberUnknown {
			t.Errorf("%s: %+v, %v", said, got, err)
		}
	}
}

func TestAPrimaryThatPromisesLessIsNotWell(t *testing.T) {
	for _, c := range []struct {
		quorum        uint64
		commit, names string
		want          string
	}{
		{2, "on", "ANY 2 (a, b, c, d)", ""},
		{2, "remote_write", "FIRST 3 (a, b, c, d)", ""},
		{2, "remote_apply", ` any 2("a","b")`, ""},
		{2, "on", "2 (*)", ""},
		{1, "on", "*", ""},
		{0, "local", "", ""},
		{0, "off", "", "synchronous_commit is off: an acknowledged write isn't on the disk"},
		{1, "off", "ANY 1 (*)", "synchronous_commit is off: an acknowledged write isn't on the disk"},
		{1, "local", "ANY 1 (*)", "synchronous_commit is local: a write waits for no standby"},
		{2, "on", "ANY 1 (a, b, c, d)", "a write waits for 1 standbys by synchronous_standby_names, and not for 2"},
		{2, "on", "a, b, c", "a write waits for 1 standbys by synchronous_standby_names, and not for 2"},
		{1, "on", " ", "a write waits for 0 standbys by synchronous_standby_names, and not for 1"},
	} {
		o := &observer{quorum: c.quorum}
		if got := o.unsafe(9, c.commit, c.names, "on"); got != c.want {
			t.Errorf("%d, %s, %q: %q, want %q", c.quorum, c.commit, c.names, got, c.want)
		}
	}
}

func TestOthersPrimariesHaveToWaitForTheirDisks(t *testing.T) {
	for _, c := range []struct {
		shared bool
		fsync  string
		want   string
	}{
		{true, "off", "fsync is off: an acknowledged write isn't on the disk"}, {true, "on", ""},
		{false, "off", ""}, // nobody's chart, but that of a test
	} {
		if got := (&observer{shared: c.shared}).unsafe(0, "on", "", c.fsync); got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
}

func TestOnlyASizeIsOne(t *testing.T) {
	if got := bytesOf("30000000"); got == nil || *got != 30_000_000 {
		t.Error(got)
	}
	for _, text := range []string{"", "-1", "1e9", "9223372036854775808"} {
		if got := bytesOf(text); got != nil {
			t.Errorf("%q: %d", text, *got)
		}
	}
}
