package observe

import (
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/controllers/names"
	"github.com/kvbench/kvbench/controllers/run/state"
)

// leaveOwn notes what a chart's operator has to remove.
func leaveOwn(o *state.Observed, name string) {
	if !slices.Contains(o.Left, name) {
		o.Left = append(o.Left, name)
		o.StoreLeft++
	}
}

// byHelm are the kinds that the controller doesn't make itself. They are made by Helm, or by what is behind
// those that it makes, and are known by their labels.
var byHelm = map[string]bool{"Pod": true, "Service": true, "PersistentVolumeClaim": true, "StatefulSet": true}

// leave notes the objects of a list as left, apart from the plan, which goes last.
func leave(o *state.Observed, kind string, items client.ObjectList) {
	_ = meta.EachListItem(items, func(item runtime.Object) error {
		object := item.(client.Object)
		if !byHelm[kind] && object.GetLabels()[names.LabelRole] != names.RoleStore && !names.MadeFor(o.Run, object) {
			return nil
		}
		name := kind + " " + object.GetName()
		switch object.GetLabels()[names.LabelRole] {
		case names.RolePlan:
			return nil
		case names.RoleStore:
			o.StoreLeft++
		case names.RoleObserver:
		default:
			o.LeftBesides = append(o.LeftBesides, name)
		}
		o.Left = append(o.Left, name)
		return nil
	})
}
