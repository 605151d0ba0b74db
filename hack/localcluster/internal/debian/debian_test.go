package debian

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// archive has what apt-cache would print of each package.
var archive = map[string]string{
	"server": "Package: server\nVersion: 5:7.0.15-1~deb12u10\nDepends: lsb-base (>= 3), perl:any, libc6 (>= 2.34), libevent-2.1-7 (>= 2.1.8-stable), tools (= 5:7)\n" +
		"Description: serves\n Depends: libnothing\n",
	"tools":          "Package: tools\nVersion: 5:7.0.15-1\nPre-Depends: libtools1 | libtools2, init\n",
	"libc6":          "Package: libc6\nVersion: 2.36-9\nDepends: libgcc-s1\n",
	"libgcc-s1":      "Package: libgcc-s1\nVersion: 12.2.0-14\nDepends: gcc-12-base (= 12.2.0-14), libc6 (>= 2.35)\n",
	"libevent-2.1-7": "Package: libevent-2.1-7\nVersion: 2.1.12-stable-8\nDepends: libc6 (>= 2.36)\n",
	"libtools1":      "Package: libtools1\nVersion: 1\n",
}

func TestPackagesBringTheirLibrariesAndNothingElse(t *testing.T) {
	got, err := closure([]string{"server", "tools"}, func(names []string) (string, error) {
		var stanzas []string
		for _, name := range names {
			stanzas = append(stanzas, archive[name])
		}
		return strings.Join(stanzas, "\n"), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, p := range got {
		names = append(names, p.Name+"="+p.Version)
	}
	if want := []string{
		"server=5:7.0.15-1~deb12u10", "tools=5:7.0.15-1",
		"libc6=2.36-9", "libevent-2.1-7=2.1.12-stable-8", "libtools1=1", "libgcc-s1=12.2.0-14",
	}; !reflect.DeepEqual(names, want) {
		t.Errorf("got %v\nwant %v", names, want)
	}
}

func TestAnUnknownPackageIsNamed(t *testing.T) {
	_, err := closure([]string{"server"}, func([]string) (string, error) { return "", nil })
	if err == nil || !strings.Contains(err.Error(), "package server") {
		t.Errorf("%v", err)
	}
	broken := errors.New("no lists")
	if _, err := closure([]string{"server"}, func([]string) (string, error) { return "", broken }); !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
}

func TestUpstreamsVersionIsAnImagesTag(t *testing.T) {
	for version, want := range map[string]string{
		"1.6.18-1+deb12u1": "1.6.18", "5:7.0.15-1~deb12u10": "7.0.15", "15.20-0+deb12u1": "15.20",
		"2.1.12-stable-8": "2.1.12-stable", "7": "7", "8.0.1+dfsg1-1~bpo12+1": "8.0.1",
	} {
		if got := Upstream(version); got != want {
			t.Errorf("%s: got %s, want %s", version, got, want)
		}
	}
}

func TestALibraryOfTheMachineIsNoneOfTheTree(t *testing.T) {
	const list = `	linux-vdso.so.1 (0x00007ffc)
	libevent.so.7 => /tree/root/usr/lib/x86_64-linux-gnu/libevent.so.7 (0x00007f)
	libssl.so.3 => /usr/lib/x86_64-linux-gnu/libssl.so.3 (0x00007f)
	libsasl2.so.2 => not found
	/lib64/ld-linux-x86-64.so.2 => /tree/root/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2 (0x00007f)
`
	if got := outside(list, "/tree/root"); !reflect.DeepEqual(got, []string{"libssl.so.3", "libsasl2.so.2"}) {
		t.Errorf("got %v", got)
	}
}

func TestALauncherBecomesTheProgram(t *testing.T) {
	const want = "#!/bin/sh\nexec '/c/it'\\''s/root/lib/m/ld.so' --inhibit-cache --library-path " +
		"'/c/it'\\''s/root/usr/lib/m:/c/it'\\''s/root/lib/m' --argv0 '/c/it'\\''s/runnable/usr/bin/memcached' '/c/it'\\''s/root/usr/bin/memcached' \"$@\"\n"
	if got := launcher(Tree{Dir: "/c/it's"}, "m", "ld.so", "/usr/bin/memcached"); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

// A program that looks beside itself finds the launcher of another one, and the tree's data.
func TestBesideALauncherIsWhatIsBesideTheProgram(t *testing.T) {
	tree := Tree{Dir: t.TempDir()}
	for path, text := range map[string]string{"usr/lib/db/15/bin/serve": "ELF", "usr/lib/db/15/lib/module": "a module", "usr/share/db/data": "data"} {
		file := filepath.Join(tree.Root(), path)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	if err := linkAround(tree, tree, []string{"/usr/lib/db/15/bin/serve"}); err != nil {
		t.Fatal(err)
	}
	bin := filepath.Join(tree.runnable(), "usr/lib/db/15/bin")
	if _, err := os.Lstat(filepath.Join(bin, "serve")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the launcher's place is taken: %v", err)
	}
	for beside, want := range map[string]string{"../lib/module": "a module", "../../../../share/db/data": "data"} {
		if got, err := os.ReadFile(filepath.Join(bin, beside)); string(got) != want {
			t.Errorf("%s: %q, %v", beside, got, err)
		}
	}
}

func TestLinksStayInTheTree(t *testing.T) {
	root := t.TempDir()
	for _, dir := range []string{"etc/java", "usr/lib/jvm/conf"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	config, own, foreign := filepath.Join(root, "etc/java/jvm.cfg"), filepath.Join(root, "usr/lib/jvm/conf/jvm.cfg"), filepath.Join(root, "usr/lib/jvm/cacerts")
	if err := errors.Join(os.WriteFile(config, []byte("-server"), 0o644), os.Symlink("/../etc/java/jvm.cfg", own), os.Symlink("/etc/ssl/none", foreign), relink(root)); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(own); string(got) != "-server" {
		t.Errorf("%q, %v", got, err)
	}
	if target, err := os.Readlink(own); filepath.IsAbs(target) {
		t.Errorf("%s, %v", target, err)
	}
	if target, err := os.Readlink(foreign); target != "/etc/ssl/none" {
		t.Errorf("%s, %v", target, err)
	}
}

func TestASuiteIsLookedIntoWithoutTheMachinesSources(t *testing.T) {
	machine, err := openSources(t.TempDir(), "")
	if err != nil || machine.fresh() || !reflect.DeepEqual(machine.args("update", "-q"), []string{"update", "-q"}) {
		t.Errorf("the machine's own: %v, %v", machine, err)
	}
	dir := t.TempDir()
	suite, err := openSources(dir, Backports)
	if err != nil || !suite.fresh() {
		t.Fatalf("%v, %v", suite, err)
	}
	for _, option := range suite.options {
		name, value, _ := strings.Cut(option, "=")
		if strings.HasPrefix(name, "Dir::") && value != "-" && value != "" && !strings.HasPrefix(value, dir) {
			t.Errorf("%s is outside of the folder", option)
		}
	}
	text, err := os.ReadFile(filepath.Join(dir, "sources.list"))
	if err != nil || !strings.Contains(string(text), " "+codename()+"-backports main\n") {
		t.Errorf("%s, %v", text, err)
	}
	if got := suite.args("show", "x"); got[0] != "show" || got[len(got)-1] != "x" || len(got) != 2+len(suite.options) {
		t.Errorf("%v", got)
	}
}
