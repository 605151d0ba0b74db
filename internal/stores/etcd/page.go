package etcd

import (
	"crypto/sha1" //nolint:gosec // it is what etcd names its members with
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
)

// defaultToken is etcd's --initial-cluster-token.
const defaultToken = "etcd-cluster"

// page is what a member says at its peer port, /members, of all members. It is of its own state:
// one that has just begun says there what its flags do.
type page []pageMember

type pageMember struct {
	ID         uint64   `json:"id"`
	Name       string   `json:"name"`
	PeerURLs   []string `json:"peerURLs"`
	ClientURLs []string `json:"clientURLs"`
}

func parsePage(from io.Reader) (page, error) {
	var told page
	if err := json.NewDecoder(from).Decode(&told); err != nil {
		return nil, fmt.Errorf("read the members: %w", err)
	}
	return told, nil
}

// isFirst says that the cluster is being made: no member has told yet where its clients reach it,
// and each has the ID that a new cluster's has.
func (p page) isFirst(token string) bool {
	return !slices.ContainsFunc(p, func(m pageMember) bool {
		return len(m.ClientURLs) > 0 || m.ID != firstID(m.PeerURLs, token)
	})
}

// firstID is the ID of a new cluster's member, as computeMemberID of etcd's
// server/etcdserver/api/membership has it. One that was added later has the time in it, too.
func firstID(peerURLs []string, token string) uint64 {
	sorted := slices.Sorted(slices.Values(peerURLs))
	sum := sha1.Sum([]byte(strings.Join(sorted, "") + token)) //nolint:gosec // as above
	return binary.BigEndian.Uint64(sum[:8])
}

// clientsOf is where clients reach members, each once.
func clientsOf(pages []page) []string {
	var clients []string
	for _, told := range pages {
		for _, member := range told {
			clients = append(clients, member.ClientURLs...)
		}
	}
	slices.Sort(clients)
	return slices.Compact(clients)
}
