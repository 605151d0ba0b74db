package integration

import (
	"context"
	"slices"

	chaos "github.com/chaos-mesh/chaos-mesh/api/v1alpha1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
)

// chaosFinalizer is what Chaos Mesh holds on to a fault's object with.
const chaosFinalizer = "chaos-mesh/records"

// cut keeps the records of a partition's rules, one for each pod, as Chaos Mesh does. It says whether the partition is
// in force, or may be called so now.
func (s *simulator) cut(ctx context.Context, cut *chaos.NetworkChaos) bool {
	going := !cut.DeletionTimestamp.IsZero()
	if going && s.holdCuts.Load() || !going && len(cut.Status.Conditions) > 0 {
		return !going
	}
	if s.setRules(ctx, cut, !going) != nil {
		return false
	}
	if going {
		controllerutil.RemoveFinalizer(cut, chaosFinalizer)
		_ = s.Update(ctx, cut)
		return false
	}
	controllerutil.AddFinalizer(cut, chaosFinalizer) // the injection is written with it
	return true
}

// setRules puts a partition's rules into the records of its pods, or takes them out.
func (s *simulator) setRules(ctx context.Context, cut *chaos.NetworkChaos, there bool) error {
	for _, pod := range slices.Concat(cut.Spec.Selector.Pods[cut.Namespace], cut.Spec.Target.Selector.Pods[cut.Namespace]) {
		record := &chaos.PodNetworkChaos{ObjectMeta: metav1.ObjectMeta{Namespace: cut.Namespace, Name: pod}}
		err := s.Create(ctx, record)
		if apierrors.IsAlreadyExists(err) {
			err = s.Get(ctx, client.ObjectKeyFromObject(record), record)
		}
		if err != nil {
			return err
		}
		record.Spec.Iptables = nil
		if there {
			record.Spec.Iptables = []chaos.RawIptables{{Name: "cut", Direction: chaos.Input, RawRuleSource: chaos.RawRuleSource{Source: cut.Namespace + "/" + cut.Name}}}
		}
		if err := s.Update(ctx, record); err != nil {
			return err
		}
		record.Status.ObservedGeneration = record.Generation
		if err := s.Status().Update(ctx, record); err != nil {
			return err
		}
	}
	return nil
}
