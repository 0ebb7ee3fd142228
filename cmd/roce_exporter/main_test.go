package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/roce-exporter/roce_exporter/collector/hosttest"
)

// try runs the program with args and returns its exit code and what it wrote.
func try(args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	code = run(args, &out, &errs)
	return code, out.String(), errs.String()
}

// layOut lays out a recording and returns its directory.
func layOut(t *testing.T, name string) string {
	t.Helper()
	h, err := hosttest.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := h.WriteSysfs(dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestOnce(t *testing.T) {
	dir := layOut(t, "mlx5_connectx7_2port")
	code, out, log := try("--once", "--path.sysfs="+dir)
	if code != 0 {
		t.Errorf("exit code %d; want 0\n%s", code, log)
	}
	for _, want := range []string{
		`roce_rdma_out_of_sequence_packets_received_total{device="mlx5_0",port="1"} 1222`,
		`roce_exporter_collector_success{collector="rdma"} 1`,
		`roce_interface_mtu_bytes{interface="ens1f0np0"} 9000`,
	} {
		if !strings.Contains(out, want+"\n") {
			t.Errorf("no line %s", want)
		}
	}
	// What cannot come from files is skipped with a word in the log.
	if !strings.Contains(log, "copied tree") || !strings.Contains(log, "[ethtool dcb pause]") {
		t.Errorf("the log does not say what is skipped:\n%s", log)
	}
	if strings.Contains(out, `collector="ethtool"`) {
		t.Error("a collector that was skipped reports success")
	}
}

// A tree that was copied without its links, with one file that no number is in.
func TestOncePlainTreeWithAFailure(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{
		"state": "4: ACTIVE\n", "rate": "100 Gb/sec (4X EDR)\n", "hw_counters/out_of_sequence": "7\n", "hw_counters/bad": "what\n", "counters/port_rcv_data": "5\n",
	} {
		p := filepath.Join(dir, "class/infiniband/mlx5_0/ports/1", name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	code, out, log := try("--once", "--path.sysfs="+dir)
	if code != 1 {
		t.Errorf("exit code %d; want 1: a file could not be read", code)
	}
	// The driver is not known from such a tree, so the name is the kernel's.
	for _, want := range []string{`roce_rdma_hw_raw_total{counter="out_of_sequence",device="mlx5_0",port="1"} 7`, `roce_rdma_received_bytes_total{device="mlx5_0",port="1"} 20`} {
		if !strings.Contains(out, want+"\n") {
			t.Errorf("no line %s in\n%s", want, out)
		}
	}
	if !strings.Contains(log, "class/infiniband/mlx5_0/ports/1/hw_counters/bad") {
		t.Errorf("the log does not name the file:\n%s", log)
	}
}

func TestSwitches(t *testing.T) {
	dir := layOut(t, "mlx5_connectx7_2port")
	_, out, _ := try("--once", "--path.sysfs="+dir, "--no-collector.interface", "--collector.rdma.device-exclude=mlx5_0", "--collector.rdma.raw=all")
	if strings.Contains(out, "mlx5_0") || strings.Contains(out, "roce_interface_") || !strings.Contains(out, `counter="out_of_sequence",device="mlx5_1"`) {
		t.Errorf("the switches were not obeyed:\n%s", out)
	}
	_, out, _ = try("--once", "--path.sysfs="+dir, "--collector.rdma.device-include=mlx5", "--collector.rdma.raw=none")
	if !strings.Contains(out, "roce_exporter_rdma_devices 0\n") {
		t.Error("an expression matched part of a name; want the whole name")
	}
}

func TestWrongFlags(t *testing.T) {
	for args, words := range map[string]string{
		"--nonsense":                           "unknown long flag '--nonsense'",
		"--collector.rdma.raw=some":            "must be one of unmapped,all,none",
		"--collector.timeout=0s":               "--collector.timeout=0s: want a duration above 0",
		"--collector.timeout=5":                "--collector.timeout=5: want a duration above 0 with its unit",
		"--web.config.file=/nonexistent":       "--web.config.file=/nonexistent",
		"--path.sysfs=/usr":                    "--path.sysfs=/usr: not a sysfs, nor a copy of one",
		"--collector.rdma.device-include=mlx[": `--collector.rdma.device-include="mlx["`,
		"--collector.rdma.device-exclude=(":    `--collector.rdma.device-exclude="("`,
		"--path.sysfs=/nonexistent":            "--path.sysfs=/nonexistent",
		"--path.sysfs=/etc/passwd":             "not a directory",
		"--log.level=loud":                     "loud",
		"stray":                                "unexpected stray",
	} {
		code, _, log := try(args, "--once")
		if code != 2 || !strings.Contains(strings.ReplaceAll(log, `\"`, `"`), words) {
			t.Errorf("%s: exit code %d, says %q; want 2 and %q", args, code, log, words)
		}
	}
}

func TestVersionAndHelp(t *testing.T) {
	for _, flag := range []string{"--version", "--help"} {
		if code, out, _ := try(flag); code != 0 || !strings.Contains(out, "roce_exporter") {
			t.Errorf("%s: exit code %d, %q", flag, code, out)
		}
	}
}

// Every flag of the program is in the README, and no other.
func TestREADMENamesTheFlags(t *testing.T) {
	b, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	readme := strings.ReplaceAll(string(b), "--[no-]", "--")
	_, help, _ := try("--help")
	inHelp := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^ {2,6}(?:-\w, )?--(?:\[no-\])?([a-z][a-z.-]+)`).FindAllStringSubmatch(help, -1) {
		inHelp[m[1]] = true
		if !strings.Contains(readme, "`--"+m[1]+"`") {
			t.Errorf("--%s is not in the README", m[1])
		}
	}
	if len(inHelp) < 15 {
		t.Fatalf("only %d flags found in the help", len(inHelp))
	}
	section := readme[strings.Index(readme, "## Flags"):strings.Index(readme, "## Permissions")]
	for _, m := range regexp.MustCompile("`--([a-z][a-z.-]+)`").FindAllStringSubmatch(section, -1) {
		if !inHelp[m[1]] {
			t.Errorf("the README has --%s, the program has not", m[1])
		}
	}
}

// The program is static, so that it runs in an empty container.
func TestBuildsWithoutCgo(t *testing.T) {
	c := exec.Command("go", "list", "-deps", "-f", "{{if .CgoFiles}}{{.ImportPath}}{{end}}", ".")
	c.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := c.Output()
	if err != nil || strings.TrimSpace(string(out)) != "" {
		t.Errorf("packages with cgo: %s, %v", out, err)
	}
}

// Filters that leave nothing, and a tree that was copied without what its links
// lead to, are said.
func TestSilentNothingIsSaid(t *testing.T) {
	dir := layOut(t, "mlx5_connectx7_2port")
	code, _, log := try("--once", "--path.sysfs="+dir, "--collector.rdma.device-include=mlx5")
	if code != 0 || !strings.Contains(log, "leave no RDMA device to read") {
		t.Errorf("exit code %d, log:\n%s", code, log)
	}
	if err := os.RemoveAll(filepath.Join(dir, "devices")); err != nil {
		t.Fatal(err)
	}
	code, _, log = try("--once", "--path.sysfs="+dir)
	if code != 1 || !strings.Contains(log, "was /sys/devices left out") {
		t.Errorf("without devices/: exit code %d, log:\n%s", code, log)
	}
}
