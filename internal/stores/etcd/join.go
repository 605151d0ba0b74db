package etcd

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/kvbench/kvbench/internal/stores"
)

const (
	joinTimeout = 5 * time.Second // of one request
	joinPause   = time.Second
	// maxMembersBytes bounds what a peer may answer: nine members need 2 kB.
	maxMembersBytes = 1 << 20
)

// peerMember is a member as the peer port tells it (/members).
type peerMember struct {
	ID         uint64   `json:"id"`
	Name       string   `json:"name"`
	PeerURLs   []string `json:"peerURLs"`
	ClientURLs []string `json:"clientURLs"`
}

// start is how etcd has to be started, or what has to be done before.
type start int

const (
	startNew      start = iota // the cluster is being made, and this member is one of its first
	startExisting              // the cluster has a place for it
	startRemove                // its place is that of a member whose data are gone
	startAdd                   // it has no place
)

// nextStart decides it from what a member says of the cluster. A member that was ever ready has
// told where clients reach it. One that was added and never started has no name.
func nextStart(members []peerMember, peerURL string) (next start, id uint64) {
	i := slices.IndexFunc(members, func(m peerMember) bool { return slices.Contains(m.PeerURLs, peerURL) })
	switch {
	case i < 0:
		return startAdd, 0
	case len(members[i].ClientURLs) > 0:
		return startRemove, members[i].ID
	case members[i].Name == "":
		return startExisting, 0
	}
	return startNew, 0
}

// Join returns the command that starts this member, from the one that would make a new cluster.
//
// etcd's members are refused for ever when they come back without their data: they may have
// promised what they don't know any more. So such a member leaves the cluster, and is taken in as
// another one, before it starts. The others have to have a quorum for it. It waits for them while
// they don't answer, until ctx ends. say takes a line about that.
func Join(ctx context.Context, command []string, say func(format string, args ...any)) ([]string, error) {
	j, err := newJoin(command)
	if err != nil {
		return nil, err
	}
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
	command          []string
	dataDir, peerURL string
	others           []string // peer URLs
	peers            *http.Client
	clients          credentials.TransportCredentials
}

func newJoin(command []string) (*join, error) {
	flags := map[string]string{}
	for _, arg := range command {
		if name, value, ok := strings.Cut(strings.TrimPrefix(arg, "--"), "="); ok {
			flags[name] = value
		}
	}
	peers, err := joinEncryption(flags, "peer-")
	if err != nil {
		return nil, err
	}
	clients, err := joinEncryption(flags, "")
	if err != nil {
		return nil, err
	}
	j := &join{command: command, dataDir: flags["data-dir"], peerURL: flags["initial-advertise-peer-urls"],
		peers:   &http.Client{Timeout: joinTimeout, Transport: &http.Transport{Proxy: nil, TLSClientConfig: peers}},
		clients: insecure.NewCredentials()}
	if clients != nil {
		j.clients = credentials.NewTLS(clients)
	}
	for _, member := range strings.Split(flags["initial-cluster"], ",") {
		if _, peerURL, ok := strings.Cut(member, "="); ok && peerURL != j.peerURL {
			j.others = append(j.others, peerURL)
		}
	}
	if j.dataDir == "" || j.peerURL == "" || flags["initial-cluster-state"] != "new" {
		return nil, errors.New("the command of etcd needs --data-dir=, --initial-advertise-peer-urls= and --initial-cluster-state=new")
	}
	return j, nil
}

// joinEncryption is what the flags of etcd that begin so say of connections to members; nil is plain
// text.
func joinEncryption(flags map[string]string, prefix string) (*tls.Config, error) {
	if flags[prefix+"trusted-ca-file"] == "" {
		return nil, nil
	}
	files := map[string][]byte{}
	for flag, name := range map[string]string{
		"trusted-ca-file": stores.FileCA, "client-cert-file": stores.FileClientCert, "client-key-file": stores.FileClientKey,
	} {
		content, err := os.ReadFile(flags[prefix+flag])
		if err != nil {
			return nil, fmt.Errorf("--%s%s: %w", prefix, flag, err)
		}
		files[name] = content
	}
	made, err := stores.NewCredentials(stores.SecurityTLS, files)
	if err != nil {
		return nil, err
	}
	return made.TLS, nil
}

// hasData says whether the member has a log: what the flags say of the cluster counts for nothing
// then.
func hasData(folder string) bool {
	logs, err := filepath.Glob(filepath.Join(folder, "member", "wal", "*.wal"))
	return err == nil && len(logs) > 0
}

// step does one thing; command is how to start, if that is clear.
func (j *join) step(ctx context.Context, say func(format string, args ...any)) (command []string, err error) {
	members, err := j.members(ctx)
	if err != nil {
		return nil, err
	}
	if members == nil {
		return j.command, nil
	}
	next, id := nextStart(members, j.peerURL)
	switch next {
	case startRemove:
		say("the cluster has this member as %x, whose data are gone: removing it", id)
		return nil, j.eachMember(members, func(cluster pb.ClusterClient) error {
			ctx, cancel := context.WithTimeout(ctx, joinTimeout)
			defer cancel()
			_, err := cluster.MemberRemove(ctx, &pb.MemberRemoveRequest{ID: id})
			return err
		})
	case startAdd:
		say("adding this member to the cluster")
		return nil, j.eachMember(members, func(cluster pb.ClusterClient) error {
			ctx, cancel := context.WithTimeout(ctx, joinTimeout)
			defer cancel()
			_, err := cluster.MemberAdd(ctx, &pb.MemberAddRequest{PeerURLs: []string{j.peerURL}})
			return err
		})
	case startExisting:
		return withExisting(j.command), nil
	default:
		return j.command, nil
	}
}

// members is what the first one of the others says that answers; nil when none of them runs. One
// that can't be reached may run.
func (j *join) members(ctx context.Context) ([]peerMember, error) {
	var unreachable error
	for _, peerURL := range j.others {
		members, err := j.ask(ctx, peerURL)
		switch {
		case err == nil:
			return members, nil
		case !notRunning(err):
			unreachable = err
		}
	}
	return nil, unreachable
}

func (j *join) ask(ctx context.Context, peerURL string) ([]peerMember, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, peerURL+"/members", nil)
	if err != nil {
		return nil, err
	}
	answer, err := j.peers.Do(request)
	if err != nil {
		return nil, err
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s/members: status %d", peerURL, answer.StatusCode)
	}
	members := []peerMember{}
	if err := json.NewDecoder(io.LimitReader(answer.Body, maxMembersBytes)).Decode(&members); err != nil {
		return nil, fmt.Errorf("%s/members: %w", peerURL, err)
	}
	return members, nil
}

// notRunning says that nobody listens there, or that there is no such pod.
func notRunning(err error) bool {
	var unknown *net.DNSError
	return errors.Is(err, syscall.ECONNREFUSED) || errors.As(err, &unknown) && unknown.IsNotFound
}

// eachMember has one member after the other do it, until one has.
func (j *join) eachMember(members []peerMember, do func(pb.ClusterClient) error) error {
	err := errors.New("no member says where its clients reach it")
	for _, m := range members {
		for _, client := range m.ClientURLs {
			if err = j.withCluster(client, do); err == nil {
				return nil
			}
		}
	}
	return err
}

func (j *join) withCluster(clientURL string, do func(pb.ClusterClient) error) error {
	parsed, err := url.Parse(clientURL)
	if err != nil {
		return err
	}
	conn, err := grpc.NewClient("passthrough:///"+parsed.Host, grpc.WithNoProxy(), grpc.WithTransportCredentials(j.clients))
	if err != nil {
		return err
	}
	return errors.Join(do(pb.NewClusterClient(conn)), conn.Close())
}

// withExisting starts into a cluster that exists.
func withExisting(command []string) []string {
	changed := slices.Clone(command)
	for i, arg := range changed {
		if strings.HasPrefix(arg, "--initial-cluster-state=") {
			changed[i] = "--initial-cluster-state=existing"
		}
	}
	return changed
}

// Start becomes etcd, as Join says.
func Start(ctx context.Context, command []string, say func(format string, args ...any)) error {
	joined, err := Join(ctx, command, say)
	if err != nil {
		return err
	}
	if err := syscall.Exec(joined[0], joined, os.Environ()); err != nil {
		return fmt.Errorf("starting %s: %w", joined[0], err)
	}
	return nil
}
