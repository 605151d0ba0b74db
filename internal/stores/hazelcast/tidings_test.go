package hazelcast

import (
	"encoding/binary"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kvbench/kvbench/internal/stores"
)

// raftBlob has the term of a member of the group, and its role.
func raftBlob(role string, term uint64) []byte {
	words := dictionaryOf("default", "name", "raft.group", "role", role, "term")
	metric := []byte{0}
	for _, word := range []int32{2, 5, -1, -1} {
		metric = binary.BigEndian.AppendUint32(metric, uint32(word))
	}
	metric = append(metric, 0, 0, 2) // unit, targets, tags
	for _, word := range []uint32{1, 0, 3, 4} {
		metric = binary.BigEndian.AppendUint32(metric, word)
	}
	metric = binary.BigEndian.AppendUint64(append(metric, metricLong), term)
	return blobOf(metricsVersion, words, metric, 1)
}

// teller is a fake member that has the metrics it is given, one after the other.
func teller(t *testing.T, blobs <-chan []byte) *member {
	next := int64(0)
	return newMember(t, 1, func(m *message, reply *builder) bool {
		if m.kind() != kindReadMetrics {
			t.Errorf("a request of kind %x", m.kind())
		}
		if asked := int64(binary.LittleEndian.Uint64(m.frames[0].content[offsetRequest+bytesUUID:])); asked != next {
			t.Errorf("asked for metrics from %d on, want %d", asked, next)
		}
		blob, ok := <-blobs
		if !ok {
			return false
		}
		next++
		binary.LittleEndian.PutUint64(beginReply(reply, m, 8), uint64(next))
		reply.frame(flagBegin, 0)
		reply.bytes(blob)
		reply.frame(flagEnd, 0)
		reply.end()
		return true
	})
}

func TestAMemberIsWhatItLastSaidWhileItHasNoNews(t *testing.T) {
	blobs := make(chan []byte)
	f := teller(t, blobs)
	t.Cleanup(func() { close(blobs) })
	o, err := Observe(stores.Config{Mode: ModeCP, Addresses: []string{f.address}, Names: []string{"a"}})
	if err != nil {
		t.Fatal(err)
	}
	is := func(role string, term uint64) {
		t.Helper()
		deadline := time.Now().Add(5 * time.Second)
		for {
			state := o.Sample(t.Context(), time.Second)[0]
			if state.Role == role && state.Term == term {
				return
			}
			if time.Now().After(deadline) {
				t.Fatalf("%+v, want %v in term %d", state, role, term)
			}
		}
	}
	is(stores.MemberAlike, 0)
	blobs <- raftBlob("LEADER", 3)
	is(stores.MemberLeader, 3)
	is(stores.MemberLeader, 3)
	blobs <- raftBlob("FOLLOWER", 4)
	is(stores.MemberFollower, 4)
	if used := o.(stores.Meter).Usage(t.Context(), time.Second); len(used) != 1 || used[0].Member != "a" || used[0].Process != (uuid{low: 1}).process() {
		t.Errorf("usage %+v", used)
	}
	if used := o.(stores.Meter).Usage(t.Context(), time.Second); len(used) != 0 {
		t.Errorf("usage without news: %+v", used)
	}
	blobs <- []byte("no metrics")
	is(stores.MemberAlike, 0)
	// The member has nothing to say, and isn't waited for.
	ended := make(chan error)
	go func() { ended <- o.Close() }()
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(5 * time.Second):
		t.Error("the end waits for metrics")
	}
}

func TestWhatAMemberUsesHasItsAge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		told := &tidings{used: &stores.Usage{}, came: time.Now()}
		time.Sleep(1500 * time.Millisecond)
		if used := told.usage(); used == nil || used.Age != 1500*time.Millisecond {
			t.Errorf("%+v", used)
		}
		if used := told.usage(); used != nil {
			t.Errorf("the same again: %+v", used)
		}
	})
}
