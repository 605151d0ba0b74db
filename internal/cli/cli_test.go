package cli

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/kvbench/kvbench/internal/cli/exit"
)

func TestEachCommandTeaches(t *testing.T) {
	var visit func(*cobra.Command)
	visit = func(c *cobra.Command) {
		for _, below := range c.Commands() {
			visit(below)
		}
		if c.Short == "" || strings.HasSuffix(c.Short, ".") {
			t.Errorf("%s: the short help is %q", c.CommandPath(), c.Short)
		}
		if c.Runnable() && !strings.Contains(c.Example, "kubectl kvbench "+c.Name()) && !strings.Contains(c.Example, "kubectl kvbench "+c.Parent().Name()+" "+c.Name()) {
			t.Errorf("%s has no example of itself: %q", c.CommandPath(), c.Example)
		}
		for line := range strings.Lines(c.Long) {
			if len(strings.TrimRight(line, "\n")) > 130 {
				t.Errorf("%s: a line of the help is too long: %s", c.CommandPath(), line)
			}
		}
	}
	visit(Command(strings.NewReader(""), io.Discard, io.Discard))
}

func TestWrongUsageIsRefusedWithoutACluster(t *testing.T) {
	for _, args := range [][]string{{"frob"}, {"report"}, {"list", "pods"}, {"run"}, {"run", "-f", "/no/such/file"}, {"report", "a", "-o", "xml"}, {"baseline", "set"}, {"validate"}, {"init", "--answers", "store=etdc"}} {
		t.Setenv("KUBECONFIG", "/no/such/kubeconfig")
		var out bytes.Buffer
		cmd := Command(strings.NewReader(""), &out, io.Discard)
		cmd.SetArgs(args)
		err := cmd.ExecuteContext(t.Context())
		if exit.Code(err) != exit.Usage || err.Error() == "" || out.Len() != 0 {
			t.Errorf("%v: %v, and it printed %q", args, err, &out)
		}
	}
}

func TestTooFewArgumentsSayWhatToWrite(t *testing.T) {
	for line, args := range map[string][]string{
		"kubectl kvbench report NAME":        {"report"},
		"kubectl kvbench compare BASE OTHER": {"compare", "a"},
		"kubectl kvbench list [":             {"list", "pods"},
	} {
		cmd := Command(strings.NewReader(""), io.Discard, io.Discard)
		cmd.SetArgs(args)
		if err := cmd.ExecuteContext(t.Context()); err == nil || !strings.Contains(err.Error(), "\nWrite:  "+line) {
			t.Errorf("%v: %v", args, err)
		}
	}
}

func TestNamesAndFormatsAreCompleted(t *testing.T) {
	var out bytes.Buffer
	cmd := Command(strings.NewReader(""), &out, io.Discard)
	cmd.SetArgs([]string{"__complete", "report", "a", "--output", ""})
	if err := cmd.ExecuteContext(t.Context()); err != nil || !strings.HasPrefix(out.String(), "table\njson\nyaml\nmarkdown\ncsv\njunit\n") {
		t.Errorf("%v: %s", err, &out)
	}
}
