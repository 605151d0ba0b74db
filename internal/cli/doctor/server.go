package doctor

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/client-go/rest"

	"github.com/kvbench/kvbench/internal/cli/kube"
)

// oldest is the oldest Kubernetes that kvbench's chart takes.
var oldest = version.MajorMinor(1, 30)

// server is what the API server said when it was first asked.
type server struct {
	version string    // "" where it doesn't tell
	date    time.Time // of its clock, in whole seconds, rounded down; zero where it doesn't tell
	asked   time.Time // of this machine's clock, before the request
	told    time.Time // and after the answer
}

// greet fails where the cluster can't be reached, or doesn't know the user.
func greet(ctx context.Context, cluster *kube.Cluster) (s server, err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	client, err := rest.HTTPClientFor(cluster.Config)
	if err != nil {
		return s, fmt.Errorf("using the kubeconfig: %w", err)
	}
	address := cluster.Clients.Discovery().RESTClient().Get().AbsPath("/version").URL()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address.String(), http.NoBody)
	if err != nil {
		return s, err
	}
	s.asked = time.Now()
	answer, err := client.Do(request)
	s.told = time.Now()
	if err != nil {
		return s, kube.Explain(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode == http.StatusUnauthorized {
		return s, kube.Explain(apierrors.NewUnauthorized("the API server refuses the credentials"))
	}
	s.date, _ = http.ParseTime(answer.Header.Get("Date"))
	if answer.StatusCode == http.StatusForbidden {
		return s, nil
	}
	var told struct {
		GitVersion string `json:"gitVersion"`
	}
	err = json.NewDecoder(io.LimitReader(answer.Body, 1<<20)).Decode(&told)
	if err != nil || told.GitVersion == "" {
		return s, fmt.Errorf("%s is no API server of Kubernetes, for it tells no version (HTTP status %s): see that the kubeconfig and its context are the right ones", cluster.Config.Host, answer.Status)
	}
	s.version = told.GitVersion
	return s, nil
}

func judgeVersion(s server) Finding {
	if s.version == "" {
		return unanswered(apierrors.NewForbidden(schema.GroupResource{}, "/version", nil), right{verb: "get", resource: "/version"})
	}
	is, err := version.ParseGeneric(s.version)
	switch {
	case err != nil:
		return unknown(wholeCluster, "whether %q is a version that fits is not known", bounded(s.version)).so("kvbench needs %s or newer", oldest).mend("see kubectl version")
	case is.LessThan(oldest):
		return problem(wholeCluster, "Kubernetes %s", s.version).so("it is too old for kvbench's definitions").mend("upgrade the cluster to %s or newer", oldest)
	}
	return ok(wholeCluster, "Kubernetes %s", s.version)
}
