package cluster

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/kvbench/kvbench/hack/localcluster/internal/cgroup"
	"github.com/kvbench/kvbench/hack/localcluster/internal/layout"
	"github.com/kvbench/kvbench/hack/localcluster/internal/process"
)

// Status writes two tables: processes and nodes. It returns an error if the
// cluster isn't sound, so that a script can ask.
func Status(ctx context.Context, p layout.Paths, out io.Writer) error {
	record, err := Load(p)
	if err != nil {
		return err
	}
	writeProcesses(p, record, out)
	fmt.Fprintln(out)
	if err := writeNodes(ctx, p, record, out); err != nil {
		fmt.Fprintf(out, "The nodes can't be listed: %v\n", err)
	}
	if ailments := record.Ailments(ctx, p); len(ailments) > 0 {
		return fmt.Errorf("the cluster is not whole, and `localcluster up` will make a new one: %s", strings.Join(ailments, "; "))
	}
	return nil
}

func writeProcesses(p layout.Paths, r *Record, out io.Writer) {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	defer table.Flush()
	fmt.Fprintln(table, "PROCESS\tPID\tSTATE\tAGE\tMEMORY")
	for _, name := range r.Expected(p) {
		id, err := process.Load(p.Pids(), name)
		switch {
		case err != nil:
			fmt.Fprintf(table, "%s\t-\tmissing\t-\t-\n", name)
		case !id.Alive():
			fmt.Fprintf(table, "%s\t%d\tended\t-\t-\n", name, id.Pid)
		default:
			stat, _ := process.Read(id.Pid)
			fmt.Fprintf(table, "%s\t%d\trunning\t%s\t%s\n", name, id.Pid, age(id.Started()), mega(stat.Pages*uint64(os.Getpagesize())))
		}
	}
}

func writeNodes(ctx context.Context, p layout.Paths, r *Record, out io.Writer) error {
	client, err := Client(p)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	nodes, err := client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	pods, err := client.CoreV1().Pods("").List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	running := map[string]int{}
	for _, pod := range pods.Items {
		if pod.Status.Phase == corev1.PodRunning {
			running[pod.Spec.NodeName]++
		}
	}
	hierarchies, _ := cgroup.Mounted()
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	defer table.Flush()
	fmt.Fprintln(table, "NODE\tSTATE\tZONE\tADDRESS\tPODS\tAGE\tMEMORY")
	for _, node := range nodes.Items {
		state := "NotReady"
		if nodeReady(&node) {
			state = "Ready"
		}
		if slices.Contains(r.Stopped, node.Name) {
			state += ", stopped"
		}
		if node.Spec.Unschedulable {
			state += ", cordoned"
		}
		memory := "-"
		if n, err := p.ParseNode(node.Name, r.Nodes); err == nil {
			memory = mega(cgroup.Memory(hierarchies, n.Cgroup()) + cgroup.Memory(hierarchies, n.SystemCgroup()))
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%d\t%s\t%s\n", node.Name, state, node.Labels[corev1.LabelTopologyZone],
			address(node), running[node.Name], age(node.CreationTimestamp.Time), memory)
	}
	return nil
}

func address(n corev1.Node) string {
	for _, a := range n.Status.Addresses {
		if a.Type == corev1.NodeInternalIP {
			return a.Address
		}
	}
	return "-"
}

func age(t time.Time) string { return duration.HumanDuration(time.Since(t)) }

func mega(bytes uint64) string {
	if bytes == 0 {
		return "-"
	}
	return fmt.Sprintf("%d MiB", bytes>>20)
}
