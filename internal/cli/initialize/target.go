package initialize

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
)

// target is where the YAML goes.
type target struct {
	file  string // - is standard output
	force bool
}

func (t *target) toOutput() bool { return t.file == "-" }

// name is that of the run: the file's, if it can be one.
func (t *target) name() string {
	base := filepath.Base(t.file)
	name := strings.TrimSuffix(base, filepath.Ext(base))
	if t.toOutput() || len(validation.IsDNS1123Label(name)) > 0 {
		return "first"
	}
	return name
}

// check refuses a file that is there, before anything is asked.
func (t *target) check() error {
	if t.file == "" {
		return errors.New("--filename is empty: name the file to write, or - for standard output")
	}
	if t.toOutput() || t.force {
		return nil
	}
	_, err := os.Lstat(t.file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%w: name another file with --filename", err)
	}
	return t.taken()
}

func (t *target) taken() error {
	return fmt.Errorf("%s is there already: --force writes over it, and --filename names another file", t.file)
}

// write writes a new file, or over one that may be there.
func (t *target) write(out io.Writer, text string) error {
	if t.toOutput() {
		_, err := io.WriteString(out, text)
		return err
	}
	how := os.O_WRONLY | os.O_CREATE | os.O_EXCL
	if t.force {
		how = os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	}
	file, err := os.OpenFile(t.file, how, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return t.taken()
	}
	if err != nil {
		return fmt.Errorf("%w: name another file with --filename", err)
	}
	_, err = io.WriteString(file, text)
	return errors.Join(err, file.Close())
}

// sayNext says what to do with what was written.
func (t *target) sayNext(to io.Writer) {
	if t.toOutput() {
		fmt.Fprintln(to, "To run it, save it in a file:  kubectl kvbench run -f FILE")
		return
	}
	fmt.Fprintf(to, "%s is written. To run it:  kubectl kvbench run -f %s\n", t.file, t.file)
}
