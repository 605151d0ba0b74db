//go:build root

package integration

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"

	"github.com/kvbench/kvbench/charts"
	"github.com/kvbench/kvbench/internal/credentials"
	"github.com/kvbench/kvbench/internal/helm"
	"github.com/kvbench/kvbench/internal/stores"
)

// redisPods are the pods that Redis' chart makes, as far as its start scripts see: a network
// namespace for each, the image's files, a folder for the data, and /etc/hosts in place of DNS.
type redisPods struct {
	network   *podNet
	image     string // folder of the image's files
	folder    string
	set       *appsv1.StatefulSet
	ends      []*podEnd
	addresses int // that were given so far
	running   map[string]*redisProcess
	secret    map[string][]byte
	said      *written // what the containers wrote
}

type redisProcess struct {
	command *exec.Cmd
	ended   chan error
}

// newRedisPods makes pods that ask for so much security. The values begin a JSON object's members.
func newRedisPods(level, values string) *redisPods {
	GinkgoHelper()
	r := &redisPods{network: newPodNet(), folder: GinkgoT().TempDir(), running: map[string]*redisProcess{}, said: &written{}}
	for _, bin := range filepath.SplitList(os.Getenv("KVBENCH_BIN_DIR")) {
		if _, err := os.Stat(filepath.Join(bin, "redis-server")); err == nil {
			r.image = filepath.Join(filepath.Dir(bin), "root")
		}
	}
	Expect(r.image).NotTo(BeEmpty(), "KVBENCH_BIN_DIR has no redis-server; `make test-robustness` sets it: `localcluster store-programs` prints it")
	chart, err := fs.Sub(charts.Stores(), "redis")
	Expect(err).NotTo(HaveOccurred())
	manifest, err := helm.Render(helm.Release{Name: "run", Namespace: "bench", Chart: chart,
		Values: fmt.Appendf(nil, `{"security":{"level":%q,"secret":"credentials"},%s}`, level, values)})
	Expect(err).NotTo(HaveOccurred())
	r.secret, err = credentials.Make(level, "default", nil, time.Now())
	Expect(err).NotTo(HaveOccurred())
	for _, folder := range []string{"scripts", "credentials"} {
		Expect(os.Mkdir(r.path(folder), 0o755)).To(Succeed())
	}
	for name, content := range r.secret {
		Expect(os.WriteFile(r.path("credentials", name), content, 0o600)).To(Succeed())
	}
	for _, document := range strings.Split(manifest, "\n---\n") {
		switch {
		case strings.Contains(document, "kind: ConfigMap"):
			var scripts corev1.ConfigMap
			Expect(yaml.Unmarshal([]byte(document), &scripts)).To(Succeed())
			for name, text := range scripts.Data {
				Expect(os.WriteFile(r.path("scripts", name), []byte(text), 0o644)).To(Succeed())
			}
		case strings.Contains(document, "kind: StatefulSet"):
			r.set = &appsv1.StatefulSet{}
			Expect(yaml.Unmarshal([]byte(document), r.set)).To(Succeed())
		}
	}
	r.ends = make([]*podEnd, *r.set.Spec.Replicas)
	for i := range r.ends {
		r.place(i)
	}
	DeferCleanup(func() {
		for name := range r.running {
			r.kill(name)
		}
		for _, end := range r.ends {
			Expect(end.file.Close()).To(Succeed())
		}
	})
	return r
}

func (r *redisPods) path(names ...string) string {
	return filepath.Join(append([]string{r.folder}, names...)...)
}

// place gives a pod an address that none had, and an empty volume.
func (r *redisPods) place(pod int) {
	GinkgoHelper()
	data := r.path(fmt.Sprint("data", pod))
	Expect(os.RemoveAll(data)).To(Succeed())
	Expect(os.Mkdir(data, 0o755)).To(Succeed())
	r.move(pod)
}

// move gives a pod an address that none had.
func (r *redisPods) move(pod int) {
	GinkgoHelper()
	r.addresses++
	end, err := r.network.connect(r.addresses)
	Expect(err).NotTo(HaveOccurred())
	if r.ends[pod] != nil {
		Expect(r.ends[pod].file.Close()).To(Succeed())
	}
	r.ends[pod] = end
	hosts := "127.0.0.1 localhost\n"
	for i, end := range r.ends {
		if end != nil {
			hosts += fmt.Sprintf("%s run-%d.run.bench.svc\n", end.address, i)
		}
	}
	// The file stays the same one, which is mounted.
	Expect(os.WriteFile(r.path("hosts"), []byte(hosts), 0o644)).To(Succeed())
}

// inImage mounts what a container has, in a mount namespace that ends with the program.
const inImage = `set -e
mount -t overlay overlay -o "lowerdir=$IMAGE,upperdir=$OWN/upper,workdir=$OWN/work" "$OWN/root"
cd "$OWN/root"
mkdir -p data scripts dev etc/redis-credentials
echo 'hosts: files' >etc/nsswitch.conf
: >etc/hosts
mount --bind "$FOLDER/hosts" etc/hosts
mount --bind "$FOLDER/scripts" scripts
mount --bind "$FOLDER/credentials" etc/redis-credentials
mount --bind "$DATA" data
mount --bind /dev dev
exec chroot . "$@"
`

// command is a program in a container of a pod.
func (r *redisPods) command(pod int, program ...string) *exec.Cmd {
	GinkgoHelper()
	own, err := os.MkdirTemp(r.folder, "container")
	Expect(err).NotTo(HaveOccurred())
	for _, name := range []string{"upper", "work", "root"} {
		Expect(os.Mkdir(filepath.Join(own, name), 0o755)).To(Succeed())
	}
	command := exec.Command("unshare", append([]string{"--mount", "--propagation", "private", "sh", "-c", inImage, "sh"}, program...)...)
	command.Env = []string{
		"PATH=/usr/sbin:/usr/bin:/sbin:/bin", "IMAGE=" + r.image, "OWN=" + own, "FOLDER=" + r.folder, "DATA=" + r.path(fmt.Sprint("data", pod)),
		fmt.Sprint("POD_NAME=run-", pod), fmt.Sprint("POD_IP=", r.ends[pod].address),
	}
	for _, env := range r.set.Spec.Template.Spec.Containers[0].Env {
		if env.ValueFrom == nil {
			command.Env = append(command.Env, env.Name+"="+env.Value)
		}
	}
	// It ends with the thread that started it, which waits for it.
	command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	return command
}

// start starts a pod's containers, or those of these names.
func (r *redisPods) start(pod int, names ...string) {
	GinkgoHelper()
	for _, container := range r.set.Spec.Template.Spec.Containers {
		if len(names) > 0 && container.Name != names[0] {
			continue
		}
		process := &redisProcess{command: r.command(pod, append(container.Command, container.Args...)...), ended: make(chan error, 1)}
		out := io.MultiWriter(GinkgoWriter, r.said)
		process.command.Stdout, process.command.Stderr = out, out
		started, end := make(chan error, 1), r.ends[pod]
		go func() {
			_ = end.do(func() error {
				started <- process.command.Start()
				process.ended <- process.command.Wait()
				return nil
			})
		}()
		Expect(<-started).To(Succeed())
		r.running[fmt.Sprint(container.Name, pod)] = process
	}
}

func (r *redisPods) kill(name string) {
	GinkgoHelper()
	Expect(r.running[name].command.Process.Kill()).To(Succeed(), "%s has ended by itself", name)
	<-r.running[name].ended
	delete(r.running, name)
}

func (r *redisPods) killPod(pod int) {
	GinkgoHelper()
	r.kill(fmt.Sprint("redis", pod))
	r.kill(fmt.Sprint("sentinel", pod))
}

// asIn runs redis-cli as the start scripts do.
const asIn = `. /scripts/security.sh
cli "$@" <<END
$password
END
`

// ask is what a server, or with its port a Sentinel, of a pod answers.
func (r *redisPods) ask(pod int, words ...string) (answer string) {
	GinkgoHelper()
	command := r.command(pod, append([]string{"sh", "-euc", asIn, "sh"}, words...)...)
	_ = r.ends[pod].do(func() error {
		out, _ := command.CombinedOutput() // an error is no answer that is waited for
		answer = string(out)
		return nil
	})
	return answer
}

// keepTheirSecret shows that nothing that the containers wrote has the password.
func (r *redisPods) keepTheirSecret() {
	GinkgoHelper()
	said := r.said.String()
	Expect(said).To(ContainSubstring("Ready to accept connections"))
	if password := string(r.secret[stores.FilePassword]); password != "" {
		Expect(strings.Contains(said, password)).To(BeFalse(), "the output has the password")
	}
}
