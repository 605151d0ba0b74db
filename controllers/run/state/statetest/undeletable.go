package statetest

import (
	"context"
	"errors"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Undeletable is an API server that has nothing, and deletes nothing.
type Undeletable struct{ client.Client }

func (Undeletable) List(context.Context, client.ObjectList, ...client.ListOption) error { return nil }

func (Undeletable) Get(context.Context, client.ObjectKey, client.Object, ...client.GetOption) error {
	return errors.New("not now")
}

func (Undeletable) Patch(context.Context, client.Object, client.Patch, ...client.PatchOption) error {
	return errors.New("not now")
}

func (Undeletable) Delete(context.Context, client.Object, ...client.DeleteOption) error {
	return errors.New("not now")
}
