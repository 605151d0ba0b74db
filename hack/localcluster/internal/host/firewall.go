package host

import (
	"errors"
	"fmt"
	"os/exec"
	"strings"

	"github.com/kvbench/kvbench/hack/localcluster/internal/layout"
)

// ruleset renders our table. Pods reach the outside under the machine's address.
// A pod that a service sends back to itself needs masquerading too; kube-proxy
// does it for the pods of its own node only, and one kube-proxy serves all
// nodes here. nftables can't compare two addresses of a packet, so the set lists
// every address beside itself.
func ruleset(nodes []layout.Node) string {
	var pairs []string
	for _, n := range nodes {
		for i := 2; i < 255; i++ {
			pod := fmt.Sprintf("10.218.%d.%d", n.Index, i)
			pairs = append(pairs, pod+" . "+pod)
		}
	}
	return fmt.Sprintf(`
table ip %[1]s
delete table ip %[1]s
table ip %[1]s {
  set hairpin {
    type ipv4_addr . ipv4_addr
    elements = { %[4]s }
  }
  chain postrouting {
    type nat hook postrouting priority 100;
    ip saddr %[2]s ip daddr != { %[2]s, %[3]s } masquerade
    ct status dnat ip saddr . ip daddr @hairpin masquerade
  }
}
`, layout.NftTable, layout.PodNetwork, layout.ServiceNetwork, strings.Join(pairs, ", "))
}

// InstallRules makes the rules for these nodes, in place of those for fewer. A
// firewall that forwards nothing by default, such as Docker's, gets two rules more.
func InstallRules(nodes []layout.Node) error {
	_, err := run(ruleset(nodes), "nft", "-f", "-")
	if err != nil {
		return fmt.Errorf("making the nftables table %s: %w", layout.NftTable, err)
	}
	rules, err := iptablesForward()
	if err != nil || !dropsByDefault(rules) {
		return nil
	}
	if len(ourForwardRules(rules)) > 0 {
		return nil
	}
	for _, direction := range []string{"-i", "-o"} {
		if _, err := run("", "iptables", "-w", "-I", "FORWARD", direction, layout.BridgePrefix+"+",
			"-m", "comment", "--comment", layout.RuleComment, "-j", "ACCEPT"); err != nil {
			return err
		}
	}
	return nil
}

// iptablesForward lists the chain FORWARD, if the machine has iptables at all.
func iptablesForward() (string, error) {
	if _, err := exec.LookPath("iptables"); err != nil {
		return "", err
	}
	return run("", "iptables", "-w", "-S", "FORWARD")
}

func dropsByDefault(rules string) bool {
	first, _, _ := strings.Cut(rules, "\n")
	return strings.TrimSpace(first) == "-P FORWARD DROP"
}

// ourForwardRules picks the rules that InstallRules added, as arguments that delete them.
func ourForwardRules(rules string) [][]string {
	var found [][]string
	for line := range strings.Lines(rules) {
		fields := strings.Fields(line)
		if len(fields) < 2 || fields[0] != "-A" || fields[1] != "FORWARD" {
			continue
		}
		for i, f := range fields {
			if f == "--comment" && i+1 < len(fields) && strings.Trim(fields[i+1], `"`) == layout.RuleComment {
				fields[0], fields[i+1] = "-D", layout.RuleComment
				found = append(found, fields)
				break
			}
		}
	}
	return found
}

// Tables lists the tables of a cluster that are there.
func Tables() ([][2]string, error) {
	out, err := run("", "nft", "list", "tables")
	if err != nil {
		return nil, err
	}
	return ourTables(out), nil
}

// ourTables picks ours, and kube-proxy's if ours is beside them: kube-proxy can't
// be given other names, and without our table it is another cluster's. Ours is
// made first and comes last here, so it is also the last to go.
func ourTables(list string) [][2]string {
	present := map[[2]string]bool{}
	for line := range strings.Lines(list) {
		if fields := strings.Fields(line); len(fields) == 3 && fields[0] == "table" {
			present[[2]string{fields[1], fields[2]}] = true
		}
	}
	own := [2]string{"ip", layout.NftTable}
	candidates := [][2]string{{"ip", NftProbe}}
	if present[own] {
		candidates = append(candidates, [2]string{"ip", "kube-proxy"}, [2]string{"ip6", "kube-proxy"}, own)
	}
	var found [][2]string
	for _, t := range candidates {
		if present[t] {
			found = append(found, t)
		}
	}
	return found
}

// OtherKubeProxy says whether a kube-proxy of another cluster rules this machine.
func OtherKubeProxy() bool {
	out, err := run("", "nft", "list", "tables")
	return err == nil && strings.Contains(out, "table ip kube-proxy\n") && !strings.Contains(out, "table ip "+layout.NftTable+"\n")
}

// RemoveRules deletes our tables and rules.
func RemoveRules() error {
	found, failed := Tables()
	for _, t := range found {
		if _, err := run("", "nft", "delete", "table", t[0], t[1]); err != nil {
			failed = errors.Join(failed, err)
		}
	}
	rules, err := iptablesForward()
	if err != nil {
		return failed
	}
	for _, rule := range ourForwardRules(rules) {
		if _, err := run("", "iptables", append([]string{"-w"}, rule...)...); err != nil {
			failed = errors.Join(failed, err)
		}
	}
	return failed
}
