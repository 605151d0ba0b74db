// Package forward reaches the results server from outside the cluster, with the rights of the current
// kubeconfig. It uses a port-forward to the server's pod, a short-lived token of the service account
// kvbench-reader, and TLS that it verifies with the CA that the controller made.
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
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/portforward"
)

// Names of what the chart installs.
const (
	Namespace = "kvbench-system"
	reader    = "kvbench-reader"
	audience  = "kvbench"
	tlsSecret = "kvbench-results-tls"
	caKey     = "ca.crt"
	pods      = "app.kubernetes.io/name=kvbench,app.kubernetes.io/component=results"
	port      = 8443
	tokenLife = 3600
)

// Session is one connection. It ends when the pod does: open another.
type Session struct {
	// URL is the server's base address, to be used with Client.
	URL string
	// Client verifies the server and sends the token.
	Client *http.Client

	stop context.CancelFunc
	done chan error
}

// Open connects to the results server of the namespace.
func Open(ctx context.Context, config *rest.Config, namespace string) (*Session, error) {
	clients, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	roots, err := authority(ctx, clients, namespace)
	if err != nil {
		return nil, err
	}
	token, err := requestToken(ctx, clients, namespace)
	if err != nil {
		return nil, err
	}
	pod, err := readyPod(ctx, clients, namespace)
	if err != nil {
		return nil, err
	}
	s := &Session{done: make(chan error, 1)}
	local, err := s.forward(ctx, config, clients, pod)
	if err != nil {
		return nil, fmt.Errorf("forwarding a port to the pod %s/%s: %w", namespace, pod.Name, err)
	}
	// The certificate is for the Service's name, which doesn't resolve here.
	name := fmt.Sprintf("kvbench-results.%s.svc", namespace)
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

func authority(ctx context.Context, clients kubernetes.Interface, namespace string) (*x509.CertPool, error) {
	secret, err := clients.CoreV1().Secrets(namespace).Get(ctx, tlsSecret, metav1.GetOptions{})
	if err != nil {
		return nil, fmt.Errorf("reading the results server's CA (the controller makes it when it starts): %w", err)
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(secret.Data[caKey]) {
		return nil, fmt.Errorf("the Secret %s/%s has no certificate under %s: delete it, and restart the controller, which makes a new one", namespace, tlsSecret, caKey)
	}
	return roots, nil
}

func requestToken(ctx context.Context, clients kubernetes.Interface, namespace string) (string, error) {
	life := int64(tokenLife)
	answer, err := clients.CoreV1().ServiceAccounts(namespace).CreateToken(ctx, reader, &authenticationv1.TokenRequest{
		Spec: authenticationv1.TokenRequestSpec{Audiences: []string{audience}, ExpirationSeconds: &life},
	}, metav1.CreateOptions{})
	if err != nil {
		return "", fmt.Errorf("asking for a token of the service account %s/%s, which may read reports: %w", namespace, reader, err)
	}
	return answer.Status.Token, nil
}

func readyPod(ctx context.Context, clients kubernetes.Interface, namespace string) (*corev1.Pod, error) {
	list, err := clients.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{LabelSelector: pods})
	if err != nil {
		return nil, fmt.Errorf("looking for the results server's pod: %w", err)
	}
	for i := range list.Items {
		for _, c := range list.Items[i].Status.Conditions {
			if c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue {
				return &list.Items[i], nil
			}
		}
	}
	return nil, fmt.Errorf("no pod of the results server is ready in %s: see kubectl -n %s get pods", namespace, namespace)
}

// forward starts the port-forward and returns its local address.
func (s *Session) forward(ctx context.Context, config *rest.Config, clients kubernetes.Interface, pod *corev1.Pod) (string, error) {
	url := clients.CoreV1().RESTClient().Post().Resource("pods").
		Namespace(pod.Namespace).Name(pod.Name).SubResource("portforward").URL()
	dialer, err := portforward.NewSPDYOverWebsocketDialer(url, config)
	if err != nil {
		return "", err
	}
	var live context.Context
	live, s.stop = context.WithCancel(context.WithoutCancel(ctx))
	ready := make(chan struct{})
	forwarder, err := portforward.NewOnAddressesWithContext(live, dialer, []string{"127.0.0.1"},
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
		s.stop()
		<-s.done
		return "", ctx.Err()
	}
	ports, err := forwarder.GetPorts()
	if err != nil {
		s.stop()
		return "", err
	}
	return fmt.Sprintf("127.0.0.1:%d", ports[0].Local), nil
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
