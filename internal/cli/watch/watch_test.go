package watch

import (
	"strings"
	"testing"

	"github.com/kvbench/kvbench/internal/cli/env"
)

// The screen takes Ctrl-C as a key. Elsewhere it ends the process, as main says.
func TestTheHelpHasBothExitCodesOfWhoeverLeaves(t *testing.T) {
	help := strings.Join(strings.Fields(Command(&env.Env{}).Long), " ")
	for _, want := range []string{"0 for whoever leaves the screen with q or Ctrl-C", "Elsewhere an interrupt gives 130"} {
		if !strings.Contains(help, want) {
			t.Errorf("the help lacks %q", want)
		}
	}
}
