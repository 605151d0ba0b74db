package helm

import (
	"fmt"
	"net/http"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// requestTimeout bounds each request, and so an install, which Helm cannot break off.
const requestTimeout = 30 * time.Second

// As is the configuration with the rights of a service account of the namespace, and with no
// others: the API server judges each request as that account's.
func As(config *rest.Config, namespace, account string) *rest.Config {
	config = rest.CopyConfig(config)
	config.Impersonate = rest.ImpersonationConfig{UserName: "system:serviceaccount:" + namespace + ":" + account}
	return config
}

// clientGetter hands Helm a rest.Config where it expects a kubeconfig.
type clientGetter struct {
	config    *rest.Config
	namespace string

	discovery func() (discovery.CachedDiscoveryInterface, error)
}

func newClientGetter(config *rest.Config, namespace string) *clientGetter {
	config = rest.CopyConfig(config)
	if config.Timeout == 0 {
		config.Timeout = requestTimeout
	}
	config.Wrap(func(next http.RoundTripper) http.RoundTripper { return reads{next} })
	return &clientGetter{
		config:    config,
		namespace: namespace,
		discovery: sync.OnceValues(func() (discovery.CachedDiscoveryInterface, error) {
			client, err := discovery.NewDiscoveryClientForConfig(config)
			if err != nil {
				return nil, fmt.Errorf("make a discovery client: %w", err)
			}
			return memory.NewMemCacheClient(client), nil
		}),
	}
}

func (g *clientGetter) ToRESTConfig() (*rest.Config, error) { return rest.CopyConfig(g.config), nil }

func (g *clientGetter) ToDiscoveryClient() (discovery.CachedDiscoveryInterface, error) {
	return g.discovery()
}

func (g *clientGetter) ToRESTMapper() (meta.RESTMapper, error) {
	client, err := g.discovery()
	if err != nil {
		return nil, err
	}
	return restmapper.NewShortcutExpander(restmapper.NewDeferredDiscoveryRESTMapper(client), client, nil), nil
}

// ToRawKubeConfigLoader says the namespace: Helm asks it, and no other, for objects that
// name none.
func (g *clientGetter) ToRawKubeConfigLoader() clientcmd.ClientConfig {
	overrides := &clientcmd.ConfigOverrides{Context: clientcmdapi.Context{Namespace: g.namespace}}
	return clientcmd.NewDefaultClientConfig(*clientcmdapi.NewConfig(), overrides)
}
