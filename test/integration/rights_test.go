package integration

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"helm.sh/helm/v4/pkg/chart/common"
	"helm.sh/helm/v4/pkg/chart/common/util"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	"helm.sh/helm/v4/pkg/engine"
	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/rest"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// installRights makes the service accounts, the roles and the bindings of the operator's
// chart, with runs allowed in this namespace.
func installRights(ctx context.Context, namespace string) {
	GinkgoHelper()
	values := map[string]any{
		"deployer": map[string]any{"namespaces": []any{namespace}},
		"users":    []any{map[string]any{"namespace": namespace, "subjects": []any{map[string]any{"kind": "User", "name": "anna"}}}},
	}
	for _, object := range chartObjects(values, "ServiceAccount", "Role", "RoleBinding", "ClusterRole", "ClusterRoleBinding") {
		apply(ctx, object)
	}
	// The API server's authorizer learns of a binding a moment later.
	Eventually(func() bool {
		return may(ctx, namespace, deployer, namespace, "create", "statefulsets.apps") &&
			may(ctx, systemNamespace, "kvbench-controller", namespace, "impersonate", "serviceaccounts") &&
			may(ctx, systemNamespace, "kvbench-controller", systemNamespace, "create", "leases.coordination.k8s.io") &&
			may(ctx, namespace, "kvbench-user", namespace, "get", "benchmarkruns.kvbench.io")
	}).Should(BeTrue())
}

// chartObjects are those of these kinds that the operator's chart makes.
func chartObjects(values map[string]any, kinds ...string) []*unstructured.Unstructured {
	GinkgoHelper()
	chart, err := loader.Load(fromRoot("charts", "kvbench"))
	Expect(err).NotTo(HaveOccurred())
	release := common.ReleaseOptions{Name: "kvbench", Namespace: systemNamespace, Revision: 1, IsInstall: true}
	rendered, err := util.ToRenderValues(chart, values, release, common.DefaultCapabilities)
	Expect(err).NotTo(HaveOccurred())
	files, err := engine.Render(chart, rendered)
	Expect(err).NotTo(HaveOccurred())
	var objects []*unstructured.Unstructured
	for name, manifest := range files {
		if !strings.HasSuffix(name, ".yaml") {
			continue
		}
		for _, object := range documents(manifest) {
			if slices.Contains(kinds, object.GetKind()) {
				objects = append(objects, object)
			}
		}
	}
	return objects
}

// apply creates an object or makes it what it is to be; a field that its kind doesn't have is
// an error.
func apply(ctx context.Context, object *unstructured.Unstructured) {
	GinkgoHelper()
	Expect(k8sClient.Apply(ctx, client.ApplyConfigurationFromUnstructured(object), client.ForceOwnership, client.FieldOwner("test"))).
		To(Succeed(), "%s %s", object.GetKind(), object.GetName())
}

// documents are the objects of a manifest.
func documents(manifest string) []*unstructured.Unstructured {
	GinkgoHelper()
	var objects []*unstructured.Unstructured
	decoder := yaml.NewYAMLOrJSONDecoder(strings.NewReader(manifest), 4096)
	for {
		object := &unstructured.Unstructured{}
		err := decoder.Decode(&object.Object)
		if errors.Is(err, io.EOF) {
			return objects
		}
		Expect(err).NotTo(HaveOccurred())
		if len(object.Object) > 0 {
			objects = append(objects, object)
		}
	}
}

// newNamespace has a name that no other one had.
func newNamespace(ctx context.Context, prefix string) string {
	GinkgoHelper()
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: prefix + "-"}}
	Expect(k8sClient.Create(ctx, namespace)).To(Succeed())
	return namespace.Name
}

func newAccount(ctx context.Context, namespace, name string) {
	GinkgoHelper()
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
	Expect(client.IgnoreAlreadyExists(k8sClient.Create(ctx, account))).To(Succeed())
}

// tokenOf asks the API server for a token of a service account, bound to a pod or to none.
func tokenOf(ctx context.Context, namespace, account string, pod *corev1.Pod, audiences ...string) string {
	GinkgoHelper()
	ask := &authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{Audiences: audiences, ExpirationSeconds: ptr.To[int64](600)}}
	if pod != nil {
		ask.Spec.BoundObjectRef = &authenticationv1.BoundObjectReference{Kind: "Pod", APIVersion: "v1", Name: pod.Name, UID: pod.UID}
	}
	of := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: account}}
	Expect(k8sClient.SubResource("token").Create(ctx, of, ask)).To(Succeed())
	return ask.Status.Token
}

// asAccount is the configuration of a program that runs with the service account's token.
func asAccount(ctx context.Context, namespace, account string) *rest.Config {
	GinkgoHelper()
	config := rest.AnonymousClientConfig(restConfig)
	config.BearerToken = tokenOf(ctx, namespace, account, nil)
	return config
}

// may asks the API server whether an account has a right: "create rolebindings.rbac.authorization.k8s.io",
// "get secrets/name", "get pods:log".
func may(ctx context.Context, namespace, account, in, verb, resource string) bool {
	GinkgoHelper()
	groups := []string{"system:serviceaccounts", "system:serviceaccounts:" + namespace, "system:authenticated"}
	return mayUser(ctx, "system:serviceaccount:"+namespace+":"+account, groups, in, verb, resource)
}

func mayUser(ctx context.Context, user string, groups []string, in, verb, resource string) bool {
	GinkgoHelper()
	kind, name, _ := strings.Cut(resource, "/")
	kind, group, _ := strings.Cut(kind, ".")
	kind, sub, _ := strings.Cut(kind, ":")
	review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
		User: user, Groups: groups,
		ResourceAttributes: &authorizationv1.ResourceAttributes{
			Namespace: in, Verb: verb, Group: group, Resource: kind, Subresource: sub, Name: name,
		},
	}}
	Expect(k8sClient.Create(ctx, review)).To(Succeed())
	return review.Status.Allowed
}
