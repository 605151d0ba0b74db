package etcd

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync/atomic"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/kvbench/kvbench/internal/stores"
)

const (
	// tokenEvery is how long a token is used at most. etcd's are good for five minutes, or for ten in
	// kvbench's chart. Each costs a member the check of a password, some 50 ms of a processor.
	tokenEvery = 2 * time.Minute
	// tokenPause is between two attempts to get one, so that members that refuse are left alone.
	tokenPause   = 500 * time.Millisecond
	tokenTimeout = 5 * time.Second // of an attempt
	// spreadTimeout is for all members to have a simple token, while requests wait for it, or the last
	// one is refused. Else there is as much time as for an attempt: the last one serves.
	spreadTimeout = time.Second
	// maxToken bounds a token in bytes: one that is signed with RSA has 700.
	maxToken = 8 << 10
)

// noToken begins the error of a request that was never sent.
const noToken = "no token was given in time"

// tokens have a token ready for the requests of a user, ahead of them, and another one long before
// the first ends. nil is a client without a user.
type tokens struct {
	user authenticator
	// needed says that members have to ask for a user. Else certificates may be all they ask for.
	needed bool

	newest atomic.Pointer[token]
}

// token is what became of an attempt to get one.
type token struct {
	text string // "": there is none, or none is needed
	// usable says that requests may be sent, with text if there is one.
	usable bool
	err    error         // why it isn't usable, or wasn't renewed
	next   chan struct{} // closed when there is another
	// refused says that a member doesn't take it, or doesn't any more.
	refused chan struct{}
}

// newTokens are those of the credentials; nil if there is no password among them.
func newTokens(credentials *stores.Credentials) *tokens {
	if credentials == nil || credentials.Password == "" {
		return nil
	}
	t := &tokens{user: accountOf(credentials), needed: credentials.TLS == nil}
	t.newest.Store(&token{next: make(chan struct{})})
	return t
}

// source is where tokens come from.
type source struct {
	// ask asks a member for one.
	ask func(context.Context, authenticator) (string, error)
	// spread returns when all members have what one of them gave.
	spread func(context.Context)
}

// run gets one token after the other until ctx ends.
func (t *tokens) run(ctx context.Context, from source) {
	for {
		next := t.another(ctx, from)
		close(t.newest.Swap(next).next)
		select {
		case <-ctx.Done():
			return
		case <-time.After(tokenPause):
		}
		if next.err != nil {
			continue
		}
		select {
		case <-ctx.Done():
			return
		case <-next.refused:
		case <-next.due():
		}
	}
}

// another is what became of an attempt.
func (t *tokens) another(ctx context.Context, from source) *token {
	last := t.newest.Load()
	ctx, cancel := context.WithTimeout(ctx, tokenTimeout)
	defer cancel()
	text, err := from.ask(ctx, t.user)
	if err == nil && isSimple(text) {
		last.serveUntil(ctx, from.spread)
	}
	return nextToken(last, text, err, t.needed)
}

// serveUntil returns when spread has, or ctx ends, or soon where the token doesn't serve.
func (t *token) serveUntil(ctx context.Context, spread func(context.Context)) {
	ctx, cancel := context.WithCancel(ctx)
	spreading := make(chan struct{})
	go func() {
		defer close(spreading)
		spread(ctx)
	}()
	defer func() {
		cancel()
		<-spreading
	}()
	if t.usable {
		select {
		case <-spreading:
			return
		case <-t.refused:
		}
	}
	select {
	case <-spreading:
	case <-time.After(spreadTimeout):
	}
}

// due tells when it is time for another one: clients that began together don't ask together for
// ever. Where members have no users it never is.
func (t *token) due() <-chan time.Time {
	if t.text == "" {
		return nil
	}
	return time.After(tokenEvery/2 + rand.N(tokenEvery/2))
}

// nextToken decides what requests carry after an attempt. One that failed leaves the last token,
// which is good for longer.
func nextToken(last *token, text string, err error, needed bool) *token {
	next := &token{text: text, usable: true, next: make(chan struct{}), refused: make(chan struct{}, 1)}
	switch {
	case err == nil:
	case isNotEnabled(err) && !needed:
		next.text = ""
	case isNotEnabled(err):
		next.text, next.usable, next.err = "", false, err
	default:
		next.text, next.usable, next.err = last.text, last.usable, err
	}
	return next
}

// ready waits until requests may be sent: for what the next attempt brings where the last was
// refused, else until ctx ends. Its error is one of gRPC's and certain, as nothing was sent.
func (t *tokens) ready(ctx context.Context) (*token, error) {
	newest := t.newest.Load()
	for !newest.usable {
		select {
		case <-newest.next:
		case <-ctx.Done():
			return nil, newest.late()
		}
		newest = t.newest.Load()
		if text := rpctypes.ErrorDesc(newest.err); !newest.usable && isRefusal(text) {
			if _, never := classify(newest.err); never {
				return nil, newest.err
			}
			return nil, status.Error(status.Code(newest.err), noToken+": "+text)
		}
	}
	return newest, nil
}

// late is the error of a request whose time ended before there was a token.
func (t *token) late() error {
	text := noToken
	if t.err != nil {
		text += ": " + rpctypes.ErrorDesc(t.err)
	}
	return status.Error(codes.DeadlineExceeded, text)
}

// trouble is why members can't be what the run asks for, though they answer; "" is none.
func (t *tokens) trouble() string {
	if t == nil {
		return ""
	}
	newest := t.newest.Load()
	switch {
	case newest.usable:
		return ""
	case newest.err != nil && isRefusal(rpctypes.ErrorDesc(newest.err)):
		return stores.CodeUnauthorized + ": " + rpctypes.ErrorDesc(newest.err)
	}
	return "NoToken: no member has given a token yet"
}

// notEnabled says that members have no users, by their own word.
func (t *tokens) notEnabled() bool { return isNotEnabled(t.newest.Load().err) }

// waiting sends requests with a token, and has each wait for it.
func (t *tokens) waiting(ctx context.Context, method string, request, answer any, conn *grpc.ClientConn, invoke grpc.UnaryInvoker, options ...grpc.CallOption) error {
	if method == pb.Auth_Authenticate_FullMethodName {
		return invoke(ctx, method, request, answer, conn, options...)
	}
	held, err := t.ready(ctx)
	if err != nil {
		return err
	}
	return t.send(ctx, held, method, request, answer, conn, invoke, options...)
}

// hasty sends requests with a token if there is one.
func (t *tokens) hasty(ctx context.Context, method string, request, answer any, conn *grpc.ClientConn, invoke grpc.UnaryInvoker, options ...grpc.CallOption) error {
	return t.send(ctx, t.newest.Load(), method, request, answer, conn, invoke, options...)
}

// send asks for another token when the one that was sent isn't taken any more. The request isn't
// sent again: a refusal is the store's answer.
func (t *tokens) send(ctx context.Context, held *token, method string, request, answer any, conn *grpc.ClientConn, invoke grpc.UnaryInvoker, options ...grpc.CallOption) error {
	err := invoke(withToken(ctx, held.text), method, request, answer, conn, options...)
	if err != nil && isStale(err) {
		held.renew()
	}
	return err
}

// renew has the next attempt made soon, if this is the newest.
func (t *token) renew() {
	select {
	case t.refused <- struct{}{}:
	default:
	}
}

func withToken(ctx context.Context, text string) context.Context {
	if text == "" {
		return ctx
	}
	return metadata.AppendToOutgoingContext(ctx, rpctypes.TokenFieldNameGRPC, text)
}

func isNotEnabled(err error) bool { return errors.Is(rpctypes.Error(err), rpctypes.ErrAuthNotEnabled) }

// isStale says that the token has ended, is of a member that has begun anew, or was given before
// users were changed; or that users are asked for since.
func isStale(err error) bool {
	err = rpctypes.Error(err)
	return errors.Is(err, rpctypes.ErrInvalidAuthToken) || errors.Is(err, rpctypes.ErrAuthOldRevision) || errors.Is(err, rpctypes.ErrUserEmpty)
}
