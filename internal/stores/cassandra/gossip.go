package cassandra

import (
	"fmt"
	"strings"

	gocql "github.com/apache/cassandra-gocql-driver/v2"

	"github.com/kvbench/kvbench/internal/stores"
)

// maxLag is how far a member's heartbeat may be ahead of what another one has heard of it. It
// grows by one a second, and by one for each other news. Cassandra's failure detector gives a
// member up after 18 s of silence, where heartbeats came once a second (phi_convict_threshold 8).
const maxLag = 15

// peer is what a member has heard of one, itself among them (system_views.gossip_info).
type peer struct {
	generation int    // of its process: its start, in seconds since 1970
	heartbeat  int    // counts from the start on
	status     string // NORMAL and others, with tokens behind a comma
}

// view is all that a member has heard, by the others' ids.
type view struct {
	id    gocql.UUID
	peers map[string]peer
	// strangers may log in, and are not to.
	strangers []string
}

// hear takes one more row. Of a member that was there under another address before, the older
// row stays for a while.
func (v *view) hear(id string, one peer) {
	if before, there := v.peers[id]; !there || before.generation <= one.generation {
		v.peers[id] = one
	}
}

// complaint says what keeps the member from seeing all others that answer, whose views these
// are, by member, nil for those that don't; "" is nothing. Whether one is alive its own answer
// says: the other has to have heard of the same process, not long ago.
func (v *view) complaint(views []*view, names []string) string {
	if len(v.strangers) > 0 {
		return "it lets others log in: " + strings.Join(v.strangers, ", ")
	}
	if own, there := v.peers[v.id.String()]; !there || !own.normal() {
		return "it is no normal member of its ring"
	}
	if inRing := v.normals(); inRing > len(views) {
		return stores.TooManyMembers(inRing, len(views))
	}
	for i, other := range views {
		if other == nil || other == v {
			continue
		}
		heard, known := v.peers[other.id.String()]
		is := other.peers[other.id.String()]
		switch {
		case !known || heard.generation != is.generation:
			return fmt.Sprintf("it has not heard of %s since that started", names[i])
		case !heard.normal():
			return fmt.Sprintf("it takes %s for no normal member", names[i])
		case is.heartbeat-heard.heartbeat > maxLag:
			return fmt.Sprintf("it has not heard of %s for %d heartbeats", names[i], is.heartbeat-heard.heartbeat)
		}
	}
	return ""
}

// normals is how many normal members it has heard of, itself among them.
func (v *view) normals() (count int) {
	for _, one := range v.peers {
		if one.normal() {
			count++
		}
	}
	return count
}

func (p peer) normal() bool {
	status, _, _ := strings.Cut(p.status, ",")
	return status == "NORMAL"
}
