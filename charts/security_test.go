package charts

import (
	"fmt"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/kvbench/kvbench/internal/credentials"
	"github.com/kvbench/kvbench/internal/stores"
	"github.com/kvbench/kvbench/internal/stores/catalog"
)

// secured are the values that a run gives to a chart.
func secured(level string) string {
	return fmt.Sprintf(`{"security":{"level":%q,"secret":"run-1-credentials"}}`, level)
}

// A member reads the Secret as files that its user alone may read, and has no more of it than it
// needs: the clients' key is not among it.
func TestMembersHaveTheirCredentialsInFiles(t *testing.T) {
	for _, name := range catalog.Deployable() {
		entry, _ := catalog.Find(name)
		for _, level := range append([]string{stores.SecurityNone}, entry.Security.Levels...) {
			if level == stores.SecurityNone && len(entry.Security.Levels) == 0 {
				continue // its chart has no such value
			}
			set, container := memberIn(t, releaseOf(t, entry.Chart, secured(level)))
			pod := set.Spec.Template.Spec
			at := slices.IndexFunc(pod.Volumes, func(v corev1.Volume) bool { return v.Secret != nil })
			if level == stores.SecurityNone {
				if at >= 0 {
					t.Errorf("%s: a Secret without security: %+v", name, pod.Volumes[at])
				}
				continue
			}
			if (name == "cassandra" || name == "ignite") && level == stores.SecurityAuth {
				if at >= 0 {
					t.Errorf("%s with %s: the users are told to it, and it has %+v", name, level, pod.Volumes[at])
				}
				continue
			}
			if at < 0 {
				t.Errorf("%s with %s: no Secret among %+v", name, level, pod.Volumes)
				continue
			}
			secret := pod.Volumes[at].Secret
			if secret.SecretName != "run-1-credentials" || *secret.DefaultMode&0o007 != 0 || pod.SecurityContext.FSGroup == nil {
				t.Errorf("%s with %s: %+v", name, level, secret)
			}
			if len(secret.Items) == 0 || slices.ContainsFunc(secret.Items, func(i corev1.KeyToPath) bool { return i.Key == stores.FileClientKey }) {
				t.Errorf("%s with %s: the members have %+v", name, level, secret.Items)
			}
			if mounts := slices.DeleteFunc(slices.Clone(container.VolumeMounts), func(m corev1.VolumeMount) bool {
				return m.Name != pod.Volumes[at].Name || !m.ReadOnly
			}); len(mounts) != 1 {
				t.Errorf("%s with %s: mounted as %+v", name, level, container.VolumeMounts)
			}
			for _, c := range append(slices.Clone(pod.InitContainers), pod.Containers...) {
				for _, env := range c.Env {
					if env.ValueFrom != nil && env.ValueFrom.SecretKeyRef != nil {
						t.Errorf("%s with %s: %s is in the environment", name, level, env.Name)
					}
				}
			}
		}
	}
}

func TestEtcdWithTLSTalksToNobodyInPlainText(t *testing.T) {
	_, container := member(t, secured(stores.SecurityTLS))
	for _, arg := range container.Args {
		if strings.Contains(arg, "http://") && !strings.HasPrefix(arg, "--listen-metrics-urls=") {
			t.Error(arg)
		}
	}
	for _, name := range []string{"client-cert-auth", "peer-client-cert-auth"} {
		if got := flag(t, container, name); got != "true" {
			t.Errorf("--%s=%s", name, got)
		}
	}
	if got := flag(t, container, "peer-cert-allowed-cn"); got != "kvbench-member" {
		t.Errorf("members are called %s", got)
	}
}

// The password is only for a member that has to ask the others to take it in.
func TestEtcdSignsTokensThatAllMembersTake(t *testing.T) {
	for values, want := range map[string]struct{ files, command []string }{
		`{"security":{"level":"Auth","secret":"s"}}`: {[]string{"token-key"}, []string{"/usr/local/bin/etcd"}},
		`{"security":{"level":"Auth","secret":"s"},"rejoin":{"image":"kvbench:1"}}`: {[]string{"token-key", "username", "password"},
			[]string{"/rejoin/kvbench-loadgen", "pod", "start-etcd", "--credentials=/etc/etcd-credentials", "--", "/usr/local/bin/etcd"}},
	} {
		set, container := member(t, values)
		if got := flag(t, container, "auth-token"); got != "jwt,priv-key=/etc/etcd-credentials/token-key,sign-method=HS256,ttl=10m" {
			t.Errorf("%s: --auth-token=%s", values, got)
		}
		if !slices.Equal(container.Command, want.command) {
			t.Errorf("%s: %v", values, container.Command)
		}
		var files []string
		for _, volume := range set.Spec.Template.Spec.Volumes {
			if volume.Secret != nil {
				for _, item := range volume.Secret.Items {
					files = append(files, item.Path)
				}
			}
		}
		if !slices.Equal(files, want.files) {
			t.Errorf("%s: the member has %v", values, files)
		}
	}
	for _, level := range []string{stores.SecurityNone, stores.SecurityTLS} {
		_, container := member(t, secured(level))
		if i := slices.IndexFunc(container.Args, func(arg string) bool { return strings.HasPrefix(arg, "--auth-token") }); i >= 0 {
			t.Errorf("%s: %s", level, container.Args[i])
		}
	}
}

func TestMemcachedAsksForItsUser(t *testing.T) {
	for level, want := range map[string][]string{
		stores.SecurityNone: nil,
		stores.SecurityAuth: {"--auth-file=/etc/memcached-credentials/users"},
		stores.SecurityTLS: {
			"--auth-file=/etc/memcached-credentials/users", "--enable-ssl",
			"--extended=ssl_chain_cert=/etc/memcached-credentials/tls.crt,ssl_key=/etc/memcached-credentials/tls.key",
		},
	} {
		_, container := memberIn(t, releaseOf(t, "memcached", secured(level)))
		got := slices.DeleteFunc(slices.Clone(container.Args), func(arg string) bool {
			return !strings.HasPrefix(arg, "--auth") && !strings.HasPrefix(arg, "--enable") && !strings.HasPrefix(arg, "--extended")
		})
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", level, got, want)
		}
	}
}

// What servers and Sentinels do with them their start scripts say; each container runs one.
func TestRedisAndItsSentinelsKnowWhatToAskFor(t *testing.T) {
	for _, values := range []string{"", `"cluster":{"enabled":true},`} {
		for level, want := range map[string][]string{
			stores.SecurityNone: nil,
			stores.SecurityAuth: {"password"},
			stores.SecurityTLS:  {"password", "ca.crt", "tls.crt", "tls.key"},
		} {
			pod := redisPod(t, fmt.Sprintf(`{%s"security":{"level":%q,"secret":"run-1-credentials"}}`, values, level))
			var volume string
			var files []string
			for _, v := range pod.Volumes {
				if v.Secret != nil {
					volume = v.Name
					for _, item := range v.Secret.Items {
						files = append(files, item.Path)
					}
				}
			}
			if !slices.Equal(files, want) {
				t.Errorf("%s: the members have %v, want %v", level, files, want)
			}
			for _, container := range pod.Containers {
				if got := envOf(container, "SECURITY"); got != level {
					t.Errorf("%s: %s is told of %q", level, container.Name, got)
				}
				if level != stores.SecurityNone && !slices.ContainsFunc(container.VolumeMounts, func(m corev1.VolumeMount) bool {
					return m.Name == volume && m.MountPath == "/etc/redis-credentials" && m.ReadOnly
				}) {
					t.Errorf("%s: %s has %+v", level, container.Name, container.VolumeMounts)
				}
			}
		}
	}
}

// A password in a script goes into what a program reads, and never behind a program's name, where
// everybody on the Kubernetes node would see it.
func TestRedisScriptsPassNoPasswordOnACommandLine(t *testing.T) {
	allowed := regexp.MustCompile(`^(\$password|read -r password <"\$credentials/password" \|\| \[ -n "\$password" \]|\[ "\$SECURITY" = None \] \|\| echo "[a-z -]+ \\"\$password\\"")$`)
	names, err := fs.Glob(Stores(), "redis/scripts/*.sh")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, name := range names {
		text, err := fs.ReadFile(Stores(), name)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			line = strings.TrimSpace(line)
			if strings.Contains(line, "export") || strings.Contains(line, "REDISCLI_AUTH") {
				t.Errorf("%s: %s", name, line)
			}
			if strings.Contains(line, "$password") {
				if found++; !allowed.MatchString(line) {
					t.Errorf("%s: %s", name, line)
				}
			}
		}
	}
	if found < 5 {
		t.Errorf("the password is in %d lines of %v", found, names)
	}
}

func TestCassandraLetsUsersInAlone(t *testing.T) {
	for level, want := range map[string][]string{
		stores.SecurityNone: nil,
		stores.SecurityAuth: {"auth_read_consistency_level", "authenticator", "authorizer"},
		stores.SecurityTLS: {"auth_read_consistency_level", "authenticator", "authorizer",
			"client_encryption_options", "internode_authenticator", "server_encryption_options"},
	} {
		config, plain := cassandraConfigs(t, secured(level))[0], cassandraConfigs(t, "")[0]
		maps.DeleteFunc(config, func(name string, _ any) bool { return plain[name] != nil })
		if got := slices.Sorted(maps.Keys(config)); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", level, got, want)
		}
		if level == stores.SecurityNone {
			continue
		}
		if config["authenticator"] != "PasswordAuthenticator" || config["authorizer"] != "CassandraAuthorizer" {
			t.Errorf("%s: %v", level, config)
		}
		_, container := memberIn(t, releaseOf(t, "cassandra", `{"nodes":5,`+secured(level)[1:]))
		if !slices.Contains(container.Args, "-Dcassandra.system_auth.default_rf=5") {
			t.Errorf("%s: not all members have the users: %v", level, container.Args)
		}
	}
}

func TestCassandraWithTLSTalksToNobodyInPlainText(t *testing.T) {
	config := cassandraConfigs(t, secured(stores.SecurityTLS))[0]
	clients, members := config["client_encryption_options"].(map[string]any), config["server_encryption_options"].(map[string]any)
	for name, one := range map[string]map[string]any{"clients": clients, "members": members} {
		if one["require_client_auth"] != true || one["keystore"] != "/etc/cassandra-credentials/tls.pem" || one["truststore"] != "/etc/cassandra-credentials/ca.crt" {
			t.Errorf("%s: %v", name, one)
		}
	}
	if clients["enabled"] != true || clients["optional"] != false || members["internode_encryption"] != "all" {
		t.Errorf("clients %v, members %v", clients, members)
	}
	if got := fmt.Sprint(config["internode_authenticator"]); !strings.Contains(got, "MutualTlsInternodeAuthenticator") || !strings.Contains(got, credentials.PeerID) {
		t.Errorf("a client is taken for a member: %s", got)
	}
}

// Members among themselves have an authority that has signed no client's certificate.
func TestIgniteWithTLSAsksEveryoneForACertificate(t *testing.T) {
	for level, want := range map[string]bool{stores.SecurityNone: false, stores.SecurityTLS: true} {
		config := igniteConfigOf(t, secured(level))
		for path, value := range map[string]string{
			"clientConnectorConfiguration/sslEnabled":                           "true",
			"clientConnectorConfiguration/sslClientAuth":                        "true",
			"clientConnectorConfiguration/useIgniteSslContextFactory":           "false",
			"clientConnectorConfiguration/sslContextFactory/keyStoreFilePath":   "/etc/ignite-credentials/tls.p12",
			"clientConnectorConfiguration/sslContextFactory/trustStoreFilePath": "/etc/ignite-credentials/ca.p12",
			"sslContextFactory/keyStoreFilePath":                                "/etc/ignite-credentials/peer.p12",
			"sslContextFactory/trustStoreFilePath":                              "/etc/ignite-credentials/peer-ca.p12",
		} {
			if got := config.at(strings.Split(path, "/")...).Value; (got == value) != want {
				t.Errorf("%s: %s is %q", level, path, got)
			}
		}
	}
}

// Its user has no place in a file: the observer gives him the run's password.
func TestIgniteWithAuthAsksForUsers(t *testing.T) {
	for level, want := range map[string]bool{stores.SecurityNone: false, stores.SecurityAuth: true, stores.SecurityTLS: false} {
		if got := igniteConfigOf(t, secured(level)).at("authenticationEnabled").Value; (got == "true") != want {
			t.Errorf("%s: authenticationEnabled is %q", level, got)
		}
	}
}
