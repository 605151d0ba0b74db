package etcd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"syscall"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"google.golang.org/grpc"
)

const (
	joinTimeout = 5 * time.Second // of one request
	// maxMembersBytes bounds what a peer may answer: nine members need 2 kB.
	maxMembersBytes = 1 << 20
)

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

// ask has one member after the other do it, until one has. Its error is that of all: one that is away
// mustn't hide what another one refuses.
func (j *join) ask(ctx context.Context, clients []string, do func(context.Context, pb.ClusterClient) error) error {
	if len(clients) == 0 {
		return errors.New("no member says yet where its clients reach it")
	}
	var failures []error
	for _, client := range clients {
		err := j.askOne(ctx, client, do)
		if err == nil {
			return nil
		}
		failures = append(failures, fmt.Errorf("%s: %w", client, err))
	}
	return errors.Join(failures...)
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
	ctx, err = j.asUser(ctx, conn)
	if err == nil {
		err = do(ctx, pb.NewClusterClient(conn))
	}
	return errors.Join(err, conn.Close())
}

// asUser adds a token to what is asked, where members ask for one.
func (j *join) asUser(ctx context.Context, conn *grpc.ClientConn) (context.Context, error) {
	if j.held == nil {
		return ctx, nil
	}
	token, err := accountOf(j.held).authenticate(ctx, pb.NewAuthClient(conn))
	if isNotEnabled(err) {
		return ctx, nil // nobody has enabled it yet
	}
	return withToken(ctx, token), err
}
