//go:build e2e

package main

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/roce-exporter/roce_exporter/collector/gnmitest"
)

// TestPrometheusFindsSwitches has a real Prometheus find the switches by
// /targets and scrape them by /probe, over the real program and TLS.
func TestPrometheusFindsSwitches(t *testing.T) {
	dir := t.TempDir()
	authority, err := gnmitest.NewAuthority()
	if err != nil {
		t.Fatal(err)
	}
	certificate, err := authority.Certificate("127.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	files, err := authority.WriteCertificate(dir, certificate)
	if err != nil {
		t.Fatal(err)
	}
	recording, err := gnmitest.Load("openconfig")
	if err != nil {
		t.Fatal(err)
	}
	file := func(name, content string) string {
		p := filepath.Join(dir, name)
		if err := os.WriteFile(p, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return p
	}
	file("password", "pass word\n")
	text := fmt.Sprintf("credentials: {lab: {username: admin, password_file: password}}\n"+
		"defaults: {profile: auto, credentials: lab, sample_interval: 1s, tls: {ca_file: %s}}\ntargets:\n", files.CA)
	var devices []*gnmitest.Device
	for i := range 3 {
		d, err := gnmitest.StartDevice(recording, gnmitest.DeviceOptions{TLS: authority.ServerConfig(certificate, false),
			Faults: gnmitest.Faults{Username: "admin", Password: "pass word"}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(d.Stop)
		devices = append(devices, d)
		if i < 2 {
			text += fmt.Sprintf("  - {name: leaf%d, address: '%s', labels: {rack: r%d}}\n", i+1, d.Addr(), i+1)
		}
	}
	switches := file("switches.yml", text)
	exporter, prometheus := freeAddress(t), freeAddress(t)
	program := start(t, "roce_exporter", "--config.file="+switches, "--web.listen-address="+exporter)
	config := file("prometheus.yml", fmt.Sprintf(`
global: {scrape_interval: 1s}
scrape_configs:
  - job_name: switches
    http_sd_configs: [{url: "http://%s/targets", refresh_interval: 1s}]
`, exporter))
	start(t, "prometheus", "--config.file="+config, "--storage.tsdb.path="+filepath.Join(dir, "data"), "--web.listen-address="+prometheus)
	wants := func(expr, want string) {
		t.Helper()
		eventually(t, expr, func() error {
			got, err := query(prometheus, expr)
			if err == nil && got != want {
				err = fmt.Errorf("%s; want %s", got, want)
			}
			return err
		})
	}
	wants(`count(roce_target_up{job="switches"} == 1)`, "2")
	wants(`roce_interface_received_bytes_total{instance="leaf1",rack="r1",interface="Ethernet1"}`, "1000001")
	wants(`count(up{instance=~"leaf.*"} == 1)`, "2")
	// The program's metrics and those of a probe are as promtool wants them.
	for _, path := range []string{"/probe?target=leaf1", "/metrics"} {
		body, err := get("http://" + exporter + path)
		if err != nil {
			t.Fatal(err)
		}
		check := exec.Command(filepath.Join(bin, "promtool"), "check", "metrics")
		check.Stdin = strings.NewReader(body)
		if out, err := check.CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("promtool check metrics of %s: %v\n%s", path, err, out)
		}
	}
	// A switch that comes is found after SIGHUP, one that dies is down.
	file("switches.yml", text+fmt.Sprintf("  - {name: leaf3, address: '%s', labels: {rack: r3}}\n", devices[2].Addr()))
	if err := program.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	wants(`roce_target_up{instance="leaf3",rack="r3"}`, "1")
	devices[1].Stop()
	wants(`roce_target_up{instance="leaf2"}`, "0")
	wants(`count(roce_interface_received_bytes_total{interface="Ethernet1"})`, "2")

	if err := program.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := program.Wait(); err != nil {
		t.Errorf("after SIGTERM the program ended with %v; want exit code 0", err)
	}
	if _, err := http.Get("http://" + exporter); err == nil {
		t.Error("the program still answers")
	}
}
