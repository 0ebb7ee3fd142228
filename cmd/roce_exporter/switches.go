package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/roce-exporter/roce_exporter/collector/fleet"
	"github.com/roce-exporter/roce_exporter/collector/gnmi"
)

// openFleet reads the configuration of --config.file; without one it returns
// nil.
func openFleet(o *options, log *slog.Logger) (*fleet.Fleet, error) {
	if o.config == "" {
		return nil, nil
	}
	f, err := fleet.New(fleet.Options{Path: o.config, Shard: fleet.Shard(o.shard), Timing: gnmi.DefaultTiming(), Log: log})
	if err != nil {
		return nil, err
	}
	return f, nil
}

// checkConfig reads the configuration and says what is wrong with it. It
// returns the program's exit code. Files that the configuration names need not
// be there, to have it checked where the secrets are not.
func checkConfig(o *options, stdout, stderr io.Writer) int {
	c, err := fleet.Load(o.config)
	if err != nil {
		fmt.Fprintln(stderr, err)
		return 1
	}
	if err := c.CheckFiles(); err != nil {
		fmt.Fprintf(stderr, "not usable on this machine:\n%v\n", err)
	}
	here := 0
	for _, t := range c.Targets {
		if fleet.Shard(o.shard).Has(t.Name) {
			here++
		}
	}
	fmt.Fprintf(stdout, "%s: no mistakes; %d targets, %d of them in shard %s\n", o.config, len(c.Targets), here, fleet.Shard(o.shard))
	return 0
}

// reloadOnHangup reads the configuration again at every SIGHUP until ctx is
// done.
func reloadOnHangup(ctx context.Context, f *fleet.Fleet) {
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP)
	defer signal.Stop(hangups)
	for {
		select {
		case <-ctx.Done():
			return
		case <-hangups:
			f.Reload() // it has logged its error
		}
	}
}
