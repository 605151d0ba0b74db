package debian

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// Backports are the distribution's packages of newer software, which a machine's own sources
// don't have.
const Backports = "backports"

// sources are where packages come from: apt's options for it.
type sources struct{ options []string }

// openSources returns the machine's own sources, or Debian's with the suite, whose lists are kept
// in the folder: the machine's configuration stays as it is.
func openSources(dir, suite string) (sources, error) {
	if suite == "" {
		return sources{}, nil
	}
	lists, file := filepath.Join(dir, "lists"), filepath.Join(dir, "sources.list")
	if err := os.MkdirAll(filepath.Join(lists, "partial"), 0o755); err != nil {
		return sources{}, err
	}
	text := fmt.Sprintf("deb http://deb.debian.org/debian %[1]s main\ndeb http://deb.debian.org/debian %[1]s-%[2]s main\n"+
		"deb http://deb.debian.org/debian-security %[1]s-security main\n", codename(), suite)
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		return sources{}, err
	}
	return sources{options: []string{
		"-o", "Dir::Etc::SourceList=" + file, "-o", "Dir::Etc::SourceParts=-", "-o", "Dir::State::Lists=" + lists,
		"-o", "Dir::Cache::PkgCache=" + filepath.Join(dir, "packages.bin"), "-o", "Dir::Cache::SrcPkgCache=", "-o", "APT::Sandbox::User=root",
	}}, nil
}

// fresh says that the lists are still to be fetched.
func (s sources) fresh() bool { return len(s.options) > 0 }

// args are those of one of apt's programs.
func (s sources) args(command string, rest ...string) []string {
	return slices.Concat([]string{command}, s.options, rest)
}
