// Command bench runs the load generator beside its peers, and prints what each of them took for the same
// work: operations in a second, CPU time of an operation, memory.
//
// The peers are go-ycsb and YCSB for Java, at pinned versions, in a cache folder outside of the checkout.
// Everything runs on this machine. The stores are `basic`, which does nothing, and an etcd that this
// program starts on loopback and ends again. Children are bounded in time and die with this program.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

type options struct {
	install bool
	cache   string
	kvbench string
	etcd    string
	threads string

	operations, etcdOperations int64
	repeat                     int
	timeout                    time.Duration
}

func parse() *options {
	o := &options{}
	flag.BoolVar(&o.install, "install", false, "install the peers that are missing; without it, those that are there take part")
	flag.StringVar(&o.cache, "cache", defaultCache(), "folder of the peers")
	flag.StringVar(&o.kvbench, "kvbench", "bin/kvbench-loadgen", "the load generator")
	flag.StringVar(&o.etcd, "etcd", "", "an etcd binary; empty leaves out the comparison on etcd")
	flag.StringVar(&o.threads, "threads", "1,16", "numbers of threads, with commas")
	flag.Int64Var(&o.operations, "operations", 30_000_000, "operations of one run on basic; a JVM warms up for a while")
	flag.Int64Var(&o.etcdOperations, "etcd-operations", 100_000, "operations of one run on etcd")
	flag.IntVar(&o.repeat, "repeat", 3, "how often each run is made; the programs take turns")
	flag.DurationVar(&o.timeout, "timeout", 10*time.Minute, "bound of one run")
	flag.Parse()
	return o
}

func main() {
	// A child that is to die with its parent dies with the thread that started it.
	runtime.LockOSThread()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, parse()); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		stop()
		os.Exit(1)
	}
}

func run(ctx context.Context, o *options) error {
	if flag.NArg() > 0 || o.operations < 1 || o.etcdOperations < 1 || o.repeat < 1 {
		return errors.New("there are flags only, and its numbers are at least 1; see -help")
	}
	threads, err := numbers(o.threads)
	if err != nil {
		return err
	}
	if o.install {
		if err := install(ctx, o.cache); err != nil {
			return err
		}
	}
	programs := append([]program{kvbench(o.kvbench)}, installed(o.cache)...)
	results := &results{}
	fmt.Print(machine())
	for range o.repeat {
		for _, work := range onBasic(o.operations, threads) {
			for _, p := range programs {
				if err := results.measure(ctx, o, p, work, nil); err != nil {
					return err
				}
			}
		}
		for _, work := range memory(o.operations) {
			if err := results.measure(ctx, o, programs[0], work, nil); err != nil {
				return err
			}
		}
		if o.etcd == "" {
			continue
		}
		for _, work := range onEtcd(o.etcdOperations, threads) {
			for _, p := range programs {
				if err := results.onEtcd(ctx, o, p, work); err != nil {
					return err
				}
			}
		}
	}
	fmt.Print("\n", results.table())
	return nil
}

func numbers(text string) ([]int, error) {
	var all []int
	for _, word := range strings.Split(text, ",") {
		n, err := strconv.Atoi(word)
		if err != nil || n < 1 || n > 1024 {
			return nil, fmt.Errorf("-threads %q: use numbers from 1 to 1024, with commas between them", text)
		}
		all = append(all, n)
	}
	return all, nil
}

// measure makes one run, and prints its line when it has ended.
func (r *results) measure(ctx context.Context, o *options, p program, work work, store []string) error {
	ctx, cancel := context.WithTimeout(ctx, o.timeout)
	defer cancel()
	used, err := child(ctx, p.run(work, store))
	if err != nil {
		return fmt.Errorf("%s, %s: %w", p.name, work, err)
	}
	said, err := p.report(used.output, work)
	if err != nil {
		return fmt.Errorf("%s, %s: %w\n%s", p.name, work, err, tail(used.output))
	}
	one := result{work: work, program: p.name, took: said, cpu: used.cpu, peakBytes: used.peakBytes}
	r.all = append(r.all, one)
	fmt.Println(one.line())
	return nil
}

// onEtcd makes one run on an etcd of its own, with its own records.
func (r *results) onEtcd(ctx context.Context, o *options, p program, work work) (err error) {
	if p.load == nil {
		return nil
	}
	server, err := startEtcd(ctx, o.etcd)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.stop()) }()
	loading, cancel := context.WithTimeout(ctx, o.timeout)
	defer cancel()
	loaded := work
	loaded.records++ // go-ycsb reads the record behind the last one now and then
	if _, err := child(loading, p.load(loaded, server.properties())); err != nil {
		return fmt.Errorf("%s, load for %s: %w", p.name, work, err)
	}
	return r.measure(ctx, o, p, work, server.properties())
}
