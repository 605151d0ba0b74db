// Package forward reaches the results server from outside the cluster, with the rights of the current
// kubeconfig. It uses a port-forward to the server's pod, a short-lived token of a service account that may read
// results, and TLS that it verifies with the authority that the controller made.
//
// It leaves nothing in the cluster.
package forward

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/portforward"
	"k8s.io/client-go/transport/spdy"
	"k8s.io/streaming/pkg/httpstream"
)

// Names of what the chart and the controller make.
const (
	Namespace = "kvbench-system"
	user      = "kvbench-user"   // reads the results of its own namespace
	reader    = "kvbench-reader" // reads those of all
	audience  = "kvbench"
	authority = "kvbench-results-ca"
	caKey     = "ca.crt"
	podName   = "kvbench-results-0"
	port      = 8443
	tokenLife = 3600
)

// Place says where to look for what.
type Place struct {
	System     string // namespace of the results server
	Namespace  string // whose results are asked for
	Everything bool   // asks for the results of all namespaces
}

// AccessError is a right that is missing, or an installation that is not whole: trying again doesn't help.
type AccessError struct{ err error }

func (e *AccessError) Error() string { return e.err.Error() }
func (e *AccessError) Unwrap() error { return e.err }

// Session is one connection. It ends when the pod does: open another.
type Session struct {
	// URL is the server's base address, to be used with Client.
	URL string
	// Client verifies the server and sends the token.
	Client *http.Client

	stop context.CancelFunc
	done chan error
}

// Open connects to the results server.
func Open(ctx context.Context, config *rest.Config, place Place) (*Session, error) {
	clients, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	roots, err := authorityOf(ctx, clients, place.System)
	if err != nil {
		return nil, err
	}
	token, err := requestToken(ctx, clients, place)
	if err != nil {
		return nil, err
	}
	if err := checkPod(ctx, clients, place.System); err != nil {
		return nil, err
	}
	s := &Session{done: make(chan error, 1)}
	local, err := s.forward(ctx, config, clients, place.System)
	if err != nil {
		return nil, fmt.Errorf("forwarding a port to the pod %s/%s: %w", place.System, podName, err)
	}
	// The certificate is for the Service's name, which doesn't resolve here.
	name := fmt.Sprintf("kvbench-results.%s.svc", place.System)
	s.URL = fmt.Sprintf("https://%s:%d", name, port)
	s.Client = &http.Client{Transport: &bearer{token: token, next: &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: roots, ServerName: name, MinVersion: tls.VersionTLS12},
		DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return (&net.Dialer{Timeout: 10 * time.Second}).DialContext(ctx, network, local)
		},
	}}}
	return s, nil
}

// Close ends the port-forward.
func (s *Session) Close() {
	s.Client.CloseIdleConnections()
	s.stop()
	<-s.done
}

// told marks errors that the same request would get again.
func told(err error) error {
	if apierrors.IsForbidden(err) || apierrors.IsNotFound(err) || apierrors.IsUnauthorized(err) {
		return &AccessError{err}
	}
	return err
}

func authorityOf(ctx context.Context, clients kubernetes.Interface, system string) (*x509.CertPool, error) {
	kept, err := clients.CoreV1().ConfigMaps(system).Get(ctx, authority, metav1.GetOptions{})
	if err != nil {
		return nil, fmt.Errorf("reading the authority of the results server, which the controller publishes when it starts: %w", told(err))
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM([]byte(kept.Data[caKey])) {
		return nil, &AccessError{fmt.Errorf("the ConfigMap %s/%s has no certificate under %s: delete it, and restart the controller, which makes a new one", system, authority, caKey)}
	}
	return roots, nil
}

// requestToken is of the account of the user's namespace, or else of the one that reads everything.
func requestToken(ctx context.Context, clients kubernetes.Interface, place Place) (string, error) {
	life := int64(tokenLife)
	var refused error
	for _, account := range accounts(place) {
		answer, err := clients.CoreV1().ServiceAccounts(account.namespace).CreateToken(ctx, account.name, &authenticationv1.TokenRequest{
			Spec: authenticationv1.TokenRequestSpec{Audiences: []string{audience}, ExpirationSeconds: &life},
		}, metav1.CreateOptions{})
		if err == nil {
			return answer.Status.Token, nil
		}
		refused = errors.Join(refused, err)
		if !apierrors.IsForbidden(err) && !apierrors.IsNotFound(err) {
			return "", fmt.Errorf("asking for a token of the service account %s/%s: %w", account.namespace, account.name, err)
		}
	}
	if place.Everything {
		return "", &AccessError{fmt.Errorf("the results of all namespaces are for those who may create tokens of the service account %s/%s: %w", place.System, reader, refused)}
	}
	return "", &AccessError{fmt.Errorf("you get no token for the results of the namespace %s: an administrator lists the namespace, and you, under users in the values of kvbench's chart: %w", place.Namespace, refused)}
}

type account struct{ namespace, name string }

func accounts(place Place) []account {
	everyones := account{place.System, reader}
	if place.Everything {
		return []account{everyones}
	}
	return []account{{place.Namespace, user}, everyones}
}

func checkPod(ctx context.Context, clients kubernetes.Interface, system string) error {
	pod, err := clients.CoreV1().Pods(system).Get(ctx, podName, metav1.GetOptions{})
	if err != nil {
		return fmt.Errorf("looking for the pod of the results server: %w", err) // it is away for a moment when it restarts
	}
	for _, c := range pod.Status.Conditions {
		if c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue {
			return nil
		}
	}
	return fmt.Errorf("the pod of the results server isn't ready: see kubectl -n %s describe pod %s", system, podName)
}

// forward starts the port-forward and returns its local address.
func (s *Session) forward(ctx context.Context, config *rest.Config, clients kubernetes.Interface, system string) (string, error) {
	url := clients.CoreV1().RESTClient().Post().Resource("pods").
		Namespace(system).Name(podName).SubResource("portforward").URL()
	dialer, err := dialerFor(url, config)
	if err != nil {
		return "", err
	}
	var live context.Context
	live, s.stop = context.WithCancel(context.WithoutCancel(ctx))
	ready := make(chan struct{})
	forwarder, err := portforward.NewOnAddressesForStreamingWithContext(live, dialer, []string{"127.0.0.1"},
		[]string{fmt.Sprintf("0:%d", port)}, ready, io.Discard, io.Discard)
	if err != nil {
		s.stop()
		return "", err
	}
	go func() { s.done <- forwarder.ForwardPorts() }()
	select {
	case <-ready:
	case err := <-s.done:
		s.stop()
		return "", errors.Join(errors.New("it ended at once"), err)
	case <-ctx.Done():
		s.stop() // a dial that gets no answer doesn't end by that, so it isn't waited for
		return "", ctx.Err()
	}
	ports, err := forwarder.GetPorts()
	if err != nil {
		s.stop()
		return "", err
	}
	return fmt.Sprintf("127.0.0.1:%d", ports[0].Local), nil
}

// dialerFor speaks over WebSockets, and over SPDY to API servers and proxies that don't take these: WebSockets for port-forwards are
// on by default from Kubernetes 1.31 on.
func dialerFor(url *url.URL, config *rest.Config) (httpstream.Dialer, error) {
	overWebSockets, err := portforward.NewSPDYOverWebsocketDialerForStreaming(url, config)
	if err != nil {
		return nil, err
	}
	transport, upgrader, err := spdy.RoundTripperFor(config)
	if err != nil {
		return nil, err
	}
	directly := spdy.NewDialerForStreaming(upgrader, &http.Client{Transport: transport}, http.MethodPost, url)
	return portforward.NewFallbackDialerForStreaming(overWebSockets, directly, func(err error) bool {
		return httpstream.IsUpgradeFailure(err) || httpstream.IsHTTPSProxyError(err)
	}), nil
}

type bearer struct {
	token string
	next  http.RoundTripper
}

func (b *bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+b.token)
	return b.next.RoundTrip(r)
}

// CloseIdleConnections lets http.Client reach the transport below.
func (b *bearer) CloseIdleConnections() {
	if t, ok := b.next.(*http.Transport); ok {
		t.CloseIdleConnections()
	}
}
