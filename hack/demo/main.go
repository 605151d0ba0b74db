// Command demo compiles the program that does the work, ./cli, and becomes it. Compiling ./cli with all
// its libraries takes minutes the first time, and go run says nothing meanwhile. This command has no
// libraries, so it starts at once and says how far the compiler is.
package main

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"
)

const program = "_output/bin/demo"

// environment compiles as make does, or all is compiled anew.
var environment = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=-trimpath -buildvcs=false -gcflags=all=-dwarf=false")

func main() {
	if err := become(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

// become returns only where that fails.
func become(args []string) error {
	compile := exec.Command("hack/compile.sh", program, "./hack/demo/cli")
	compile.Env, compile.Stdout, compile.Stderr = environment, os.Stderr, os.Stderr
	if err := compile.Run(); err != nil {
		return fmt.Errorf("compiling hack/demo/cli, from the repository's root: %w", err)
	}
	return syscall.Exec(program, append([]string{"demo"}, args...), os.Environ())
}
