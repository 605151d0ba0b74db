package live

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/bundle"
	"github.com/kvbench/kvbench/internal/stores"
)

// topology has members a, b and so on with these roles, and as many terms.
func topology(at time.Time, roles ...string) *bundle.TopologyLine {
	line := &bundle.TopologyLine{AtUnixNanos: at.UnixNano(), Term: uint64(len(roles))}
	for i, role := range roles {
		line.Members = append(line.Members, stores.MemberState{Name: string(rune('a' + i)), Role: role, Healthy: role != stores.MemberUnknown})
	}
	return line
}

func TestTheMembersAreWhatAnObserverSawLast(t *testing.T) {
	line := func(at time.Time, roles ...string) string {
		text, err := json.Marshal(topology(at, roles...))
		if err != nil {
			t.Fatal(err)
		}
		return string(text) + "\n"
	}
	long := topology(start, "leader")
	long.Members[0].Name = strings.Repeat("x", 300)
	longText, err := json.Marshal(long)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		what  string
		files map[string]string // by the UID of the observer
		want  string            // JSON of the members
		term  uint64
		age   int64
	}{
		{what: "the last line", want: `[{"name":"a","role":"leader","up":true},{"name":"b","role":"unknown","up":false}]`, term: 2,
			files: map[string]string{podUID: line(start.Add(-time.Second), "follower") + line(start, "leader", "unknown")}},
		{what: "a line that is being written", want: `[{"name":"a","role":"follower","up":true}]`, term: 1, age: 1000,
			files: map[string]string{podUID: line(start.Add(-time.Second), "follower") + `{"atUnix`}},
		{what: "an observer that took another one's place", want: `[{"name":"a","role":"leader","up":true}]`, term: 1, age: 1000,
			files: map[string]string{podUID: line(start.Add(-5*time.Second), "follower", "leader"), pod2UID: line(start.Add(-time.Second), "leader")}},
		{what: "an observer that is silent", want: "null",
			files: map[string]string{podUID: line(start.Add(-topologyAge-time.Second), "leader")}},
		{what: "no JSON", want: "null", files: map[string]string{podUID: line(start, "leader") + "nonsense\n"}},
		{what: "a name that is too long", want: "null", files: map[string]string{podUID: string(longText) + "\n"}},
		{what: "too many members", want: "null", files: map[string]string{podUID: line(start, slices.Repeat([]string{"leader"}, 17)...)}},
	} {
		t.Run(c.what, func(t *testing.T) {
			f := folder{}
			for uid, text := range c.files {
				f[observerFile(uid)] = []byte(text)
			}
			told := f.at(t, nil, 0)
			members, err := json.Marshal(told.Members)
			if err != nil || string(members) != c.want || told.Term != c.term || told.MembersAgeMillis != c.age {
				t.Errorf("%s in term %d, %d ms old, %v; want %s in %d, %d ms", members, told.Term, told.MembersAgeMillis, err, c.want, c.term, c.age)
			}
		})
	}
}
