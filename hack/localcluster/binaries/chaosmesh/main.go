// Command chaos-controller-manager is Chaos Mesh's, with the faults that a cluster on one machine can have.
// Those of three clouds, other clusters and workflows are left out: their libraries are a third of what
// is compiled for it.
package main

import (
	"log"

	fxlogr "github.com/chaos-mesh/fx-logr"
	"github.com/go-logr/logr"
	"go.uber.org/fx"
	authorizationv1 "k8s.io/client-go/kubernetes/typed/authorization/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	controllermetrics "sigs.k8s.io/controller-runtime/pkg/metrics"
	"sigs.k8s.io/controller-runtime/pkg/webhook"

	"github.com/chaos-mesh/chaos-mesh/api/v1alpha1"
	"github.com/chaos-mesh/chaos-mesh/cmd/chaos-controller-manager/provider"
	"github.com/chaos-mesh/chaos-mesh/controllers/chaosimpl/blockchaos"
	"github.com/chaos-mesh/chaos-mesh/controllers/chaosimpl/dnschaos"
	"github.com/chaos-mesh/chaos-mesh/controllers/chaosimpl/httpchaos"
	"github.com/chaos-mesh/chaos-mesh/controllers/chaosimpl/iochaos"
	"github.com/chaos-mesh/chaos-mesh/controllers/chaosimpl/jvmchaos"
	"github.com/chaos-mesh/chaos-mesh/controllers/chaosimpl/kernelchaos"
	"github.com/chaos-mesh/chaos-mesh/controllers/chaosimpl/networkchaos"
	"github.com/chaos-mesh/chaos-mesh/controllers/chaosimpl/podchaos"
	"github.com/chaos-mesh/chaos-mesh/controllers/chaosimpl/stresschaos"
	"github.com/chaos-mesh/chaos-mesh/controllers/chaosimpl/timechaos"
	"github.com/chaos-mesh/chaos-mesh/controllers/chaosimpl/utils"
	"github.com/chaos-mesh/chaos-mesh/controllers/common"
	"github.com/chaos-mesh/chaos-mesh/controllers/config"
	"github.com/chaos-mesh/chaos-mesh/controllers/multicluster/clusterregistry"
	"github.com/chaos-mesh/chaos-mesh/controllers/podhttpchaos"
	"github.com/chaos-mesh/chaos-mesh/controllers/podiochaos"
	"github.com/chaos-mesh/chaos-mesh/controllers/podnetworkchaos"
	"github.com/chaos-mesh/chaos-mesh/controllers/types"
	"github.com/chaos-mesh/chaos-mesh/controllers/utils/chaosdaemon"
	"github.com/chaos-mesh/chaos-mesh/controllers/utils/recorder"
	"github.com/chaos-mesh/chaos-mesh/pkg/grpc"
	chaoslog "github.com/chaos-mesh/chaos-mesh/pkg/log"
	"github.com/chaos-mesh/chaos-mesh/pkg/metrics"
	"github.com/chaos-mesh/chaos-mesh/pkg/selector"
	chaoswebhook "github.com/chaos-mesh/chaos-mesh/pkg/webhook"
)

var controllers = fx.Options(
	fx.Provide(chaosdaemon.New, recorder.NewRecorderBuilder, common.AllSteps, clusterregistry.New),
	fx.Invoke(common.Bootstrap, podhttpchaos.Bootstrap, podnetworkchaos.Bootstrap, podiochaos.Bootstrap),
	blockchaos.Module, dnschaos.Module, httpchaos.Module, iochaos.Module, jvmchaos.Module, kernelchaos.Module,
	networkchaos.Module, podchaos.Module, stresschaos.Module, timechaos.Module, utils.Module,
)

func main() {
	logger, err := chaoslog.NewDefaultZapLogger()
	if err != nil {
		log.Fatal(err)
	}
	chaoslog.ReplaceGlobals(logger)
	ctrl.SetLogger(logger)
	ofFx := logger.WithName("fx")
	grpc.RPCTimeout = config.ControllerCfg.RPCTimeout
	fx.New(
		fx.WithLogger(fxlogr.WithLogr(&ofFx)),
		fx.Supply(controllermetrics.Registry),
		fx.Supply(logger),
		fx.Provide(metrics.NewChaosControllerManagerMetricsCollector),
		provider.Module, controllers, selector.Module, types.ChaosObjects, types.WebhookObjects,
		fx.Invoke(run),
	).Run()
}

// parameters are what fx makes for run.
type parameters struct {
	fx.In
	Manager       ctrl.Manager
	Logger        logr.Logger
	Authorization *authorizationv1.AuthorizationV1Client
	Objects       []types.Object        `group:"objs"`
	Others        []types.WebhookObject `group:"webhookObjs"`
}

func run(p parameters) error {
	for _, o := range p.Objects {
		if err := admit(p.Manager, o.Name, o.Object); err != nil {
			return err
		}
	}
	for _, o := range p.Others {
		if err := admit(p.Manager, o.Name, o.Object); err != nil {
			return err
		}
	}
	c := config.ControllerCfg
	p.Manager.GetWebhookServer().Register("/validate-auth", &webhook.Admission{Handler: chaoswebhook.NewAuthValidator(
		c.SecurityMode, p.Authorization, p.Manager.GetScheme(), c.ClusterScoped, c.TargetNamespace, c.EnableFilterNamespace,
		p.Logger.WithName("validate-auth"),
	)})
	return p.Manager.Start(ctrl.SetupSignalHandler())
}

// admit serves an object's own webhooks, where they are asked for.
func admit(manager ctrl.Manager, name string, object v1alpha1.WebhookObject) error {
	if !config.ShouldStartWebhook(name) {
		return nil
	}
	return ctrl.NewWebhookManagedBy(manager).For(object).WithValidator(object).WithDefaulter(object).Complete()
}
