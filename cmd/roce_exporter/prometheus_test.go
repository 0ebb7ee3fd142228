//go:build e2e

package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/crypto/bcrypt"

	"github.com/roce-exporter/roce_exporter/collector/hosttest"
)

// bin is where make puts what this test runs.
const bin = "../../.bin"

// freeAddress returns a loopback address that nobody listens on.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// start runs a program of bin until the test ends. Its output is shown when
// the test fails.
func start(t *testing.T, name string, args ...string) *exec.Cmd {
	t.Helper()
	path, err := filepath.Abs(filepath.Join(bin, name))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Fatalf("%v: run this test by make e2e", err)
	}
	c := exec.Command(path, args...)
	out := &strings.Builder{}
	c.Stdout, c.Stderr = out, out
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		c.Process.Kill()
		c.Wait()
		if t.Failed() {
			t.Logf("%s said:\n%s", name, out)
		}
	})
	return c
}

// eventually calls try until it returns nil, for at most 30 s.
func eventually(t *testing.T, what string, try func() error) {
	t.Helper()
	var err error
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		if err = try(); err == nil {
			return
		}
	}
	t.Fatalf("%s: %v", what, err)
}

func get(address string) (string, error) {
	r, err := http.Get(address)
	if err != nil {
		return "", err
	}
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	if err == nil && r.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s", r.Status, b)
	}
	return string(b), err
}

// query asks Prometheus for the single value of expr.
func query(prometheus, expr string) (string, error) {
	body, err := get("http://" + prometheus + "/api/v1/query?query=" + url.QueryEscape(expr))
	if err != nil {
		return "", err
	}
	var answer struct {
		Data struct {
			Result []struct{ Value [2]any }
		}
	}
	if err := json.Unmarshal([]byte(body), &answer); err != nil {
		return "", err
	}
	if n := len(answer.Data.Result); n != 1 {
		return "", fmt.Errorf("%s: %d results; want 1: %s", expr, n, body)
	}
	return answer.Data.Result[0].Value[1].(string), nil
}

// TestPrometheus has a real Prometheus scrape the program, over TLS with a
// password, and asks it for the values that the recording holds.
func TestPrometheus(t *testing.T) {
	recording, err := hosttest.Open("mlx5_connectx7_2port")
	if err != nil {
		t.Fatal(err)
	}
	sys, dir := t.TempDir(), t.TempDir()
	if err := recording.WriteSysfs(sys); err != nil {
		t.Fatal(err)
	}
	file := func(name, content string) string {
		p := filepath.Join(dir, name)
		if err := os.WriteFile(p, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return p
	}
	cert, key := selfSigned(t)
	hash, err := bcrypt.GenerateFromPassword([]byte("secret"), bcrypt.MinCost)
	if err != nil {
		t.Fatal(err)
	}
	webConfig := file("web.yml", fmt.Sprintf("tls_server_config:\n  cert_file: %s\n  key_file: %s\nbasic_auth_users:\n  prometheus: %s\n",
		file("cert.pem", cert), file("key.pem", key), hash))
	exporter, prometheus := freeAddress(t), freeAddress(t)
	program := start(t, "roce_exporter", "--path.sysfs="+sys, "--web.listen-address="+exporter, "--web.config.file="+webConfig)
	config := file("prometheus.yml", fmt.Sprintf(`
global: {scrape_interval: 1s}
scrape_configs:
  - job_name: roce
    scheme: https
    tls_config: {ca_file: %s}
    basic_auth: {username: prometheus, password: secret}
    static_configs: [{targets: ["%s"]}]
`, filepath.Join(dir, "cert.pem"), exporter))
	if out, err := exec.Command(filepath.Join(bin, "promtool"), "check", "config", config).CombinedOutput(); err != nil {
		t.Fatalf("promtool check config: %v\n%s", err, out)
	}
	start(t, "prometheus", "--config.file="+config, "--storage.tsdb.path="+filepath.Join(dir, "data"),
		"--web.listen-address="+prometheus)

	eventually(t, "Prometheus scrapes", func() error {
		v, err := query(prometheus, `up{job="roce"}`)
		if err == nil && v != "1" {
			err = fmt.Errorf("up is %s", v)
		}
		return err
	})
	counters := filepath.Join(sys, "class/infiniband/mlx5_0/ports/1")
	read := func(name string) string {
		b, err := os.ReadFile(filepath.Join(counters, name))
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(string(b))
	}
	for expr, want := range map[string]string{
		`roce_rdma_out_of_sequence_packets_received_total{device="mlx5_0",port="1"}`:                      read("hw_counters/out_of_sequence"),
		`roce_rdma_cnp_packets_transmitted_total{device="mlx5_0"}`:                                        read("hw_counters/np_cnp_sent"),
		`roce_rdma_received_bytes_total{device="mlx5_0"} / 4`:                                             read("counters/port_rcv_data"),
		`roce_exporter_collector_success{collector="rdma"}`:                                               "1",
		`count(roce_rdma_port_up)`:                                                                        "2",
		`sum(roce_rdma_port_up)`:                                                                          "1", // the other port of the recording is down
		`roce_rdma_port_up{device="mlx5_0"} * on(device, port) group_left(interface) roce_rdma_port_info`: "1",
	} {
		if got, err := query(prometheus, expr); err != nil || got != want {
			t.Errorf("%s = %s, %v; want %s", expr, got, err, want)
		}
	}
	// A second scrape has been stored, so that rates can be had.
	eventually(t, "rate", func() error {
		_, err := query(prometheus, `rate(roce_rdma_cnp_packets_transmitted_total{device="mlx5_0"}[30s])`)
		return err
	})

	program.Process.Signal(syscall.SIGTERM)
	if err := program.Wait(); err != nil {
		t.Errorf("after SIGTERM the program ended with %v; want exit code 0", err)
	}
}

// TestPromtool has promtool check every exposition that the recordings give.
func TestPromtool(t *testing.T) {
	for _, name := range hosttest.Names() {
		t.Run(name, func(t *testing.T) {
			recording, err := hosttest.Open(name)
			if err != nil {
				t.Fatal(err)
			}
			sys := t.TempDir()
			if err := recording.WriteSysfs(sys); err != nil {
				t.Fatal(err)
			}
			exporter := freeAddress(t)
			start(t, "roce_exporter", "--path.sysfs="+sys, "--collector.rdma.raw=all", "--web.listen-address="+exporter)
			var text string
			eventually(t, "scrape", func() (err error) {
				text, err = get("http://" + exporter + "/metrics")
				return err
			})
			check := exec.Command(filepath.Join(bin, "promtool"), "check", "metrics")
			check.Stdin = strings.NewReader(text)
			if out, err := check.CombinedOutput(); err != nil || len(out) > 0 {
				t.Errorf("promtool check metrics: %v\n%s", err, out)
			}
			series := 0
			for s := bufio.NewScanner(strings.NewReader(text)); s.Scan(); {
				if strings.HasPrefix(s.Text(), "roce_rdma_") {
					series++
				}
			}
			if series == 0 {
				t.Error("no series of RDMA in the exposition")
			}
		})
	}
}

// TestMemory holds the resident memory after 1,000 scrapes of an 8-port host
// below 30 MB.
func TestMemory(t *testing.T) {
	sys := t.TempDir()
	if err := hosttest.ConnectX7(8).WriteSysfs(sys); err != nil {
		t.Fatal(err)
	}
	exporter := freeAddress(t)
	start(t, "roce_exporter", "--path.sysfs="+sys, "--web.listen-address="+exporter)
	var text string
	eventually(t, "first scrape", func() (err error) {
		text, err = get("http://" + exporter + "/metrics")
		return err
	})
	for range 1000 {
		var err error
		if text, err = get("http://" + exporter + "/metrics"); err != nil {
			t.Fatal(err)
		}
	}
	for _, l := range strings.Split(text, "\n") {
		if v, ok := strings.CutPrefix(l, "process_resident_memory_bytes "); ok {
			bytes, err := strconv.ParseFloat(v, 64)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%.1f MB resident after 1,000 scrapes", bytes/1e6)
			if bytes > 30e6 {
				t.Errorf("%.1f MB resident after 1,000 scrapes; want at most 30", bytes/1e6)
			}
			return
		}
	}
	t.Error("no process_resident_memory_bytes")
}
