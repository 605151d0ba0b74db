package redis

import (
	"errors"
	"strings"
	"testing"

	"github.com/kvbench/kvbench/internal/stores"
)

const (
	primaryInfo = "# Server\r\nrun_id:abc\r\n# Replication\r\nrole:master\r\nconnected_slaves:2\r\nslave0:ip=b,port=1,state=online,offset=1,lag=0\r\n" +
		"master_repl_offset:1234\r\n# Persistence\r\nloading:0\r\n"
	replicaInfo = "role:slave\r\nmaster_host:a\r\nmaster_port:1\r\nmaster_link_status:up\r\nmaster_sync_in_progress:0\r\nslave_repl_offset:1200\r\nmaster_repl_offset:1200\r\nloading:0\r\n"
)

func TestAServersWordIsRead(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want info
	}{
		"a primary":          {primaryInfo, info{primary: true, run: "abc", offset: 1234}},
		"a replica":          {replicaInfo, info{follows: "a:1", linked: true, offset: 1200}},
		"one without a link": {strings.Replace(replicaInfo, "status:up", "status:down", 1), info{follows: "a:1", offset: 1200}},
		"one that copies":    {strings.Replace(replicaInfo, "progress:0", "progress:1", 1), info{follows: "a:1", offset: 1200}},
		"one that loads":     {"role:master\nloading:1\nmaster_repl_offset:0", info{primary: true, loading: true}},
	} {
		if got, err := readInfo(c.text); err != nil || got != c.want {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	for _, text := range []string{"", "role:king\nmaster_repl_offset:1", "role:master", "role:master\nmaster_repl_offset:-1", "role:master\nmaster_repl_offset:x"} {
		if got, err := readInfo(text); err == nil {
			t.Errorf("%q: %+v", text, got)
		}
	}
}

func FuzzReadInfo(f *testing.F) {
	f.Add(primaryInfo)
	f.Add(replicaInfo)
	f.Add("role:master\nrun_id:" + strings.Repeat("a", 1000))
	f.Fuzz(func(t *testing.T, text string) {
		in, err := readInfo(text)
		if err == nil && (in.primary == (in.follows != "") || len(in.run) > maxRun) {
			t.Fatalf("%+v", in)
		}
	})
}

func TestUsageIsOfTheProcessAndItsChildren(t *testing.T) {
	used, err := readUsage("# CPU\r\nused_cpu_sys:1.5\r\nused_cpu_user:2.25\r\nused_cpu_sys_children:0.125\r\nused_cpu_user_children:0.125\r\n" +
		"used_cpu_sys_main_thread:1.4\r\nused_memory_rss:4096\r\naof_current_size:17\r\naof_base_size:9\r\n")
	if err != nil || *used.CPUMicros != 4_000_000 || *used.ResidentBytes != 4096 || *used.DataBytes != 17 {
		t.Errorf("%+v, %v", used, err)
	}
	if used, err := readUsage("used_cpu_sys:1\r\naof_enabled:0\r\n"); err != nil || used.DataBytes != nil {
		t.Errorf("without a file: %+v, %v", used, err)
	}
	for _, text := range []string{"used_cpu_sys:NaN", "used_cpu_user:-1", "used_cpu_user:1e300", "used_memory_rss:-1", "aof_current_size:"} {
		if used, err := readUsage(text); err == nil {
			t.Errorf("%q is taken for %+v", text, used)
		}
	}
}

func FuzzReadUsage(f *testing.F) {
	f.Add("used_cpu_sys:1.5\r\nused_memory_rss:4096\r\naof_current_size:17\r\n")
	f.Fuzz(func(t *testing.T, text string) {
		used, err := readUsage(text)
		if err != nil {
			return
		}
		for _, count := range []*int64{used.CPUMicros, used.ResidentBytes, used.DataBytes} {
			if count != nil && *count < 0 {
				t.Errorf("%d in %q", *count, text)
			}
		}
	})
}

func TestAMemberIsHealthyWhenItIsInItsPlace(t *testing.T) {
	whole := word{address: "a:1", replicas: 2, sentinels: 2}
	primary, replica := info{primary: true}, info{follows: "a:1", linked: true}
	for name, c := range map[string]struct {
		seen    look
		role    string
		healthy bool
	}{
		"the primary":                     {look{info: primary, said: whole}, stores.MemberLeader, true},
		"a replica":                       {look{info: replica, said: whole}, stores.MemberFollower, true},
		"nobody":                          {look{err: errors.New("refused"), said: whole}, stores.MemberUnknown, false},
		"one that loads":                  {look{info: info{primary: true, loading: true}, said: whole}, stores.MemberLeader, false},
		"no Sentinel":                     {look{info: primary, unguarded: errors.New("refused")}, stores.MemberLeader, false},
		"a Sentinel that knows a few":     {look{info: primary, said: word{address: "a:1", replicas: 1, sentinels: 2}}, stores.MemberLeader, false},
		"a Sentinel that is alone":        {look{info: primary, said: word{address: "a:1", replicas: 2}}, stores.MemberLeader, false},
		"a replica without a link":        {look{info: info{follows: "a:1"}, said: whole}, stores.MemberFollower, false},
		"a replica of the one before":     {look{info: info{follows: "b:1", linked: true}, said: whole}, stores.MemberFollower, false},
		"a member alone":                  {look{info: primary, said: word{address: "a:1", replicas: 2, sentinels: 2}}, stores.MemberLeader, true},
		"a replica that nobody told else": {look{info: replica, said: word{address: "b:1", replicas: 2, sentinels: 2}}, stores.MemberFollower, false},
	} {
		if got := memberState(&c.seen, 2); got.Role != c.role || got.Healthy != c.healthy || got.Healthy != (got.Error == "") {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestTheTermRisesWithEachPrimary(t *testing.T) {
	o := &observer{names: []string{"x", "y"}, addresses: []string{"a:1", "b:1"}}
	led := func(by int, run string, epoch uint64) []look {
		looks := make([]look, 2)
		for i := range looks {
			looks[i] = look{info: info{follows: o.addresses[by]}, said: word{address: o.addresses[by], epoch: epoch}}
		}
		looks[by].info = info{primary: true, run: run}
		return looks
	}
	away := func(looks []look, member int) []look {
		looks[member].err = errors.New("refused")
		return looks
	}
	for i, c := range []struct {
		looks []look
		want  uint64
	}{
		{led(0, "1", 0), 1},
		{led(0, "1", 0), 1},
		{away(led(0, "1", 0), 0), 1},
		{led(0, "2", 0), 2}, // it is back as the primary
		{led(1, "3", 1), 3}, // a failover
		{led(0, "2", 0), 2}, // one that doesn't know of it yet
		{led(1, "3", 1), 3},
		{led(0, "4", 2), 4},
	} {
		states := o.judge(c.looks)
		if got := max(states[0].Term, states[1].Term); got != c.want {
			t.Errorf("%d: term %d, want %d", i, got, c.want)
		}
	}
}

// The Sentinel that has chosen says so before the others do. Until most say so, the leader that
// they name is the one before, and so is the term.
func TestTheTermRisesWhenMostSentinelsKnow(t *testing.T) {
	o := &observer{names: []string{"x", "y", "z"}, addresses: []string{"a:1", "b:1", "c:1"}}
	said := func(epochs ...uint64) []look {
		looks := make([]look, 3)
		for i, epoch := range epochs {
			looks[i] = look{err: errors.New("refused"), said: word{address: o.addresses[epoch], epoch: epoch}}
			if i > 0 { // the first server is dead, its Sentinel isn't
				looks[i].err, looks[i].info = nil, info{follows: o.addresses[epoch]}
			}
		}
		return looks
	}
	for i, c := range []struct {
		looks []look
		want  uint64
	}{
		{said(0, 0, 0), 1},
		{said(0, 1, 0), 1},
		{said(0, 1, 1), 2},
		{said(1, 1, 1), 2},
		{[]look{{unguarded: errors.New("refused")}, {unguarded: errors.New("refused")}, said(1, 1, 1)[2]}, 2},
	} {
		var got uint64
		for _, state := range o.judge(c.looks) {
			got = max(got, state.Term)
		}
		if got != c.want {
			t.Errorf("%d: term %d, want %d", i, got, c.want)
		}
	}
}
