package etcd

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"google.golang.org/grpc/credentials"

	"github.com/kvbench/kvbench/internal/stores"
)

const (
	joinPause = time.Second
	// joinQuiet is how long none of the others may run before a new cluster is made: a container
	// that was killed is away for less.
	joinQuiet = 10 * time.Second
)

// Join returns the command that starts this member, from the one that would make a new cluster.
//
// etcd's members are refused for ever when they come back without their data: they may have
// promised what they don't know any more. So such a member leaves the cluster, and is taken in as
// another one, before it starts. The others have to have a quorum for it. It waits for them while
// they don't answer, until ctx ends. held are those of their root user; nil where they have no users.
// say takes a line about the waiting.
func Join(ctx context.Context, command []string, held *stores.Credentials, say func(format string, args ...any)) ([]string, error) {
	return joinAfter(ctx, joinQuiet, command, held, say)
}

func joinAfter(ctx context.Context, quiet time.Duration, command []string, held *stores.Credentials, say func(format string, args ...any)) ([]string, error) {
	j, err := newJoin(command, held)
	if err != nil {
		return nil, err
	}
	j.quiet = quiet
	if hasData(j.dataDir) {
		return command, nil
	}
	for {
		done, err := j.step(ctx, say)
		switch {
		case ctx.Err() != nil:
			return nil, fmt.Errorf("joining the cluster: %w", context.Cause(ctx))
		case err != nil:
			say("waiting to join the cluster: %v", err)
		case done != nil:
			return done, nil
		default:
			continue
		}
		select {
		case <-ctx.Done():
		case <-time.After(joinPause):
		}
	}
}

type join struct {
	command                 []string
	dataDir, peerURL, token string
	others                  []string // peer URLs
	peers                   *http.Client
	clients                 credentials.TransportCredentials
	held                    *stores.Credentials // nil: nobody asks for a user

	quiet      time.Duration
	aloneSince time.Time // since when none of the others was seen to run; zero while one is
	added      uint64    // the ID under which this call took the member in
}

// hasData says whether the member has a log: what the flags say of the cluster counts for nothing
// then.
func hasData(folder string) bool {
	logs, err := filepath.Glob(filepath.Join(folder, "member", "wal", "*.wal"))
	return err == nil && len(logs) > 0
}

// step does one thing; command is how to start, if that is clear.
func (j *join) step(ctx context.Context, say func(format string, args ...any)) (command []string, err error) {
	pages, err := j.pages(ctx)
	if len(pages) > 0 || err != nil {
		j.aloneSince = time.Time{}
	}
	if slices.ContainsFunc(pages, func(p page) bool { return !p.isFirst(j.token) }) {
		return j.enter(ctx, clientsOf(pages), say)
	}
	if err != nil {
		return nil, err
	}
	if len(pages) > 0 || len(j.others) == 0 {
		return j.command, nil
	}
	if j.aloneSince.IsZero() {
		j.aloneSince = time.Now()
	}
	if alone := time.Since(j.aloneSince); alone < j.quiet {
		return nil, fmt.Errorf("no other member has run for %s", alone.Round(time.Second))
	}
	return j.command, nil
}

// entry is what a member does next about its place in a cluster that exists.
type entry int

const (
	entryStart  entry = iota
	entryAdd          // it has no place
	entryRemove       // its place may be of one that has run, and whose data are gone
	entryWait         // another one is being taken in, and etcd compares its flags with the cluster
)

// nextEntry decides it from what a majority of the others agrees on. added is the ID under which
// this start took the member in, 0 if it didn't, and size how many members there are to be.
func nextEntry(listed []*pb.Member, peerURL string, added uint64, size int) (next entry, id uint64) {
	i := slices.IndexFunc(listed, func(m *pb.Member) bool { return slices.Contains(m.GetPeerURLs(), peerURL) })
	switch {
	case i < 0:
		return entryAdd, 0
	case listed[i].GetID() != added:
		return entryRemove, listed[i].GetID()
	case len(listed) != size:
		return entryWait, 0
	}
	return entryStart, 0
}

// enter takes the member in.
func (j *join) enter(ctx context.Context, clients []string, say func(format string, args ...any)) (command []string, err error) {
	var listed []*pb.Member
	if err := j.ask(ctx, clients, func(ctx context.Context, cluster pb.ClusterClient) error {
		answer, err := cluster.MemberList(ctx, &pb.MemberListRequest{Linearizable: true})
		listed = answer.GetMembers()
		return err
	}); err != nil {
		return nil, err
	}
	next, id := nextEntry(listed, j.peerURL, j.added, len(j.others)+1)
	switch next {
	case entryAdd:
		say("adding this member to the cluster")
		return nil, j.ask(ctx, clients, func(ctx context.Context, cluster pb.ClusterClient) error {
			answer, err := cluster.MemberAdd(ctx, &pb.MemberAddRequest{PeerURLs: []string{j.peerURL}})
			j.added = answer.GetMember().GetID()
			return err
		})
	case entryRemove:
		say("the cluster has this member as %x, whose data are gone: removing it", id)
		return nil, j.ask(ctx, clients, func(ctx context.Context, cluster pb.ClusterClient) error {
			_, err := cluster.MemberRemove(ctx, &pb.MemberRemoveRequest{ID: id})
			return err
		})
	case entryWait:
		return nil, fmt.Errorf("the cluster has %d of %d members: another one is being taken in, too", len(listed), len(j.others)+1)
	}
	return withExisting(j.command), nil
}

// Start becomes etcd, as Join says.
func Start(ctx context.Context, command []string, held *stores.Credentials, say func(format string, args ...any)) error {
	joined, err := Join(ctx, command, held, say)
	if err != nil {
		return err
	}
	if err := syscall.Exec(joined[0], joined, os.Environ()); err != nil {
		return fmt.Errorf("starting %s: %w", joined[0], err)
	}
	return nil
}
