package chaosmesh

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

const networkSchema = `
kind: CustomResourceDefinition
spec:
  versions:
  - schema:
      openAPIV3Schema:
        properties:
          spec:
            properties:
              action: {type: string, enum: [delay, partition]}
              nested:
                items:
                  properties:
                    action: {type: string, enum: [partition]}
`

func TestNetworkFaultsGetThePartitionBehavior(t *testing.T) {
	repaired, err := repairCRD([]byte(networkSchema))
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(string(repaired), "partitionBehavior:"); got != 2 {
		t.Errorf("added %d times:\n%s", got, repaired)
	}
	again, err := repairCRD(repaired)
	if err != nil || string(again) != string(repaired) {
		t.Errorf("a second repair changed it: %v", err)
	}
}

func TestOtherCRDsAreCopiedAsTheyAre(t *testing.T) {
	for _, crd := range []string{
		"# a comment\nspec: {properties: {action: {enum: [pod-kill]}}}\n",
		"spec: {properties: {action: {type: string}}}\n",
		"spec: {properties: {action: {enum: [partition]}, partitionBehavior: {type: string}}}\n",
	} {
		if got, err := repairCRD([]byte(crd)); err != nil || string(got) != crd {
			t.Errorf("%q became %q, %v", crd, got, err)
		}
	}
}

func TestTheValuesNameOnlyWhatIsBuilt(t *testing.T) {
	var values struct {
		Images            struct{ Tag string }
		ControllerManager struct {
			PodChaos struct{ PodFailure struct{ PauseImage string } }
		}
		ChaosDaemon struct{ Runtime, SocketPath string }
		Dashboard   struct{ Create *bool }
		DNSServer   struct{ Create *bool } `json:"dnsServer"`
	}
	if err := yaml.Unmarshal([]byte(valuesFor("v1.2.3-x")), &values); err != nil {
		t.Fatal(err)
	}
	if values.Images.Tag != "v1.2.3-x" || values.ChaosDaemon.SocketPath != "/run/containerd/containerd.sock" ||
		values.ControllerManager.PodChaos.PodFailure.PauseImage != "kvbench.local/pause:v1" {
		t.Errorf("%+v", values)
	}
	if values.Dashboard.Create == nil || *values.Dashboard.Create || values.DNSServer.Create == nil || *values.DNSServer.Create {
		t.Error("parts are on whose images aren't built")
	}
}

func TestTheMirrorIsTheMachines(t *testing.T) {
	for targets, want := range map[string]string{
		"http://deb.debian.org/debian-security bookworm-security\nhttp://mirror/debian bookworm\n": "http://mirror/debian",
		"http://deb.debian.org/debian-security bookworm\n":                                         "",
		"http://archive.ubuntu.com/ubuntu noble\n":                                                 "",
		"": "",
	} {
		if got := pickMirror(targets); got != want {
			t.Errorf("%q: got %q, want %q", targets, got, want)
		}
	}
}

func TestNsexecSpeaksNsenter(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{"nsexec": nsexec, "nsenter": "#!/bin/sh\necho \"$@\"\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for args, want := range map[string]string{
		"-n /proc/7/ns/net -- ipset list":      "--net=/proc/7/ns/net -- ipset list",
		"-p /p -n /n -i /i -- sh -c x":         "--pid=/p --net=/n --ipc=/i -- setpriv --pdeathsig KILL -- sh -c x",
		"-p /p -m /m -- sh -c x":               "--pid=/p --mount=/m -- sh -c x",
		"-m /m -- ls -l":                       "--mount=/m -- ls -l",
		"-l -p /p -m /m -- tool -m keeps-this": "--pid=/p -- setpriv --pdeathsig KILL -- tool -m keeps-this",
	} {
		cmd := exec.Command(filepath.Join(dir, "nsexec"), strings.Fields(args)...)
		cmd.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"))
		out, err := cmd.Output()
		if got := strings.Join(strings.Fields(string(out)), " "); err != nil || got != want {
			t.Errorf("%s: got %q, want %q, %v", args, got, want, err)
		}
	}
}
