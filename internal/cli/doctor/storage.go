package doctor

import (
	"context"

	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kvbench/kvbench/internal/cli/kube"
)

// defaultClass marks the default class, and so does its name of old, which Kubernetes still heeds.
const (
	defaultClass    = "storageclass.kubernetes.io/is-default-class"
	oldDefaultClass = "storageclass.beta.kubernetes.io/is-default-class"
)

// checkStorage looks for the default storage class.
func checkStorage(ctx context.Context, c *kube.Cluster) []Finding {
	classes, err := c.Clients.StorageV1().StorageClasses().List(ctx, metav1.ListOptions{})
	if err != nil {
		return []Finding{unanswered(err, right{verb: "list", group: storagev1.GroupName, resource: "storageclasses"})}
	}
	return []Finding{judgeStorage(classes.Items)}
}

func judgeStorage(classes []storagev1.StorageClass) Finding {
	var defaults, others []string
	for i := range classes {
		if a := classes[i].Annotations; a[defaultClass] == "true" || a[oldDefaultClass] == "true" {
			defaults = append(defaults, classes[i].Name)
		} else {
			others = append(others, classes[i].Name)
		}
	}
	switch {
	case len(classes) == 0:
		return problem(wholeCluster, "there is no storage class").
			so("members get no volumes, and nor does the results server; only runs with spec.store.storage.ephemeral: true need none").
			mend("install a provisioner of volumes")
	case len(defaults) == 0:
		return problem(wholeCluster, "no storage class is the default one (there are: %s)", few(others)).
			so("volumes of members and of the results server that name no class are never made").
			mend("kubectl annotate --overwrite storageclass %s %s=true, or name a class in spec.store.storage.className and in results.storage.className of kvbench's chart", others[0], defaultClass)
	case len(defaults) > 1:
		return warning(wholeCluster, "%d storage classes are the default (%s)", len(defaults), few(defaults)).
			so("Kubernetes takes the newest, so runs that are compared may get different disks").
			mend("leave the annotation %s=true, or its old form %s=true, to one of them", defaultClass, oldDefaultClass)
	}
	return ok(wholeCluster, "%s is the default", defaults[0])
}
