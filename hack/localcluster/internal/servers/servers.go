// Package servers lists the stores' servers that are no Go programs: where they come from, and what their
// images look like.
package servers

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/kvbench/kvbench/hack/localcluster/internal/debian"
	"github.com/kvbench/kvbench/hack/localcluster/internal/images"
	"github.com/kvbench/kvbench/hack/localcluster/internal/maven"
)

// Recipe is a store's server.
type Recipe struct {
	// Name is the store's.
	Name string
	// Repository is that of the upstream image. The tags are the version of the server
	// that is in ours, and its leading parts, as upstream has them.
	Repository string
	// Packages are Debian's; the first one's version is the server's, unless Version says it.
	// Libraries come by themselves.
	Packages []string
	Tree     string // of the packages, where several stores have the same
	Suite    string // of Debian, where it isn't the machine's own
	Version  string
	// Jars are in the folder JarFolder of the image.
	Jars      []maven.Jar
	JarFolder string
	// Programs are paths in the packages of what tests run on this machine.
	Programs []string
	// Image is the rest of the image: user, command, folders.
	Image images.Spec
}

// recipes is every server. A new one is one entry here.
var recipes = []Recipe{
	{
		Name: "memcached", Repository: "docker.io/library/memcached",
		Packages: []string{"memcached"}, Programs: []string{"/usr/bin/memcached"},
		Image: images.Spec{Cmd: []string{"memcached"}, User: "11211:11211"},
	},
	{
		Name: "redis", Repository: "docker.io/library/redis",
		// The start scripts of the chart need a shell, sleep and mkdir beside redis-cli.
		Packages: []string{"redis-server", "redis-tools", "dash", "coreutils"},
		Programs: []string{"/usr/bin/redis-server", "/usr/bin/redis-cli", "/usr/bin/redis-benchmark"},
		Image: images.Spec{
			Cmd: []string{"redis-server"}, User: "999:999", WorkingDir: "/data",
			Dirs: map[string]int64{"data": 0o777},
		},
	},
	{
		Name: "valkey", Repository: "docker.io/valkey/valkey", Suite: debian.Backports,
		Packages: []string{"valkey-server", "valkey-tools", "dash", "coreutils"},
		Programs: []string{"/usr/bin/valkey-server", "/usr/bin/valkey-cli"},
		Image: images.Spec{
			Cmd: []string{"valkey-server"}, User: "999:999", WorkingDir: "/data",
			Dirs: map[string]int64{"data": 0o777},
		},
	},
	{
		Name: "postgresql", Repository: "docker.io/library/postgres",
		// The start script of the chart needs a shell, chmod, mv, rm, sleep and sync.
		Packages: []string{"postgresql-15", "postgresql-client-15", "zlib1g", "dash", "coreutils"},
		Programs: []string{
			"/usr/lib/postgresql/15/bin/postgres", "/usr/lib/postgresql/15/bin/initdb",
			"/usr/lib/postgresql/15/bin/pg_basebackup", "/usr/lib/postgresql/15/bin/pgbench",
		},
		Image: images.Spec{
			Cmd: []string{"postgres"}, User: "999:999",
			Env: []string{binPath + "/usr/lib/postgresql/15/bin"},
			// initdb asks for its user's name.
			Texts: map[string]string{
				"/etc/passwd": "root:x:0:0:root:/root:/sbin/nologin\npostgres:x:999:999::/var/lib/postgresql:/bin/sh\n",
				"/etc/group":  "root:x:0:\npostgres:x:999:\n",
			},
		},
	},
	{
		Name: "hazelcast", Repository: "docker.io/hazelcast/hazelcast", Version: "5.4.0",
		Packages: java, Tree: "java", Programs: []string{javaBin + "/java"},
		Jars: []maven.Jar{
			{
				Path:   "com/hazelcast/hazelcast/5.4.0/hazelcast-5.4.0.jar",
				SHA256: "cbcd4de863ee859dd6094fe01752e1bc9986c5240621443fe6609a5e16903f0d",
			},
			{
				Path:   "com/hazelcast/hazelcast-sql/5.4.0/hazelcast-sql-5.4.0.jar",
				SHA256: "f1c22ffd6a767167f7d4e129990737d637badf4ce4977437a1fbfe2084fc1f95",
			},
		},
		JarFolder: "/opt/hazelcast/lib",
		Image: images.Spec{
			Cmd: []string{"java", "-cp", "/opt/hazelcast/lib/*", "com.hazelcast.core.server.HazelcastMemberStarter"}, User: "65534:65534",
			Env: []string{javaPath},
		},
	},
	{
		Name: "cassandra", Repository: "docker.io/library/cassandra", Version: "5.0.9",
		Packages: java, Tree: "java", Programs: []string{javaBin + "/java"},
		Jars: mustJars(cassandraJars), JarFolder: "/opt/cassandra/lib",
		// Without a configuration, which the chart brings, it only tells what it misses.
		Image: images.Spec{
			Cmd: []string{"java", "-cp", "/opt/cassandra/lib/*", "org.apache.cassandra.service.CassandraDaemon"}, User: "999:999",
			Env: []string{javaPath},
		},
	},
	{
		Name: "ignite", Repository: "docker.io/apacheignite/ignite", Version: "2.17.0",
		Packages: java, Tree: "java", Programs: []string{javaBin + "/java"},
		Jars: igniteJars, JarFolder: "/opt/ignite/apache-ignite/libs",
		Image: images.Spec{
			Cmd: []string{"java", "-cp", "/opt/ignite/apache-ignite/libs/*", "org.apache.ignite.startup.cmdline.CommandLineStartup"}, User: "65534:65534",
			Env: []string{"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:" + javaBin},
		},
	},
}

// java is Debian's, without a screen, and where it has its programs.
var (
	java    = []string{"openjdk-17-jre-headless", "zlib1g"}
	javaBin = "/usr/lib/jvm/java-17-openjdk-" + runtime.GOARCH + "/bin"
)

const binPath = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:"

var javaPath = binPath + javaBin

// imageRecipe counts changes of how the images are put together.
const imageRecipe = "-r2"

// Names are those of all recipes.
func Names() []string {
	var names []string
	for _, r := range recipes {
		names = append(names, r.Name)
	}
	return names
}

// Find returns the recipes of that name, in order; no names are all.
func Find(names []string) ([]Recipe, error) {
	if len(names) == 0 {
		return recipes, nil
	}
	var found []Recipe
	for _, name := range names {
		i := slices.IndexFunc(recipes, func(r Recipe) bool { return r.Name == name })
		if i < 0 {
			return nil, fmt.Errorf("there is no server %q: use one of %s", name, strings.Join(Names(), ", "))
		}
		found = append(found, recipes[i])
	}
	return found, nil
}

// Sources are the caches that servers come from.
type Sources struct {
	Debian debian.Cache
	Maven  maven.Cache
}

// Folders are those of what tests run on this machine: programs, and jars.
func (r Recipe) Folders(ctx context.Context, from Sources) ([]string, error) {
	tree, err := from.Debian.Ensure(ctx, r.packages())
	if err != nil || len(r.Jars) == 0 {
		return []string{tree.Bin()}, err
	}
	jars, err := from.Maven.Ensure(ctx, r.Name, r.Jars)
	return []string{tree.Bin(), jars}, err
}

// Archive builds the image if it is missing, and returns its names and its archive.
func (r Recipe) Archive(ctx context.Context, from Sources, builder images.Builder) (refs []string, archive string, err error) {
	tree, err := from.Debian.Ensure(ctx, r.packages())
	if err != nil {
		return nil, "", err
	}
	version, err := tree.Version()
	if err != nil {
		return nil, "", err
	}
	spec := r.Image
	spec.Refs = r.refs(cmp.Or(r.Version, debian.Upstream(version)))
	root := map[string]string{"/": tree.Root()}
	// Debian's epoch ends with a colon, which tar takes for a host's end.
	name := filepath.Base(tree.Dir) + "-" + strings.ReplaceAll(version, ":", "-") + imageRecipe
	if len(r.Jars) == 0 {
		spec.Files = root
	} else {
		jars, err := from.Maven.Ensure(ctx, r.Name, r.Jars)
		if err != nil {
			return nil, "", err
		}
		// A layer that images share is unpacked once by a node.
		base, err := builder.Base(name+"-base", root)
		if err != nil {
			return nil, "", err
		}
		spec.Bases, spec.Files = []string{base}, map[string]string{r.JarFolder: jars}
		name += "-" + filepath.Base(jars)
	}
	archive, err = builder.Ensure(name, func(out string) error {
		return images.Build(spec, out)
	})
	return spec.Refs, archive, err
}

func (r Recipe) packages() debian.Wanted {
	return debian.Wanted{Name: cmp.Or(r.Tree, r.Name), Packages: r.Packages, Suite: r.Suite, Programs: r.Programs}
}

// refs are the image's names: 1.6.18 is also the 1.6 that upstream has, or had.
func (r Recipe) refs(version string) []string {
	refs := []string{r.Repository + ":" + version}
	for {
		i := strings.LastIndex(version, ".")
		if i < 0 {
			return refs
		}
		version = version[:i]
		refs = append(refs, r.Repository+":"+version)
	}
}
