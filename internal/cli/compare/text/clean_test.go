package text

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestATextOfSomebodyElseObeysNoTerminal(t *testing.T) {
	for given, want := range map[string]string{
		"READ":                         "READ",
		"größer":                       "größer",
		"a\x1b[31mb":                   "a\ufffd[31mb",
		"a\r\nb\tc":                    "a  b c",
		"a\u202eb":                     "a\ufffdb",
		"a\u009bb":                     "a\ufffdb",
		strings.Repeat("x", 400):       strings.Repeat("x", 300) + "...",
		strings.Repeat("x", 299) + "ü": strings.Repeat("x", 299) + "...",
	} {
		if got := Clean(given); got != want {
			t.Errorf("%q is %q, want %q", given, got, want)
		}
	}
}

func TestACleanErrorIsStillTheSameError(t *testing.T) {
	cause := errors.New("not valid")
	err := CleanError(fmt.Errorf("\x1b[2J: %w", cause))
	if !errors.Is(err, cause) || err.Error() != "\ufffd[2J: not valid" || CleanError(nil) != nil {
		t.Errorf("%q", err)
	}
}
