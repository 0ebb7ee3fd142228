// Command roce_exporter serves what the kernel knows about this host's RoCE
// NICs, and what switches tell, as Prometheus metrics.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"os/signal"
	"regexp"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/alecthomas/kingpin/v2"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/promslog"
	promslogflag "github.com/prometheus/common/promslog/flag"
	"github.com/prometheus/common/version"
	"github.com/prometheus/exporter-toolkit/web"
	webflag "github.com/prometheus/exporter-toolkit/web/kingpinflag"

	"github.com/roce-exporter/roce_exporter/collector"
	"github.com/roce-exporter/roce_exporter/collector/fleet"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// options are the flags of the program.
type options struct {
	web     *web.FlagConfig
	sysfs   string
	once    bool
	timeout time.Duration
	include string
	exclude string
	raw     string
	config  string
	check   bool
	shard   shard
	enabled map[string]*bool // by source
	log     *promslog.Config
}

// collectorFlags are the sources that can be switched on and off, with their
// help texts.
var collectorFlags = []struct{ name, help string }{
	{"rdma", "RDMA devices, ports and counters, from RDMA netlink and sysfs."},
	{"interface", "State, speed and MTU of the ports' network interfaces, from sysfs."},
	{"ethtool", "PFC, per-priority and port counters, from the drivers' ethtool statistics."},
	{"dcb", "Which priorities have PFC enabled, from DCB netlink."},
	{"pause", "Link pause (802.3x) frames, from ethtool netlink."},
}

func parse(args []string, stdout, stderr io.Writer) (*options, error) {
	o := &options{enabled: make(map[string]*bool), log: &promslog.Config{Writer: stderr}}
	app := kingpin.New("roce_exporter", "Prometheus exporter for RoCE: RDMA NICs, PFC, ECN.")
	app.UsageWriter(stdout)
	app.HelpFlag.Short('h')
	app.Version(version.Print("roce_exporter"))
	var ended error // --help and --version end the program
	app.Terminate(func(code int) { ended = exitCode(code) })
	o.web = webflag.AddFlags(app, ":10982")
	app.Flag("path.sysfs", "Where sysfs is. With a copied tree instead of a mounted sysfs, only what files can give is served.").Default("/sys").StringVar(&o.sysfs)
	app.Flag("once", "Write one exposition to standard output and exit: with 0, or with 1 if a collector failed.").BoolVar(&o.once)
	app.Flag("collector.timeout", "Longest time that a scrape waits for the kernel. A scrape that Prometheus gives less time waits less.").Default("5s").SetValue((*positiveDuration)(&o.timeout))
	app.Flag("collector.rdma.device-include", "Regular expression of RDMA devices to read; the whole name must match. Default: all.").PlaceHolder("REGEX").StringVar(&o.include)
	app.Flag("collector.rdma.device-exclude", "Regular expression of RDMA devices to leave out; the whole name must match. They are never opened.").PlaceHolder("REGEX").StringVar(&o.exclude)
	app.Flag("collector.rdma.raw", "Which files of hw_counters and counters to export under the kernel's names, as roce_rdma_hw_raw_total and roce_rdma_hw_raw_level: unmapped (those without a metric of their own), all, none.").Default("unmapped").EnumVar(&o.raw, "unmapped", "all", "none")
	app.Flag("config.file", "YAML file of the switches to read. Each is served at /probe?target=NAME. This host is not read then, unless its collectors are switched on.").PlaceHolder("FILE").StringVar(&o.config)
	app.Flag("config.check", "Check the file of --config.file and the files that it names, and exit: with 0, or with 1 if there is a mistake in it.").BoolVar(&o.check)
	app.Flag("shard", "Read only this part of the configuration's targets: shard I of N, I from 0. All shards have the same file.").Default("0/1").PlaceHolder("I/N").SetValue(&o.shard)
	chosen := make(map[string]*bool) // by source: whether the user said so
	for _, c := range collectorFlags {
		chosen[c.name] = new(bool)
		o.enabled[c.name] = app.Flag("collector."+c.name, c.help+" Default: on; with --config.file off.").Default("true").IsSetByUser(chosen[c.name]).Bool()
	}
	promslogflag.AddFlags(app, o.log)
	_, err := app.Parse(args)
	if ended != nil {
		return nil, ended
	}
	if err == nil {
		err = o.settle(chosen)
	}
	if err == nil && *o.web.WebConfigFile != "" {
		// Checked before anything is served, so that a wrong file is not taken for
		// another failure.
		if err = web.Validate(*o.web.WebConfigFile); err != nil {
			err = fmt.Errorf("--web.config.file=%s: %w", *o.web.WebConfigFile, err)
		}
	}
	return o, err
}

// settle checks what flags mean together.
func (o *options) settle(chosen map[string]*bool) error {
	if o.config == "" {
		switch {
		case o.check:
			return errors.New("--config.check: want --config.file=FILE too")
		case o.shard.Count > 1:
			return errors.New("--shard: want --config.file=FILE too; this host is not shared among processes")
		}
		return nil
	}
	host := false
	for name, on := range o.enabled {
		*on = *on && *chosen[name]
		host = host || *on
	}
	if o.once && !host {
		return errors.New("--once writes what is known of this host; with --config.file this host is not read, unless a collector is switched on, as by --collector.rdma")
	}
	return nil
}

// reads says whether this host is read.
func (o *options) reads() bool {
	for _, on := range o.enabled {
		if *on {
			return true
		}
	}
	return false
}

// shard is the value of --shard.
type shard fleet.Shard

func (s *shard) String() string { return fleet.Shard(*s).String() }

func (s *shard) Set(v string) error {
	parsed, err := fleet.ParseShard(v)
	if err != nil {
		return fmt.Errorf("--shard=%s: %w", v, err)
	}
	*s = shard(parsed)
	return nil
}

// positiveDuration is the value of --collector.timeout.
type positiveDuration time.Duration

func (d *positiveDuration) String() string { return time.Duration(*d).String() }

func (d *positiveDuration) Set(s string) error {
	v, err := time.ParseDuration(s)
	if err != nil || v <= 0 {
		return fmt.Errorf("--collector.timeout=%s: want a duration above 0 with its unit, as in 5s or 500ms", s)
	}
	*d = positiveDuration(v)
	return nil
}

type exitCode int

func (c exitCode) Error() string { return fmt.Sprintf("exit %d", int(c)) }

// run is the program. It returns its exit code.
func run(args []string, stdout, stderr io.Writer) int {
	if version.Version == "" {
		version.Version = "devel" // go run, go build without the Makefile
	}
	o, err := parse(args, stdout, stderr)
	var code exitCode
	if errors.As(err, &code) {
		return int(code)
	}
	if err != nil {
		fmt.Fprintf(stderr, "roce_exporter: %v; see --help\n", err)
		return 2
	}
	if o.check {
		return checkConfig(o, stdout, stderr)
	}
	log := promslog.New(o.log)
	var sources []collector.Source
	sections := func() []collector.Section { return nil }
	if o.config == "" || o.reads() {
		if sources, sections, err = hostSources(o, log); err != nil {
			log.Error("cannot start", "err", err)
			return 2
		}
	}
	switches, err := openFleet(o, log)
	if err != nil {
		fmt.Fprintf(stderr, "roce_exporter: the configuration is wrong:\n%v\n", err)
		return 2
	}
	if switches != nil {
		sources = append(sources, switches)
	}
	c := collector.New(sources, collector.Build{Version: version.Version, Revision: version.GetRevision(), GoVersion: version.GoVersion}, log)
	if o.once {
		return once(c, o.timeout, stdout, log)
	}
	log.Info("roce_exporter starts", "version", version.Info())
	return serve(o, c, switches, sections, log)
}

// once writes one exposition and says whether all sources succeeded.
func once(c *collector.Collector, timeout time.Duration, stdout io.Writer, log *slog.Logger) int {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	families, failed := c.Gather(ctx)
	enc := expfmt.NewEncoder(stdout, expfmt.NewFormat(expfmt.TypeTextPlain))
	for _, f := range families {
		if err := enc.Encode(f); err != nil {
			log.Error("cannot write", "err", err)
			return 1
		}
	}
	if failed != nil {
		return 1 // the collector has logged why
	}
	return 0
}

func serve(o *options, c *collector.Collector, switches *fleet.Fleet, sections func() []collector.Section, log *slog.Logger) int {
	own := prometheus.NewRegistry()
	own.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	server := collector.Server{
		Collector: c, Own: own, Timeout: o.timeout, Version: version.Info(), Sections: sections, Log: log,
	}
	if switches != nil {
		server.Fleet = switches
		server.Sections = func() []collector.Section { return append([]collector.Section{switches.Section()}, sections()...) }
	}
	s := &http.Server{
		Handler:           server.Handler(),
		ReadHeaderTimeout: 10 * time.Second,
		WriteTimeout:      o.timeout + 30*time.Second, // for clients that do not read
		IdleTimeout:       5 * time.Minute,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
	stop, cancel := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer cancel()
	// So that the landing page has something to say before the first scrape, and
	// that one is not slowed by the scan of the devices.
	go func() {
		ctx, cancel := context.WithTimeout(stop, o.timeout)
		defer cancel()
		c.Gather(ctx)
	}()
	if switches != nil {
		if os.Getenv("GOGC") == "" {
			// Streams make garbage all the time, and thousands of targets live long: at
			// Go's own setting half of the memory would be garbage.
			debug.SetGCPercent(50)
		}
		go switches.Run(stop)
		go reloadOnHangup(stop, switches)
	}
	ended := make(chan error, 1)
	go func() { ended <- web.ListenAndServe(s, o.web, log) }()
	select {
	case err := <-ended:
		if errors.Is(err, syscall.EADDRINUSE) {
			err = fmt.Errorf("%w; choose another by --web.listen-address", err)
		}
		log.Error("cannot serve", "err", err)
		return 1
	case <-stop.Done():
	}
	log.Info("asked to end, finishing the scrapes that run")
	ctx, cancelShutdown := context.WithTimeout(context.Background(), o.timeout+time.Second)
	defer cancelShutdown()
	if err := s.Shutdown(ctx); err != nil {
		log.Warn("some scrapes did not finish", "err", err)
	}
	return 0
}

// wholeName compiles a regular expression that must match a whole name, as in
// Prometheus. "" gives nil.
func wholeName(flag, expr string) (*regexp.Regexp, error) {
	if expr == "" {
		return nil, nil
	}
	re, err := regexp.Compile("^(?:" + expr + ")$")
	if err != nil {
		// The compiler's message shows the expression with the anchors.
		if _, plain := regexp.Compile(expr); plain != nil {
			err = plain
		}
		return nil, fmt.Errorf("--%s=%q: %w", flag, expr, err)
	}
	return re, nil
}
