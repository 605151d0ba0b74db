package compile

import (
	"encoding/json"
	"fmt"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/plan"
	"github.com/kvbench/kvbench/internal/stores"
	"github.com/kvbench/kvbench/internal/workload"
)

// room is what members can keep: each has a volume, and its share of all data.
type room struct {
	volume  resource.Quantity
	share   float64 // 0: nobody knows what they can keep
	members int32
}

// roomOf knows the volumes of members that the catalog's charts deploy. What is kept in memory
// alone has no volume, and some such stores drop records on purpose.
func roomOf(spec *v1alpha1.StoreSpec, mode *stores.Mode, store *plan.Store) (room, error) {
	if store.Existing || store.OwnChart != nil || mode.InMemory {
		return room{}, nil
	}
	r := room{volume: resource.MustParse(defaultStorageSize), share: 1, members: spec.Nodes}
	if spec.Storage.Size != nil {
		r.volume = *spec.Storage.Size
	}
	if mode.Share != nil {
		var values object
		if err := json.Unmarshal(store.Values, &values); err != nil {
			return room{}, fmt.Errorf("reading the values of the plan: %w", err)
		}
		r.share = mode.Share(int(spec.Nodes), values)
	}
	return r, nil
}

// check refuses records that don't fit beside the bytes that are there, though nothing were kept beside their fields: no keys, no
// indexes, no logs.
func (r room) check(i int, records int64, w *workload.Spec, there float64) error {
	length := w.MeanFieldLength()
	all := there + bytesOf(records, w)
	if r.share == 0 || all*r.share <= r.volume.AsApproximateFloat64() {
		return nil
	}
	beside := ""
	if there > 0 {
		beside = fmt.Sprintf(" beside %s that are there", inBinaryUnits(there))
	}
	part := "all"
	if r.share < 1 {
		part = fmt.Sprintf("%.0f %%", 100*r.share)
	}
	return refuse(ReasonInvalidWorkload, "spec.workloads[%d].records: %d records × %d fields × %.4g bytes%s are %s, of which each of %d members keeps %s, and its volume has %s: lower records, or raise spec.store.storage.size",
		i, records, len(w.Fields), length, beside, inBinaryUnits(all), r.members, part, r.volume.String())
}

// bytesOf are the fields of so many records.
func bytesOf(records int64, w *workload.Spec) float64 {
	return float64(records) * float64(len(w.Fields)) * w.MeanFieldLength()
}

// inBinaryUnits is a number of bytes in the units of volumes.
func inBinaryUnits(bytes float64) string {
	unit := 0
	for bytes >= 1024 && unit < 4 {
		bytes /= 1024
		unit++
	}
	return fmt.Sprintf("%.4g%s", bytes, [...]string{" bytes", "Ki", "Mi", "Gi", "Ti"}[unit])
}
