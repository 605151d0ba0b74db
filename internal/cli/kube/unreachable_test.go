package kube

import (
	"strings"
	"testing"

	"k8s.io/client-go/rest"
)

// The way to the results server begins at the API server.
func TestWithoutAClusterTheResultsServerIsNotToBlame(t *testing.T) {
	cluster, err := Connect(&rest.Config{Host: "http://127.0.0.1:1"}, "default", "kvbench-system")
	if err != nil {
		t.Fatal(err)
	}
	results := cluster.Results()
	defer results.Close()
	err = results.Ask(t.Context(), "/v1/baselines/default", &struct{}{})
	if err == nil || !strings.HasPrefix(err.Error(), "the cluster can't be reached: ") || !strings.Contains(err.Error(), "kubectl config current-context") {
		t.Error(err)
	}
}
