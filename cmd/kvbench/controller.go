package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"time"

	"github.com/spf13/cobra"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	ctrlmetrics "sigs.k8s.io/controller-runtime/pkg/metrics"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/controllers"
	"github.com/kvbench/kvbench/controllers/run"
	"github.com/kvbench/kvbench/controllers/run/clients"
	"github.com/kvbench/kvbench/controllers/servertime"
	"github.com/kvbench/kvbench/controllers/suite"
	"github.com/kvbench/kvbench/controllers/usage"
	"github.com/kvbench/kvbench/internal/helm"
	"github.com/kvbench/kvbench/internal/kubelet"
	"github.com/kvbench/kvbench/internal/monotonic"
	resultsclient "github.com/kvbench/kvbench/internal/results/client"
	"github.com/kvbench/kvbench/internal/servingcert"
	"github.com/kvbench/kvbench/internal/version"
)

type controllerOptions struct {
	resultsURL, token, loadgenImage string
	metrics, probes, namespace      string
	chartSources                    []string
	leaderElect, verbose            bool
	askKubelets, trustKubelets      bool
}

func newControllerCommand() *cobra.Command {
	var o controllerOptions
	command := &cobra.Command{
		Use:   "controller",
		Short: "Reconcile BenchmarkRuns and BenchmarkSuites",
		Long: `Reconciles BenchmarkRuns: deploys the store, runs the load generators, injects the
faults, has the report made, and removes everything again. For a BenchmarkSuite it makes the
runs of all combinations, one after the other. It keeps no state of its own: killed at any
moment, it goes on where it was.`,
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error { return runController(command.Context(), &o) },
	}
	flags := command.Flags()
	flags.StringVar(&o.resultsURL, "results-url", "https://kvbench-results.kvbench-system.svc:8443", "the results server, as workers reach it")
	flags.StringVar(&o.token, "token", "/var/run/secrets/kvbench/token", "file with a token of audience kvbench for the results server")
	flags.StringVar(&o.loadgenImage, "loadgen-image", "", "image of the workers and the observer (default: the controller's own, as its pod $POD_NAME has it)")
	flags.StringVar(&o.metrics, "metrics-bind-address", ":8080", "address of /metrics")
	flags.StringVar(&o.probes, "health-probe-bind-address", ":8081", "address of /healthz and /readyz")
	flags.StringVar(&o.namespace, "namespace", os.Getenv("POD_NAMESPACE"), "the operator's own namespace (default: $POD_NAMESPACE)")
	flags.StringArrayVar(&o.chartSources, "chart-source", nil, "an address below which runs may name charts of their own, such as oci://registry.example.com/charts or https://charts.example.com; may be repeated")
	flags.BoolVar(&o.leaderElect, "leader-elect", false, "let one of several controllers lead")
	flags.BoolVar(&o.askKubelets, "kubelet-usage", true, "ask kubelets what members use, for the reports, as the service account kvbench-kubelets")
	flags.BoolVar(&o.trustKubelets, "kubelet-insecure-tls", false, "don't check the kubelets' certificates: whoever answers at a node's address gets a token of kvbench-kubelets")
	flags.BoolVar(&o.verbose, "verbose", false, "log each decision")
	return command
}

func runController(ctx context.Context, o *controllerOptions) error {
	if o.namespace == "" {
		return errors.New("the operator's namespace is not known: set $POD_NAMESPACE or --namespace")
	}
	results, err := url.Parse(o.resultsURL)
	if err != nil || results.Hostname() == "" {
		return fmt.Errorf("--results-url %q is not of the form https://host:port", o.resultsURL)
	}
	charts, err := newOwnCharts(o.chartSources)
	if err != nil {
		return err
	}
	ctrl.SetLogger(zap.New(zap.UseDevMode(o.verbose)))
	config, err := ctrl.GetConfig()
	if err != nil {
		return fmt.Errorf("finding the API server: %w", err)
	}
	options := ctrl.Options{
		Scheme:                 controllers.Scheme(),
		Cache:                  controllers.CacheOptions(o.namespace),
		Metrics:                metricsserver.Options{BindAddress: o.metrics},
		HealthProbeBindAddress: o.probes,
	}
	if o.leaderElect {
		if err := controllers.Elect(&options, config, o.namespace); err != nil {
			return err
		}
	}
	manager, err := ctrl.NewManager(config, options)
	if err != nil {
		return fmt.Errorf("preparing the controller: %w", err)
	}
	image, pullSecrets, err := o.workersImage(ctx, manager.GetAPIReader())
	if err != nil {
		return err
	}
	certificate := client.ObjectKey{Namespace: o.namespace, Name: "kvbench-results-tls"}
	ca, err := servingcert.Ensure(ctx, manager.GetClient(), manager.GetAPIReader(), certificate,
		[]string{results.Hostname(), "kvbench-results", "localhost"}, time.Now())
	if err != nil {
		return err
	}
	if err := servingcert.Publish(ctx, manager.GetClient(), manager.GetAPIReader(), o.namespace, ca); err != nil {
		return err
	}
	client, err := resultsclient.New(resultsclient.Config{URL: o.resultsURL, CA: ca, Token: resultsclient.TokenFile(o.token), Now: monotonic.Now})
	if err != nil {
		return err
	}
	outside := clients.Set{
		Client:   manager.GetClient(),
		Direct:   manager.GetAPIReader(),
		Results:  client,
		Releases: releasesAs(config, manager),
		Charts:   charts,
		Sample:   clients.SampleOverHTTP,
		Recorder: manager.GetEventRecorder("kvbench"),
		Clock:    &servertime.Clock{},
		Config: clients.Config{
			Namespace: o.namespace, LoadgenImage: image, PullSecrets: pullSecrets, ResultsURL: o.resultsURL, ResultsCA: ca,
		},
	}
	if err := (&run.Reconciler{Set: outside}).SetupWithManager(manager); err != nil {
		return fmt.Errorf("setting the controller of runs up: %w", err)
	}
	suites, err := knowsSuites(manager.GetRESTMapper())
	if err != nil {
		return err
	}
	if suites {
		err = (&suite.Reconciler{
			Client: manager.GetClient(), Recorder: outside.Recorder, Results: client, ResultsURL: o.resultsURL,
			AccountOf: outside.AccountOf,
		}).SetupWithManager(manager)
	} else {
		ctrl.Log.Info("BenchmarkSuites are not looked at, for their CRD is not there: apply charts/kvbench/crds, which helm upgrade doesn't, and restart the controller")
	}
	if err != nil {
		return fmt.Errorf("setting the controller of suites up: %w", err)
	}
	if o.askKubelets {
		kubelets, err := o.kubelets(config)
		if err != nil {
			return err
		}
		watch := usage.NewWatch(outside, kubelets, client)
		if err := errors.Join(manager.Add(watch), ctrlmetrics.Registry.Register(watch)); err != nil {
			return fmt.Errorf("setting up what members use: %w", err)
		}
	}
	err = errors.Join(ctrlmetrics.Registry.Register(run.NewMetrics(manager.GetClient())), ctrlmetrics.Registry.Register(version.Metric()))
	if err != nil {
		return fmt.Errorf("registering metrics: %w", err)
	}
	if err := errors.Join(manager.AddHealthzCheck("ping", healthz.Ping), manager.AddReadyzCheck("ping", healthz.Ping)); err != nil {
		return err
	}
	return manager.Start(ctx)
}

// kubeletsAccount is who kubelets are asked as. It may do nothing else: they see its tokens.
const kubeletsAccount = "kvbench-kubelets"

func (o *controllerOptions) kubelets(config *rest.Config) (*kubelet.Client, error) {
	clients, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("preparing to ask kubelets: %w", err)
	}
	accounts := clients.CoreV1().ServiceAccounts(o.namespace)
	return kubelet.New(config, o.trustKubelets, kubelet.NewTokens(func(ctx context.Context) (string, error) {
		wanted := &authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{ExpirationSeconds: ptr.To[int64](kubelet.TokenSeconds)}}
		given, err := accounts.CreateToken(ctx, kubeletsAccount, wanted, metav1.CreateOptions{})
		if err != nil {
			return "", err
		}
		return given.Status.Token, nil
	}))
}

// workersImage is what the pods of runs are made of: the same image as the controller, with
// pull secrets of the same names.
func (o *controllerOptions) workersImage(ctx context.Context, reader client.Reader) (string, []corev1.LocalObjectReference, error) {
	name := os.Getenv("POD_NAME")
	if name == "" {
		if o.loadgenImage == "" {
			return "", nil, errors.New("the image of the workers is not known: set $POD_NAME, to take the controller's own, or --loadgen-image")
		}
		return o.loadgenImage, nil, nil
	}
	pod := &corev1.Pod{}
	if err := reader.Get(ctx, client.ObjectKey{Namespace: o.namespace, Name: name}, pod); err != nil {
		return "", nil, fmt.Errorf("looking for the controller's own image in its pod: %w", err)
	}
	image := o.loadgenImage
	if image == "" {
		image = ownContainer(pod).Image
	}
	return image, pod.Spec.ImagePullSecrets, nil
}

// knowsSuites says that the API server has the CRD of BenchmarkSuites. Without it runs go on.
func knowsSuites(mapper meta.RESTMapper) (bool, error) {
	_, err := mapper.RESTMapping(v1alpha1.GroupVersion.WithKind("BenchmarkSuite").GroupKind(), v1alpha1.GroupVersion.Version)
	if meta.IsNoMatchError(err) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("asking the API server for BenchmarkSuites: %w", err)
	}
	return true, nil
}

// ownContainer is the controller's, as its chart names it. A mesh's webhook may put others before it.
func ownContainer(pod *corev1.Pod) *corev1.Container {
	for i := range pod.Spec.Containers {
		if container := &pod.Spec.Containers[i]; container.Name == "controller" {
			return container
		}
	}
	return &pod.Spec.Containers[0]
}

// releasesAs gives access to Helm releases, and to what they leave, with the rights of a
// run's own service account.
func releasesAs(config *rest.Config, manager ctrl.Manager) func(namespace, account string) (clients.Releaser, client.Client, error) {
	return func(namespace, account string) (clients.Releaser, client.Client, error) {
		impersonated := helm.As(config, namespace, account)
		asAccount, err := client.New(impersonated, client.Options{Scheme: manager.GetScheme(), Mapper: manager.GetRESTMapper()})
		if err != nil {
			return nil, nil, fmt.Errorf("acting as service account %s: %w", account, err)
		}
		return helm.New(impersonated, namespace), asAccount, nil
	}
}
