package charts

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// redisScript is one of the chart's scripts, among answers of Sentinels or members by their hosts, in a
// folder of its own. Who has no answer can't be reached. The server prints how it was started.
type redisScript struct {
	nodes   int
	member  int
	answers map[int]string
	hasData bool
}

func (r redisScript) run(t *testing.T, name string) string {
	t.Helper()
	folder := t.TempDir()
	for _, script := range []string{"ask.sh", "security.sh", name} {
		text, err := fs.ReadFile(Stores(), "redis/scripts/"+script)
		if err != nil {
			t.Fatal(err)
		}
		moved := strings.NewReplacer("/scripts/", folder+"/", "/data", folder+"/data").Replace(string(text))
		write(t, filepath.Join(folder, script), moved, 0o600)
	}
	write(t, filepath.Join(folder, "answers", "none"), "", 0o600)
	for member, answer := range r.answers {
		host := fmt.Sprintf("run-1-%d.run-1", member)
		if member == r.member {
			host = "127.0.0.1"
		}
		write(t, filepath.Join(folder, "answers", host), answer, 0o600)
	}
	if r.hasData {
		write(t, filepath.Join(folder, "data", "appendonlydir", "x"), "", 0o600)
	}
	write(t, filepath.Join(folder, "bin", "redis-cli"), "#!/bin/sh\ncat >/dev/null\nexec cat "+folder+"/answers/\"$2\"\n", 0o700)
	write(t, filepath.Join(folder, "bin", "redis-server"), "#!/bin/sh\ncat >/dev/null\necho \"started: $*\"\n", 0o700)
	write(t, filepath.Join(folder, "bin", "sleep"), "#!/bin/sh\nexec /bin/sleep 0.01\n", 0o700)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	command := exec.CommandContext(ctx, "/bin/sh", filepath.Join(folder, name), "--appendonly", "yes")
	command.Env = []string{
		"PATH=" + filepath.Join(folder, "bin") + ":/usr/bin:/bin", "SECURITY=None", "PROGRAMS=redis", "RESUME=true",
		fmt.Sprintf("POD_NAME=run-1-%d", r.member), "RELEASE=run-1", "DOMAIN=run-1", fmt.Sprint("NODES=", r.nodes), "POD_IP=10.0.0.1",
	}
	out, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%v:\n%s", err, out)
	}
	return string(out)
}

func write(t *testing.T, file, text string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

func TestARedisServerTakesTheRoleThatSentinelsHaveForIt(t *testing.T) {
	names := func(primary, epoch, replicas int) string {
		return fmt.Sprintf("name\nmymaster\nconfig-epoch\n%d\nnum-slaves\n%d\nrun-1-%d.run-1\n6379\n", epoch, replicas, primary)
	}
	const waited, unsure = "waiting until they choose another one", "too few to know"
	for name, c := range map[string]struct {
		script                 redisScript
		says, saysNot, follows string
	}{
		"the first start of all": {
			script: redisScript{nodes: 3, answers: map[int]string{0: names(0, 0, 0), 1: names(0, 0, 0)}}, says: "name this server the primary, in epoch 0",
			saysNot: "waiting",
		},
		"another one is the primary": {
			script:  redisScript{nodes: 3, answers: map[int]string{0: names(0, 0, 0), 1: names(2, 1, 2)}},
			follows: "--replicaof run-1-2.run-1 6379",
		},
		"it is back with its data": {
			script: redisScript{nodes: 3, hasData: true, answers: map[int]string{0: names(0, 4, 2), 1: names(0, 4, 2)}}, says: "in epoch 4", saysNot: "waiting",
		},
		"it is back without its data": {
			script: redisScript{nodes: 3, answers: map[int]string{0: names(0, 0, 0), 1: names(0, 0, 2)}}, says: waited,
		},
		"it is back without its data, and nobody else answers": {
			script: redisScript{nodes: 3, answers: map[int]string{0: names(0, 0, 0)}}, says: unsure,
		},
		"it is back with its data, and nobody else answers": {
			script: redisScript{nodes: 3, hasData: true, answers: map[int]string{0: names(0, 0, 0)}}, says: "in epoch 0", saysNot: "waiting",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			said := c.script.run(t, "server.sh")
			if !strings.Contains(said, "started: ") || !strings.Contains(said, c.says) || c.saysNot != "" && strings.Contains(said, c.saysNot) {
				t.Errorf("want %q and not %q in:\n%s", c.says, c.saysNot, said)
			}
			if got := strings.Contains(said, "--replicaof"); got != (c.follows != "") || !strings.Contains(said, c.follows) {
				t.Errorf("want %q in:\n%s", c.follows, said)
			}
		})
	}
}

func TestAMemberOfARedisClusterIsNotCopiedWhileItIsEmpty(t *testing.T) {
	const (
		self     = "id0 10.0.0.9:6379@16379,run-1-0.run-1 myself,master - 0 0 1 connected\n"
		owner    = "id0 10.0.0.9:6379@16379,run-1-0.run-1 master - 0 0 1 connected 0-5460\n"
		follower = "id3 10.0.0.3:6379@16379,run-1-3.run-1 slave id0 0 0 1 connected\n"
		waits    = "waiting until a replica takes its place"
	)
	for name, c := range map[string]struct {
		script redisScript
		waits  bool
	}{
		"the first start of all":        {redisScript{nodes: 6}, false},
		"others were just started":      {redisScript{nodes: 6, answers: map[int]string{1: self}}, false},
		"it has replicas":               {redisScript{nodes: 6, answers: map[int]string{1: owner + follower}}, true},
		"it has none":                   {redisScript{nodes: 6, answers: map[int]string{1: owner}}, false},
		"it has replicas, and its data": {redisScript{nodes: 6, hasData: true, answers: map[int]string{1: owner + follower}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			said := c.script.run(t, "cluster.sh")
			if !strings.Contains(said, "started: ") || strings.Contains(said, waits) != c.waits {
				t.Errorf("waits: want %v in:\n%s", c.waits, said)
			}
		})
	}
}
