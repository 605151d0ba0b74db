package kube

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

const kubeconfig = `{apiVersion: v1, kind: Config, current-context: c, clusters: [{name: c, cluster: {server: "https://10.0.0.1"}}],
users: [{name: u, user: {}}], contexts: [{name: c, context: {cluster: c, user: u}}]}`

func TestAKubeconfigWithoutAClusterIsNamed(t *testing.T) {
	t.Setenv("KUBERNETES_SERVICE_HOST", "")
	folder := t.TempDir()
	empty, whole := filepath.Join(folder, "empty"), filepath.Join(folder, "whole")
	for file, content := range map[string]string{empty: "", whole: kubeconfig} {
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for variable, c := range map[string]struct {
		args      []string
		complaint string
	}{
		"/no/such/config":       {nil, "/no/such/config doesn't exist"},
		empty:                   {nil, empty + " has no cluster"},
		whole:                   {nil, ""},
		"/no/such/one:" + whole: {nil, ""},
		"/no/such/two":          {[]string{"--kubeconfig", whole}, ""},
		"/no/such/three":        {[]string{"--server", "https://10.0.0.1"}, ""},
		"":                      {[]string{"--kubeconfig", "/no/such/file"}, "/no/such/file"},
	} {
		t.Setenv("KUBECONFIG", variable)
		flags, set := NewFlags(), pflag.NewFlagSet("test", pflag.ContinueOnError)
		flags.Add(set)
		if err := set.Parse(c.args); err != nil {
			t.Fatal(err)
		}
		_, err := flags.Connect()
		if (err == nil) != (c.complaint == "") || err != nil && !strings.Contains(err.Error(), c.complaint) {
			t.Errorf("%q %v: %v, want %q", variable, c.args, err, c.complaint)
		}
	}
}
