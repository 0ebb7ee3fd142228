// Package fleet keeps the targets of the configuration running: it starts,
// restarts and stops them as the configuration changes.
package fleet

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/roce-exporter/roce_exporter/collector"
	"github.com/roce-exporter/roce_exporter/collector/config"
	"github.com/roce-exporter/roce_exporter/collector/gnmi"
	"github.com/roce-exporter/roce_exporter/collector/metric"
)

// Options of a Fleet.
type Options struct {
	Path   string // of the configuration file
	Shard  Shard  // which of the targets are this process's
	Timing gnmi.Timing
	Log    *slog.Logger // may be nil
}

// Fleet is the targets of a configuration file that this process reads. It is
// safe for concurrent use.
type Fleet struct {
	opts   Options
	table  *gnmi.Table
	reload chan struct{} // full while a configuration is being put in force

	mu      sync.Mutex
	ctx     context.Context // of Run; nil before
	running sync.WaitGroup
	config  *config.Config
	read    time.Time // when config was
	problem string    // why the configuration could not be read last; "" if it could
	unseen  string    // why files of targets cannot be looked at; "" if they can
	targets map[string]*member
}

// member is a target that runs.
type member struct {
	configured config.Target
	target     *gnmi.Target
	stop       context.CancelFunc
}

// Load reads the configuration. Its errors say all that is wrong with it.
func Load(path string) (*config.Config, error) {
	return config.Load(path, config.Options{
		Profiles:        map[string][]string{"gnmi": profileNames()},
		ReservedLabels:  reservedLabels(),
		DefaultInterval: 10 * time.Second,
	})
}

func profileNames() []string {
	var out []string
	for _, p := range gnmi.Profiles() {
		out = append(out, p.Name)
	}
	return out
}

// reservedLabels returns the labels that metrics of targets have: Prometheus
// would rename those if a target had a label of that name.
func reservedLabels() []string {
	seen := make(map[string]bool)
	for _, m := range metric.Vocabulary() {
		if !strings.HasPrefix(m.Name, "roce_target_") {
			continue
		}
		for _, l := range m.Labels {
			seen[string(l)] = true
		}
	}
	for _, l := range gnmi.Labels() {
		seen[string(l)] = true
	}
	return slices.Sorted(maps.Keys(seen))
}

// New reads the configuration; Run reads the targets.
func New(opts Options) (*Fleet, error) {
	if opts.Log == nil {
		opts.Log = slog.New(slog.DiscardHandler)
	}
	table, err := gnmi.NewTable(gnmi.Profiles())
	if err != nil {
		return nil, err
	}
	f := &Fleet{opts: opts, table: table, reload: make(chan struct{}, 1), targets: make(map[string]*member)}
	c, err := Load(opts.Path)
	if err != nil {
		return nil, err
	}
	if err := f.apply(c); err != nil {
		return nil, err
	}
	return f, nil
}

// Run reads the targets until ctx is done, and the configuration again when the
// files of targets change.
func (f *Fleet) Run(ctx context.Context) {
	f.mu.Lock()
	f.ctx = ctx
	for _, m := range f.targets {
		f.start(m)
	}
	f.mu.Unlock()
	f.watch(ctx)
	f.running.Wait()
}

// watch reads the configuration again when the files of targets change, until
// ctx is done.
func (f *Fleet) watch(ctx context.Context) {
	for {
		f.mu.Lock()
		c := f.config
		f.mu.Unlock()
		w := config.NewWatcher(c)
		for {
			if !sleep(ctx, c.RefreshInterval) {
				return
			}
			changed, err := w.Changed()
			f.looked(err)
			if changed {
				f.Reload() // it has logged its error
			}
			f.mu.Lock()
			other := f.config != c
			f.mu.Unlock()
			if other {
				break
			}
		}
	}
}

// looked notes whether the files of targets could be looked at.
func (f *Fleet) looked(err error) {
	text := ""
	if err != nil {
		text = err.Error()
	}
	f.mu.Lock()
	was := f.unseen
	f.unseen = text
	f.mu.Unlock()
	if text != "" && text != was {
		f.opts.Log.Error("the files of targets cannot be looked at, the targets before stay in force", "err", err)
	}
}

// sleep waits for d and says whether ctx is still alive.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// Reload implements collector.Fleet.
func (f *Fleet) Reload() error {
	f.reload <- struct{}{}
	defer func() { <-f.reload }()
	c, err := Load(f.opts.Path)
	if err == nil {
		err = f.apply(c)
	}
	f.mu.Lock()
	was := f.problem
	f.problem = ""
	if err != nil {
		f.problem = err.Error()
	}
	f.mu.Unlock()
	switch {
	case err != nil && err.Error() != was:
		f.opts.Log.Error("the configuration before stays in force", "file", f.opts.Path, "err", err)
	case err == nil:
		f.opts.Log.Info("the configuration was read", "file", f.opts.Path, "targets", len(c.Targets), "shard", f.opts.Shard.String(), "here", len(f.Discovered()))
	}
	return err
}

// apply puts c in force: targets that are not as before are begun anew, the
// others do not notice.
func (f *Fleet) apply(c *config.Config) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	next := make(map[string]*member)
	for _, t := range c.Targets {
		if !f.opts.Shard.Has(t.Name) {
			continue
		}
		if old := f.targets[t.Name]; old != nil && f.same(old.configured, t, c) {
			old.configured = t // labels may be others
			next[t.Name] = old
			continue
		}
		target, err := f.target(t, c)
		if err != nil {
			return fmt.Errorf("%s: target %s: %w", t.From, t.Name, err)
		}
		next[t.Name] = &member{configured: t, target: target}
	}
	for name, m := range f.targets {
		if next[name] != m && m.stop != nil {
			m.stop()
		}
	}
	f.targets, f.config, f.read = next, c, time.Now()
	for _, m := range next {
		f.start(m)
	}
	return nil
}

// start runs a member that does not run, once Run has begun.
func (f *Fleet) start(m *member) {
	if f.ctx == nil || m.stop != nil || f.ctx.Err() != nil {
		return
	}
	ctx, stop := context.WithCancel(f.ctx)
	m.stop = stop
	f.running.Go(func() { m.target.Run(ctx) })
}

// same says whether a target is to be read as before. Labels are for service
// discovery only.
func (f *Fleet) same(old, now config.Target, c *config.Config) bool {
	old.Labels, now.Labels = nil, nil
	return old.Equal(now) && f.config.Credentials[old.Credentials].Equal(c.Credentials[now.Credentials])
}

// Target implements collector.Fleet.
func (f *Fleet) Target(name string) (collector.Source, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	m, ok := f.targets[name]
	if !ok {
		return nil, false
	}
	return m.target, true
}

// members returns the targets, sorted by name.
func (f *Fleet) members() []*member {
	f.mu.Lock()
	defer f.mu.Unlock()
	var out []*member
	for _, name := range slices.Sorted(maps.Keys(f.targets)) {
		out = append(out, f.targets[name])
	}
	return out
}

// Discovered implements collector.Fleet. Beside the configured labels there are
// some for relabelling, which Prometheus drops after it.
func (f *Fleet) Discovered() []collector.Discovered {
	f.mu.Lock()
	defer f.mu.Unlock()
	out := []collector.Discovered{}
	for _, name := range slices.Sorted(maps.Keys(f.targets)) {
		t := f.targets[name].configured
		labels := maps.Clone(t.Labels)
		if labels == nil {
			labels = make(map[string]string)
		}
		labels["__meta_roce_kind"] = t.Kind
		labels["__meta_roce_profile"] = t.Profile
		labels["__meta_roce_address"] = t.Address
		out = append(out, collector.Discovered{Name: name, Labels: labels})
	}
	return out
}

// Config implements collector.Fleet.
func (f *Fleet) Config() []byte {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.config.YAML()
}

// Name implements collector.Source.
func (f *Fleet) Name() string { return "targets" }

// Collect implements collector.Source: how the fleet is. What a target tells is
// at /probe only.
func (f *Fleet) Collect(context.Context) ([]metric.Sample, error) {
	members := f.members()
	up := 0
	for _, m := range members {
		if m.target.Status().Up {
			up++
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	success := 1.0
	var err error
	for _, problem := range []string{f.problem, f.unseen} {
		if problem != "" {
			success, err = 0, errors.Join(err, errors.New(problem))
		}
	}
	at := func(m *metric.Metric, v float64) metric.Sample {
		return metric.Sample{Series: m.At(metric.Where{}), Value: v}
	}
	return []metric.Sample{
		at(metric.ExporterTargets, float64(len(members))),
		at(metric.ExporterTargetsUp, float64(up)),
		at(metric.ExporterConfigSuccess, success),
		at(metric.ExporterConfigTime, float64(f.read.UnixMilli())/1e3),
	}, err
}

// maxRows is how many targets the landing page lists.
const maxRows = 500

// Section returns what the landing page says of the targets: those with trouble
// first.
func (f *Fleet) Section() collector.Section {
	s := collector.Section{Title: "Targets", Targets: true,
		Header: []string{"Target", "Address", "Profile", "State", "Last message", "Values", "Remarks"}}
	members := f.members()
	var good [][]string
	for _, m := range members {
		st := m.target.Status()
		state, remarks := "up", slices.Clone(st.Refused)
		if !st.Up {
			state = "down"
		}
		if st.Problem != "" {
			remarks = slices.Insert(remarks, 0, st.Problem)
		}
		age := "never"
		if st.Received {
			age = st.Age.Round(100*time.Millisecond).String() + " ago"
		}
		profile := st.Profile
		if profile == "" {
			profile = m.configured.Profile
		}
		if st.Encoding != "" {
			profile += ", " + st.Encoding
		}
		if n := len(st.Refused); n > 3 {
			remarks = append(remarks[:len(remarks)-n+3], fmt.Sprintf("and %d more paths are refused", n-3))
		}
		row := []string{m.configured.Name, m.configured.Address, profile, state, age, strconv.Itoa(st.Series), strings.Join(remarks, "; ")}
		if st.Up && st.Problem == "" {
			good = append(good, row)
		} else {
			s.Rows = append(s.Rows, row)
		}
	}
	s.Text = fmt.Sprintf("%d of %d are up. Shard %s of the configuration's targets.", len(good), len(members), f.opts.Shard)
	s.Rows = append(s.Rows, good...)
	if n := len(s.Rows); n > maxRows {
		s.Rows = s.Rows[:maxRows]
		s.Text += fmt.Sprintf(" The first %d are listed.", maxRows)
	}
	return s
}
