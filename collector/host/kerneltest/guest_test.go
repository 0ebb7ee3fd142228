//go:build kernel

package kerneltest

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/roce-exporter/roce_exporter/collector/metric"
)

// Ports in the guest: where the exporter and guest/control listen.
const (
	exporterPort = 10982
	controlPort  = 10983
)

// guest is a running machine.
type guest struct {
	metrics string // URL
	control string // address
	console console
}

// console keeps what the guest writes to its serial line.
type console struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (c *console) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.b.Write(p)
}

func (c *console) String() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.b.String()
}

// cacheDir is where prepare.sh puts things; its comment has the same rule.
func cacheDir(t *testing.T) string {
	if d := os.Getenv("ROCE_KERNEL_CACHE"); d != "" {
		return d
	}
	d, err := os.UserCacheDir() // XDG_CACHE_HOME, else ~/.cache
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(d, "roce_exporter", "kernel")
}

// boot starts a machine with the kernel of the series and waits until its
// control channel answers.
func boot(t *testing.T, series string, programs map[string]string) *guest {
	t.Helper()
	dir := filepath.Join(cacheDir(t), series)
	initrd := initramfs(t, dir, programs)
	metrics, control := freePort(t), freePort(t)
	g := &guest{metrics: fmt.Sprintf("http://127.0.0.1:%d/metrics", metrics), control: fmt.Sprintf("127.0.0.1:%d", control)}

	args := []string{
		// Emulated, even where there is KVM: that is the same on every machine.
		"-accel", "tcg,thread=multi,tb-size=128", "-cpu", "max,la57=off",
		"-machine", "q35,usb=off,sata=off,smbus=off,hpet=off,graphics=off", "-nodefaults", "-no-reboot", "-display", "none", "-monitor", "none",
		"-smp", "2", "-m", "320",
		"-kernel", filepath.Join(dir, "vmlinux"), "-initrd", initrd,
		// Without mitigations, which cost an emulated machine much and protect
		// nothing here.
		"-append", "console=ttyS0 quiet loglevel=4 rdinit=/init panic=-1 mitigations=off nokaslr random.trust_cpu=on no_timer_check net.ifnames=0",
		"-serial", "stdio",
		// The guest reaches nothing; it is reached on the loopback address only.
		"-netdev", fmt.Sprintf("user,id=n0,restrict=on,hostfwd=tcp:127.0.0.1:%d-:%d,hostfwd=tcp:127.0.0.1:%d-:%d", metrics, exporterPort, control, controlPort),
		"-device", "virtio-net-pci,netdev=n0,romfile=",
	}
	cmd := exec.Command("qemu-system-x86_64", args...)
	cmd.Stdout, cmd.Stderr = &g.console, &g.console
	start := time.Now()
	if err := cmd.Start(); err != nil {
		t.Fatalf("starting qemu: %v", err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	t.Cleanup(func() {
		if t.Failed() {
			if out, err := g.try("tail -n 20 /tmp/exporter.log | cut -c 1-300; dmesg | tail -n 20"); err == nil {
				t.Logf("the exporter's log and the kernel's:\n%s", out)
			}
			t.Logf("console of the guest:\n%s", &g.console)
		}
		cmd.Process.Kill()
	})
	for {
		out, err := g.try("uname -r")
		if err == nil {
			t.Logf("%s boots in %.1f s", strings.TrimSpace(out), time.Since(start).Seconds())
			return g
		}
		select {
		case err := <-ended:
			t.Fatalf("qemu ended before the guest answered: %v", err)
		default:
		}
		if time.Since(start) > 3*time.Minute {
			t.Fatalf("the guest does not answer: %v", err)
		}
		time.Sleep(200 * time.Millisecond)
	}
}

// initramfs returns the file with the base that prepare.sh made and, after it,
// what changes from run to run: the scripts of guest/, the mock module, and
// programs by the name that they get in /guest.
func initramfs(t *testing.T, dir string, programs map[string]string) string {
	t.Helper()
	root := t.TempDir()
	put := func(from, to string) {
		b, err := os.ReadFile(from)
		if err == nil {
			err = os.MkdirAll(filepath.Dir(filepath.Join(root, to)), 0o755)
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(root, to), b, 0o755)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	put("guest/init", "init")
	for _, name := range []string{"control", "lib", "scenario"} {
		put("guest/"+name, "guest/"+name)
	}
	put(filepath.Join(dir, "roce_mock.ko"), "guest/roce_mock.ko")
	for name, from := range programs {
		put(from, "guest/"+name)
	}
	base, err := os.ReadFile(filepath.Join(dir, "base.cpio"))
	if err != nil {
		t.Fatal(err)
	}
	list := exec.Command("sh", "-c", `find . | "$0" cpio -o -H newc -R 0:0`, filepath.Join(filepath.Dir(dir), "busybox"))
	list.Dir = root
	more, err := list.Output()
	if err != nil {
		t.Fatalf("packing the initramfs: %v", err)
	}
	// The kernel unpacks archives one after the other, aligned to 4 bytes.
	for len(base)%4 != 0 {
		base = append(base, 0)
	}
	file := filepath.Join(t.TempDir(), "initramfs.cpio")
	if err := os.WriteFile(file, append(base, more...), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

func freePort(t *testing.T) int {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

// errNoAnswer says that the guest did not run a script to its end.
var errNoAnswer = errors.New("the guest did not answer")

// try runs a shell script in the guest as root and returns its output.
func (g *guest) try(script string) (string, error) {
	c, err := net.DialTimeout("tcp", g.control, 5*time.Second)
	if err != nil {
		return "", err
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(time.Minute))
	if _, err := fmt.Fprintf(c, "%s\nEND\n", script); err != nil {
		return "", err
	}
	// qemu accepts connections before the guest does: then nothing comes.
	b, err := io.ReadAll(c)
	out := strings.TrimSuffix(string(b), "\n")
	at := strings.LastIndex(out, "\n") + 1
	status, ok := strings.CutPrefix(out[at:], "status ")
	switch {
	case !ok && err != nil:
		return out, fmt.Errorf("%w: %w", errNoAnswer, err)
	case !ok:
		return out, errNoAnswer
	case status != "0":
		return out[:at], fmt.Errorf("exit status %s", status)
	}
	return out[:at], nil
}

// run is try that must succeed.
func (g *guest) run(t *testing.T, script string) string {
	t.Helper()
	out, err := g.try(script)
	if err != nil {
		t.Fatalf("in the guest: %s\n%v\n%s", script, err, out)
	}
	return out
}

// set writes a parameter of the mock module.
func (g *guest) set(t *testing.T, parameter string, v int) {
	t.Helper()
	g.run(t, fmt.Sprintf("echo %d >/sys/module/roce_mock/parameters/%s", v, parameter))
}

// exposition is what a scrape gave: values by name and labels, as in
// roce_rdma_port_up{device="rxe0",port="1"}, labels sorted.
type exposition map[string]float64

// scrape asks the exporter, telling it as Prometheus does how long it has.
func (g *guest) scrape(timeout time.Duration) (exposition, error) {
	ctx, cancel := context.WithTimeout(context.Background(), timeout+20*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, g.metrics, nil)
	if err != nil {
		return nil, err
	}
	r.Header.Set("X-Prometheus-Scrape-Timeout-Seconds", strconv.FormatFloat(timeout.Seconds(), 'f', -1, 64))
	// A new connection each time: qemu's forwarding may have dropped an idle one.
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(r)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the exporter answers %s", resp.Status)
	}
	return parse(resp.Body)
}

func (g *guest) mustScrape(t *testing.T) exposition {
	t.Helper()
	e, err := g.scrape(10 * time.Second)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func parse(r io.Reader) (exposition, error) {
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(bufio.NewReader(r))
	if err != nil {
		return nil, fmt.Errorf("the exposition is not valid: %w", err)
	}
	e := make(exposition)
	for name, f := range families {
		for _, m := range f.GetMetric() {
			e[name+braces(m.GetLabel())] = m.GetCounter().GetValue() + m.GetGauge().GetValue() + m.GetUntyped().GetValue()
		}
	}
	return e, nil
}

// braces writes labels, which the exporter sorts.
func braces(labels []*dto.LabelPair) string {
	if len(labels) == 0 {
		return ""
	}
	var parts []string
	for _, l := range labels {
		parts = append(parts, fmt.Sprintf("%s=%q", l.GetName(), l.GetValue()))
	}
	return "{" + strings.Join(parts, ",") + "}"
}

// want reports a series that is not there or has another value.
func (e exposition) want(t *testing.T, series string, value float64) {
	t.Helper()
	if err := e.check(series, value); err != nil {
		t.Error(err)
	}
}

// check is want as an error. Values that come from a division need not agree in
// the last bit.
func (e exposition) check(series string, value float64) error {
	got, ok := e[series]
	switch {
	case !ok:
		return fmt.Errorf("%s is absent, want %v", series, value)
	case got != value && (got-value > value*1e-12 || value-got > value*1e-12):
		return fmt.Errorf("%s is %v, want %v", series, got, value)
	}
	return nil
}

// none reports series of the metric with all these labels ("device", "rxe0"),
// which must not be there.
func (e exposition) none(t *testing.T, m *metric.Metric, labels ...string) {
	t.Helper()
	for _, s := range e.match(m.Name, labels...) {
		t.Errorf("%s is there, and should not be", s)
	}
}

// some reports that there is no series of the metric with all these labels.
func (e exposition) some(t *testing.T, m *metric.Metric, labels ...string) {
	t.Helper()
	if len(e.match(m.Name, labels...)) == 0 {
		t.Errorf("no series of %s has the labels %q; there are %q", m.Name, labels, e.match(m.Name))
	}
}

// match returns the series of metrics whose names begin so that have all these
// labels.
func (e exposition) match(prefix string, labels ...string) []string {
	var out []string
next:
	for s := range e {
		if !strings.HasPrefix(s, prefix) {
			continue
		}
		for i := 0; i < len(labels); i += 2 {
			if !strings.Contains(s, fmt.Sprintf("%s=%q", labels[i], labels[i+1])) {
				continue next
			}
		}
		out = append(out, s)
	}
	return out
}

// of returns the series of a metric that has just these labels.
func of(m *metric.Metric, labels ...string) string {
	var parts []string
	for i := 0; i < len(labels); i += 2 {
		parts = append(parts, fmt.Sprintf("%s=%q", labels[i], labels[i+1]))
	}
	if len(parts) == 0 {
		return m.Name
	}
	slices.Sort(parts)
	return m.Name + "{" + strings.Join(parts, ",") + "}"
}

// eventually scrapes until check is content, and returns that scrape.
func (g *guest) eventually(t *testing.T, limit time.Duration, check func(exposition) error) exposition {
	t.Helper()
	end := time.Now().Add(limit)
	for {
		e, err := g.scrape(10 * time.Second)
		if err == nil {
			err = check(e)
		}
		if err == nil {
			return e
		}
		if time.Now().After(end) {
			t.Fatalf("after %v still: %v", limit, err)
		}
		time.Sleep(300 * time.Millisecond)
	}
}
