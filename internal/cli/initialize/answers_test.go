package initialize

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kvbench/kvbench/internal/cli/validate"
	"github.com/kvbench/kvbench/internal/stores/catalog"
	"github.com/kvbench/kvbench/internal/workload"
)

// scripted answers, which make a run.
func scripted(t *testing.T, given ...string) *answers {
	t.Helper()
	a, err := fromScript("first", given)
	if err != nil {
		t.Fatalf("%q: %v", given, err)
	}
	return a
}

// valid fails the test if validate refuses what is written.
func valid(t *testing.T, a *answers) {
	t.Helper()
	allValid(t, []validate.Content{{File: a.name, Text: []byte(render(a))}})
}

func TestAModeThatIsMadeOfItsNameIsTaken(t *testing.T) {
	valid(t, scripted(t, "store=cassandra", "mode=read-one-write-all"))
}

func TestNamesThatLookLikeSomethingElseStayNames(t *testing.T) {
	for _, name := range []string{"first", "etcd-3", "a", "123", "1e3", "0x1f", "0o7", "1-2", "true", "false", "null", "yes", "no", "on", "off", "y", "n"} {
		a := scripted(t)
		a.name = name
		valid(t, a)
		if plain := strings.Contains(render(a), "\n  name: "+name+"\n"); plain != slices.Contains([]string{"first", "etcd-3", "a"}, name) {
			t.Errorf("%s: plain is %v\n%s", name, plain, render(a))
		}
	}
}

func TestWhatIsNotAnsweredHasItsDefault(t *testing.T) {
	for given, want := range map[string]string{
		"":                          "etcd linearizable 3 A 1000 LeaderKill",
		"store=memcached":           "memcached sharded 3 A 1000 MemberKill", // where nobody leads
		"store=hazelcast,mode=cp":   "hazelcast cp 3 A 1000 LeaderKill",
		"nodes=1":                   "etcd linearizable 1 A 1000 LeaderKill",
		"fault=none":                "etcd linearizable 3 A 1000 ",
		"rate=closed,workload=b":    "etcd linearizable 3 B 0 LeaderKill",
		"store = redis , nodes = 5": "redis async 5 A 1000 LeaderKill",
	} {
		a := scripted(t, strings.Split(given, ",")...)
		got := fmt.Sprintf("%s %s %d %s %d %s", a.store.Name, a.mode.Name, a.nodes, a.workload.name, a.rate, a.fault.name)
		if got != want {
			t.Errorf("%q: got %q, want %q", given, got, want)
		}
	}
}

func TestAWrongAnswerIsRefusedWithThoseThereAre(t *testing.T) {
	for given, want := range map[string]string{
		"sotre=etcd":                       `there is no question sotre: did you mean store? (there are store, mode, nodes, workload, rate, fault)`,
		"etcd":                             "write key=value",
		"store=etdc":                       "did you mean etcd? (there are cassandra, etcd,",
		"store=basic":                      "there is no such store",
		"store=":                           `store="": there is no such store`,
		"store=\x1b[2J":                    `store="\x1b[2J": there is no such store`,
		"\u202e=etcd":                      `no question "\u202e"`,
		strings.Repeat("a", 100):           strings.Repeat("a", 60) + "... is no answer",
		"mode=linear":                      "etcd has no such mode",
		"nodes=many":                       "has 1 to 9 members",
		"nodes=10":                         "has 1 to 9 members",
		"nodes=-1":                         "has 1 to 9 members",
		"store=redis,mode=cluster,nodes=2": "1, 3, 4, 5, 6, 7, 8 or 9 members",
		"workload=G":                       "there is no such workload",
		"store=memcached,workload=E":       "memcached in its mode sharded has no scan",
		"rate=fast":                        "a whole number from 1 to 10000000, and a closed loop is closed",
		"rate=0":                           "a whole number from 1",
		"rate=10000001":                    "a whole number from 1",
		"fault=LeaderKil":                  "did you mean LeaderKill?",
		"nodes=1,fault=FollowerKill":       "the only node is the leader, so none follows it",
		"nodes=1,fault=LeaderPartition":    "Possible are None, LeaderKill",
		"store=etcd,store=redis":           "store is answered twice, with etcd and redis",
	} {
		_, err := fromScript("first", strings.Split(given, ","))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", given, err, want)
		}
	}
}

func TestEachPresetIsOneOfTheWorkloads(t *testing.T) {
	for _, p := range presets {
		if _, exists := workload.Preset(p.name); !exists {
			t.Errorf("there is no preset %s", p.name)
		}
	}
}

func TestEachActionOfTheCatalogHasItsWords(t *testing.T) {
	for _, f := range allFaults() {
		if effects[f.action.Name] == "" {
			t.Errorf("effects says nothing of %s", f.action.Name)
		}
	}
}

func TestCommentsSayWhatThePlanHas(t *testing.T) {
	for _, store := range catalog.Deployable() {
		a := scripted(t, "store="+store)
		p, err := a.compiled()
		if err != nil {
			t.Fatal(err)
		}
		load := p.Workloads[0].Load
		want := fmt.Sprintf("without warm-up (%s) and cool-down (%s)", time.Duration(load.WarmupMillis)*time.Millisecond, time.Duration(load.CooldownMillis)*time.Millisecond)
		if text := render(a); !strings.Contains(text, want) {
			t.Errorf("%s: %q is not in\n%s", store, want, text)
		}
	}
}
