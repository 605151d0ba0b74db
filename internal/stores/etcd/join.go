package etcd

import (
	"cmp"
	"context"
	"crypto/tls"
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
	// joinQuiet is how long none of the others may run before a new cluster is made: a container
	// that was killed is away for less.
	joinQuiet = 10 * time.Second
	// maxMembersBytes bounds what a peer may answer: nine members need 2 kB.
	maxMembersBytes = 1 << 20
)

// Join returns the command that starts this member, from the one that would make a new cluster.
//
// etcd's members are refused for ever when they come back without their data: they may have
// promised what they don't know any more. So such a member leaves the cluster, and is taken in as
// another one, before it starts. The others have to have a quorum for it. It waits for them while
// they don't answer, until ctx ends. say takes a line about that.
func Join(ctx context.Context, command []string, say func(format string, args ...any)) ([]string, error) {
	return joinAfter(ctx, joinQuiet, command, say)
}

func joinAfter(ctx context.Context, quiet time.Duration, command []string, say func(format string, args ...any)) ([]string, error) {
	j, err := newJoin(command)
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

	quiet      time.Duration
	aloneSince time.Time // since when none of the others was seen to run; zero while one is
	added      uint64    // the ID under which this call took the member in
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
		token:   cmp.Or(flags["initial-cluster-token"], defaultToken),
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
	pages, err := j.pages(ctx)
	if slices.ContainsFunc(pages, func(p page) bool { return !p.isFirst(j.token) }) {
		return j.enter(ctx, clientsOf(pages), say)
	}
	if err != nil {
		j.aloneSince = time.Time{}
		return nil, err
	}
	if len(pages) > 0 || len(j.others) == 0 {
		return j.command, nil
	}
	if j.aloneSince.IsZero() {
		j.aloneSince = time.Now()
	}
	if alone := time.Since(j.aloneSince); alone < j.quiet {
		return nil, fmt.Errorf("no other member runs since %s", alone.Round(time.Second))
	}
	return j.command, nil
}

// enter takes the member in, by what a majority of the others agrees on. A place that this call
// didn't make may be of one that has run.
func (j *join) enter(ctx context.Context, clients []string, say func(format string, args ...any)) (command []string, err error) {
	var listed []*pb.Member
	if err := j.ask(ctx, clients, func(ctx context.Context, cluster pb.ClusterClient) error {
		answer, err := cluster.MemberList(ctx, &pb.MemberListRequest{Linearizable: true})
		listed = answer.GetMembers()
		return err
	}); err != nil {
		return nil, err
	}
	i := slices.IndexFunc(listed, func(m *pb.Member) bool { return slices.Contains(m.GetPeerURLs(), j.peerURL) })
	switch {
	case i < 0:
		say("adding this member to the cluster")
		return nil, j.ask(ctx, clients, func(ctx context.Context, cluster pb.ClusterClient) error {
			answer, err := cluster.MemberAdd(ctx, &pb.MemberAddRequest{PeerURLs: []string{j.peerURL}})
			j.added = answer.GetMember().GetID()
			return err
		})
	case listed[i].GetID() != j.added:
		say("the cluster has this member as %x, whose data are gone: removing it", listed[i].GetID())
		return nil, j.ask(ctx, clients, func(ctx context.Context, cluster pb.ClusterClient) error {
			_, err := cluster.MemberRemove(ctx, &pb.MemberRemoveRequest{ID: listed[i].GetID()})
			return err
		})
	case len(listed) != len(j.others)+1:
		// etcd compares its flags with the cluster.
		return nil, fmt.Errorf("the cluster has %d of %d members: another one is being taken in, too", len(listed), len(j.others)+1)
	}
	return withExisting(j.command), nil
}

// pages are what those of the others say that run. err is why one that may run says nothing.
func (j *join) pages(ctx context.Context) (pages []page, err error) {
	for _, peerURL := range j.others {
		told, failure := j.read(ctx, peerURL)
		switch {
		case failure == nil:
			pages = append(pages, told)
		case !j.notRunning(ctx, failure):
			err = failure
		}
	}
	return pages, err
}

func (j *join) read(ctx context.Context, peerURL string) (page, error) {
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
	told, err := parsePage(io.LimitReader(answer.Body, maxMembersBytes))
	if err != nil {
		return nil, fmt.Errorf("%s/members: %w", peerURL, err)
	}
	return told, nil
}

// notRunning says that nobody listens there, or that there is no such pod. What DNS says counts
// only while it knows this member.
func (j *join) notRunning(ctx context.Context, err error) bool {
	if errors.Is(err, syscall.ECONNREFUSED) {
		return true
	}
	var unknown *net.DNSError
	if !errors.As(err, &unknown) || !unknown.IsNotFound {
		return false
	}
	own, err := url.Parse(j.peerURL)
	if err != nil {
		return false
	}
	_, err = net.DefaultResolver.LookupHost(ctx, own.Hostname())
	return err == nil
}

// ask has one member after the other do it, until one has.
func (j *join) ask(ctx context.Context, clients []string, do func(context.Context, pb.ClusterClient) error) error {
	err := errors.New("no member says yet where its clients reach it")
	for _, client := range clients {
		if err = j.askOne(ctx, client, do); err == nil {
			return nil
		}
	}
	return err
}

func (j *join) askOne(ctx context.Context, clientURL string, do func(context.Context, pb.ClusterClient) error) error {
	ctx, cancel := context.WithTimeout(ctx, joinTimeout)
	defer cancel()
	parsed, err := url.Parse(clientURL)
	if err != nil {
		return err
	}
	conn, err := grpc.NewClient("passthrough:///"+parsed.Host, grpc.WithNoProxy(), grpc.WithTransportCredentials(j.clients))
	if err != nil {
		return err
	}
	return errors.Join(do(ctx, pb.NewClusterClient(conn)), conn.Close())
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
