// Package configmaps reads keys of ConfigMaps with the rights of a service account.
package configmaps

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kvbench/kvbench/api/v1alpha1"
	"github.com/kvbench/kvbench/internal/compile"
)

// ErrForbidden says that a service account may not read a ConfigMap.
var ErrForbidden = errors.New("give it the right to get it")

// Account is a service account, and a client with its rights.
type Account struct {
	Namespace, Name string
	Reader          client.Reader
}

// Read returns the content of a key; there is false where there is no such key, or no such ConfigMap. Its error is ErrForbidden,
// or of what may work later.
func (a *Account) Read(ctx context.Context, key v1alpha1.ConfigMapKeyRef) (content []byte, there bool, err error) {
	from := &corev1.ConfigMap{}
	err = a.Reader.Get(ctx, client.ObjectKey{Namespace: a.Namespace, Name: key.Name}, from)
	switch {
	case apierrors.IsForbidden(err):
		return nil, false, fmt.Errorf("service account %s may not read the ConfigMap %s: %w", a.Name, key.Name, ErrForbidden)
	case client.IgnoreNotFound(err) != nil:
		return nil, false, fmt.Errorf("reading the ConfigMap %s as service account %s: %w", key.Name, a.Name, err)
	}
	content, there = from.BinaryData[key.Key]
	if text, isText := from.Data[key.Key]; isText {
		content, there = []byte(text), true
	}
	return content, there, nil
}

// Files reads those that a run names. What isn't there is left out. Its error is a *compile.Refusal, or of what may work later.
func (a *Account) Files(ctx context.Context, named []compile.File) (compile.Files, error) {
	files := compile.Files{}
	for _, file := range named {
		content, there, err := a.Read(ctx, file.ConfigMapKeyRef)
		if err != nil {
			return nil, Refusal(file.Field, err)
		}
		if !there {
			continue
		}
		if err := files.Add(file, content); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// Refusal is a *compile.Refusal of a field whose ConfigMap may not be read, and any other error as it is.
func Refusal(field string, err error) error {
	if errors.Is(err, ErrForbidden) {
		return &compile.Refusal{Reason: "FileForbidden", Message: fmt.Sprintf("%s: %v", field, err)}
	}
	return err
}
