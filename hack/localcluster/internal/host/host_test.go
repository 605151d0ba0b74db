package host

import (
	"net"
	"reflect"
	"strings"
	"testing"

	"github.com/kvbench/kvbench/hack/localcluster/internal/layout"
)

func TestOnlyOurTablesAreChosen(t *testing.T) {
	ours := [2]string{"ip", layout.NftTable}
	proxy4, proxy6 := [2]string{"ip", "kube-proxy"}, [2]string{"ip6", "kube-proxy"}
	cases := map[string]struct {
		list string
		want [][2]string
	}{
		"ours is the last to go":          {"table ip kvbench_localcluster\ntable ip kube-proxy\ntable ip6 kube-proxy\n", [][2]string{proxy4, proxy6, ours}},
		"another cluster's kube-proxy":    {"table ip kube-proxy\ntable ip6 kube-proxy\n", nil},
		"names that only begin like ours": {"table ip kvbench_localcluster2\ntable inet kvbench_localcluster\ntable ip filter\n", nil},
		"a probe that was killed":         {"table ip kvbench_probe\n", [][2]string{{"ip", NftProbe}}},
		"Docker's tables beside ours":     {"table ip nat\ntable ip filter\ntable ip kvbench_localcluster\n", [][2]string{ours}},
		"nothing":                         {"", nil},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if got := ourTables(c.list); !reflect.DeepEqual(got, c.want) {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

func TestOnlyOurForwardRulesAreChosen(t *testing.T) {
	rules := `-P FORWARD DROP
-A FORWARD -i kvb+ -m comment --comment kvbench-localcluster -j ACCEPT
-A FORWARD -o kvb+ -m comment --comment "kvbench-localcluster" -j ACCEPT
-A FORWARD -i kvb+ -m comment --comment kvbench-localcluster-not -j ACCEPT
-A FORWARD -i kvb+ -j ACCEPT
-A FORWARD -j DOCKER-USER
-A INPUT -m comment --comment kvbench-localcluster -j ACCEPT
`
	want := [][]string{
		strings.Fields("-D FORWARD -i kvb+ -m comment --comment kvbench-localcluster -j ACCEPT"),
		strings.Fields("-D FORWARD -o kvb+ -m comment --comment kvbench-localcluster -j ACCEPT"),
	}
	if got := ourForwardRules(rules); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v", got)
	}
	if !dropsByDefault(rules) || dropsByDefault("-P FORWARD ACCEPT\n-A FORWARD -j DROP\n") {
		t.Error("the policy is misread")
	}
}

func TestOnlyOurInterfacesAreChosen(t *testing.T) {
	made := func(name, kind, master string) link {
		l := link{Name: name, Master: master}
		l.Info.Kind = kind
		return l
	}
	links := []link{
		made("lo", "", ""), made("eth0", "", ""), made("docker0", "bridge", ""),
		made("kvb0", "bridge", ""), made("kvb12", "bridge", ""),
		made("kvbx", "bridge", ""), made("kvb1x", "bridge", ""), made("kvb2", "veth", "docker0"),
		made("veth1", "veth", "kvb12"), made("veth2", "veth", "docker0"), made("tap0", "tun", "kvb12"),
	}
	if got, want := ourLinks(links), []string{"veth1", "kvb0", "kvb12"}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestMountsBelowAreTakenDeepestFirst(t *testing.T) {
	mountinfo := `1 0 8:1 / / rw - ext4 /dev/sda rw
2 1 0:2 / /var/lib/kvb rw - tmpfs t rw
3 2 0:3 / /var/lib/kvb/a/b\040c rw - tmpfs t rw
4 2 0:4 / /var/lib/kvb/a rw - tmpfs t rw
5 4 0:5 / /var/lib/kvb/a rw - tmpfs on-top rw
6 1 0:6 / /var/lib/kvb-another rw - tmpfs t rw
`
	want := []string{"/var/lib/kvb/a/b c", "/var/lib/kvb/a", "/var/lib/kvb/a", "/var/lib/kvb"}
	if got := mountsBelow(mountinfo, "/var/lib/kvb"); !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestConflictsWithOurNetworksAreSeen(t *testing.T) {
	for cidr, want := range map[string]bool{
		"192.168.1.5/24": false, "10.0.0.1/16": false, "10.217.255.1/24": false,
		"10.218.3.4/24": true, "10.219.0.1/32": true, "10.1.2.3/8": true,
	} {
		ip, network, err := net.ParseCIDR(cidr)
		if err != nil {
			t.Fatal(err)
		}
		network.IP = ip
		if got := overlaps(network); got != want {
			t.Errorf("%s: %v", cidr, got)
		}
	}
}

func TestRulesetListsEachNodesAddresses(t *testing.T) {
	rules := ruleset(layout.Paths{}.Nodes(2))
	for text, want := range map[string]bool{
		"10.218.1.2 . 10.218.1.2,": true, "10.218.2.254 . 10.218.2.254 }": true,
		"10.218.3.2": false, "10.218.1.1 ": false, "10.218.1.255": false,
	} {
		if got := strings.Contains(rules, text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func TestLimitsAreOnlyRaised(t *testing.T) {
	for _, c := range []struct {
		current, value string
		want           bool
	}{{"128", "8192", false}, {"8192", "8192", true}, {"9000", "8192", true}} {
		if got := atLeast(c.current, c.value); got != c.want {
			t.Errorf("%s of %s: %v", c.current, c.value, got)
		}
	}
}
