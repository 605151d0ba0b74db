// Command kube-router is kube-router's network policy controller alone, started as kube-router
// starts it. Its routes, service proxy and load balancers would bring the libraries of a BGP
// daemon and of AWS, which take far longer to compile than all the rest.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/cloudnativelabs/kube-router/v2/pkg/controllers/netpol"
	"github.com/cloudnativelabs/kube-router/v2/pkg/healthcheck"
	"github.com/cloudnativelabs/kube-router/v2/pkg/options"
	"github.com/cloudnativelabs/kube-router/v2/pkg/svcip"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/klog/v2"
)

func main() {
	config := options.NewKubeRouterConfig()
	config.EnableIPv4 = true
	flag.StringVar(&config.Kubeconfig, "kubeconfig", "", "file of the API server's address and credentials")
	flag.StringVar(&config.HostnameOverride, "node", "", "name of this node's object")
	flag.DurationVar(&config.IPTablesSyncPeriod, "sync-period", time.Second, "between two looks at all rules")
	klog.InitFlags(nil)
	flag.Parse()
	if err := run(config); err != nil {
		fmt.Fprintln(os.Stderr, "kube-router:", err)
		os.Exit(1)
	}
}

func run(config *options.KubeRouterConfig) error {
	access, err := clientcmd.BuildConfigFromFlags("", config.Kubeconfig)
	if err != nil {
		return err
	}
	client, err := kubernetes.NewForConfig(access)
	if err != nil {
		return err
	}
	stop := make(chan struct{})
	factory := informers.NewSharedInformerFactory(client, 0)
	pods, namespaces := factory.Core().V1().Pods().Informer(), factory.Core().V1().Namespaces().Informer()
	policies := factory.Networking().V1().NetworkPolicies().Informer()
	factory.Start(stop)
	factory.WaitForCacheSync(stop)

	ranges, err := svcip.NewValidator(svcip.Config{ClusterIPCIDRs: config.ClusterIPCIDRs, EnableIPv4: true})
	if err != nil {
		return err
	}
	rules, sets, err := netpol.NewIPTablesHandlers(config)
	if err != nil {
		return err
	}
	controller, err := netpol.NewNetworkPolicyController(client, config, pods, policies, namespaces,
		&sync.Mutex{}, nil, rules, sets, ranges)
	if err != nil {
		return err
	}
	for _, add := range []func() error{
		func() error { _, err := pods.AddEventHandler(controller.PodEventHandler); return err },
		func() error { _, err := namespaces.AddEventHandler(controller.NamespaceEventHandler); return err },
		func() error { _, err := policies.AddEventHandler(controller.NetworkPolicyEventHandler); return err },
	} {
		if err := add(); err != nil {
			return err
		}
	}
	beats := make(chan *healthcheck.ControllerHeartbeat)
	go func() {
		for range beats { // nobody asks for its health
		}
	}()
	var running sync.WaitGroup
	running.Add(1)
	go controller.Run(beats, stop, &running)
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, syscall.SIGINT, syscall.SIGTERM)
	<-ended
	close(stop)
	running.Wait()
	return nil
}
