//go:build e2e

package e2e

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	. "github.com/onsi/gomega"
)

// cores is what the cores of the machine that runs the tests did since it started, in ticks (proc_stat(5)).
type cores struct{ all, idle, stolen float64 }

func readCores() (c cores) {
	text, err := os.ReadFile("/proc/stat")
	Expect(err).NotTo(HaveOccurred())
	total, _, _ := strings.Cut(string(text), "\n")
	for i, field := range strings.Fields(total)[1:] {
		ticks, err := strconv.ParseFloat(field, 64)
		Expect(err).NotTo(HaveOccurred())
		switch i {
		case 3, 4: // without work, and waiting for a disk
			c.idle += ticks
		case 7:
			c.stolen += ticks
		case 8, 9: // of virtual machines, which the first two have as well
			continue
		}
		c.all += ticks
	}
	return c
}

// since says what the cores did after an earlier reading.
func (c cores) since(before cores) string {
	all := c.all - before.all
	return fmt.Sprintf("meanwhile the machine's cores were idle for %.0f %% of the time, and taken away by its host for %.0f %%",
		100*(c.idle-before.idle)/all, 100*(c.stolen-before.stolen)/all)
}
