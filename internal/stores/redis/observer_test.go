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
	used, err := readUsage("# Server\r\nrun_id:abc\r\n# CPU\r\nused_cpu_sys:1.5\r\nused_cpu_user:2.25\r\nused_cpu_sys_children:0.125\r\nused_cpu_user_children:0.125\r\n" +
		"used_cpu_sys_main_thread:1.4\r\nused_memory_rss:4096\r\naof_current_size:17\r\naof_base_size:9\r\n")
	if err != nil || *used.CPUMicros != 4_000_000 || *used.ResidentBytes != 4096 || *used.DataBytes != 17 || used.Process != stores.ProcessOf("abc") {
		t.Errorf("%+v, %v", used, err)
	}
	if used, err := readUsage("run_id:abc\r\n"); err != nil || used.CPUMicros != nil {
		t.Errorf("nobody told of processor time: %+v, %v", used, err)
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

func TestAPrimaryThatItsSentinelDoesNotNameIsNotHealthy(t *testing.T) {
	o := &observer{names: []string{"x", "y"}, addresses: []string{"a:1", "b:1"}}
	named := word{address: "b:1", replicas: 1, sentinels: 1}
	states := o.judge([]look{{info: info{primary: true}, said: named}, {info: info{primary: true}, said: named}})
	if states[0].Healthy || !strings.Contains(states[0].Error, "names y") || states[0].Role != stores.MemberLeader {
		t.Errorf("the deposed one: %+v", states[0])
	}
	if !states[1].Healthy {
		t.Errorf("the one that is named: %+v", states[1])
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

// A failover ends the connections of each server that it gives a new role, and the primary before
// is dead: their Sentinels name the leader all the same, and the term that it has.
func TestWhoNamesALeaderTellsItsTerm(t *testing.T) {
	o := &observer{names: []string{"x", "y"}, addresses: []string{"a:1", "b:1"}}
	refused := errors.New("refused")
	for name, c := range map[string]struct {
		seen   look
		leader string
		term   uint64
	}{
		"a server and its Sentinel": {look{info: info{follows: "a:1"}, said: word{address: "a:1"}}, "x", 1},
		"after a failover":          {look{info: info{follows: "b:1"}, said: word{address: "b:1", epoch: 1}}, "y", 2},
		"no server":                 {look{err: refused, said: word{address: "b:1", epoch: 1}}, "y", 2},
		"no Sentinel":               {look{info: info{follows: "a:1"}, unguarded: refused}, "", 0},
		"neither":                   {look{err: refused, unguarded: refused}, "", 0},
	} {
		states := o.judge([]look{c.seen, {err: refused, unguarded: refused}})
		if got := states[0]; got.Leader != c.leader || got.Term != c.term {
			t.Errorf("%s: leader %q, term %d, want %q, %d", name, got.Leader, got.Term, c.leader, c.term)
		}
	}
}
