package version

import (
	"bytes"
	"strings"
	"testing"

	"github.com/kvbench/kvbench/internal/cli/env"
	"github.com/kvbench/kvbench/internal/cli/exit"
	"github.com/kvbench/kvbench/internal/cli/kube"
)

func TestWithoutAClusterTheExitCodeSaysSo(t *testing.T) {
	t.Setenv("KUBECONFIG", "/no/such/kubeconfig")
	for _, c := range []struct {
		args []string
		code int
	}{
		{nil, exit.Usage},
		{[]string{"-o", "json"}, exit.Usage},
		{[]string{"--client"}, 0},
	} {
		var out, complaints bytes.Buffer
		cmd := Command(&env.Env{Flags: kube.NewFlags(), Out: &out, Err: &complaints})
		cmd.SilenceUsage, cmd.SilenceErrors = true, true
		cmd.SetArgs(c.args)
		err := cmd.ExecuteContext(t.Context())
		if exit.Code(err) != c.code || !strings.Contains(strings.ToLower(out.String()), "client") || complaints.Len() > 0 {
			t.Errorf("%v: %v, and it printed %q and %q", c.args, err, &out, &complaints)
		}
	}
}
