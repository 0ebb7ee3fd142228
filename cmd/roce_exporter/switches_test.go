package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// configFile writes a configuration and returns its path.
func configFile(t *testing.T, text string) string {
	t.Helper()
	p := filepath.Join(t.TempDir(), "switches.yml")
	if err := os.WriteFile(p, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return p
}

// What the README shows and the repository has for an example is right.
func TestExamplesAreRight(t *testing.T) {
	t.Setenv("ROCE_SWITCH_PASSWORD", "x")
	examples, err := filepath.Glob("../../deploy/examples/*.yml")
	if err != nil || len(examples) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	for _, e := range examples {
		code, out, errs := try("--config.file="+e, "--config.check")
		if code != 0 || errs != "" || !strings.Contains(out, "no mistakes; 6 targets, 6 of them in shard 0/1") {
			t.Errorf("%s: exit code %d, %s%s", e, code, out, errs)
		}
	}
	b, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, text, found := strings.Cut(string(b), "```yaml\n# switches.yml\n")
	text, _, ended := strings.Cut(text, "```")
	if !found || !ended {
		t.Fatal("the README has no switches.yml")
	}
	if code, out, errs := try("--config.file="+configFile(t, text), "--config.check"); code != 0 || !strings.Contains(out, "2 targets") {
		t.Errorf("the README's switches.yml: exit code %d, %s%s", code, out, errs)
	}
}

func TestConfigCheck(t *testing.T) {
	wrong := configFile(t, "targets:\n  - {name: leaf1, address: 'leaf1:6030', profil: sonic}\n")
	code, out, errs := try("--config.file="+wrong, "--config.check")
	if code != 1 || out != "" || !strings.Contains(errs, wrong+":2: ") || !strings.Contains(errs, "profil") {
		t.Errorf("a wrong key: exit code %d, %q, %q; want 1, the file and the line", code, out, errs)
	}
	// What is missing on this machine is said, and is no mistake of the file.
	good := configFile(t, "credentials: {lab: {username: a, password_file: /nonexistent}}\ntargets:\n  - {name: leaf1, address: 'leaf1:6030', credentials: lab}\n")
	code, out, errs = try("--config.file="+good, "--config.check")
	if code != 0 || !strings.Contains(out, "1 targets") || !strings.Contains(errs, "/nonexistent") {
		t.Errorf("a missing password: exit code %d, %q, %q; want 0 and the file's name", code, out, errs)
	}
	shards := 0
	for _, s := range []string{"0/2", "1/2"} {
		code, out, _ := try("--config.file="+good, "--config.check", "--shard="+s)
		if code != 0 || !strings.Contains(out, "1 targets") {
			t.Errorf("shard %s: exit code %d, %q", s, code, out)
		}
		if strings.Contains(out, "1 of them in shard "+s) {
			shards++
		}
	}
	if shards != 1 {
		t.Errorf("%d of two shards have the target", shards)
	}
}

func TestWrongFlagsOfSwitches(t *testing.T) {
	good := configFile(t, "targets: []\n")
	wrong := configFile(t, "targets: {}\n")
	for _, c := range []struct {
		args  []string
		words string
	}{
		{[]string{"--config.check"}, "--config.check: want --config.file=FILE too"},
		{[]string{"--shard=0/2"}, "--shard: want --config.file=FILE too"},
		{[]string{"--config.file=" + good, "--shard=2/2"}, "--shard=2/2: want I/N with I from 0 to N-1"},
		{[]string{"--config.file=" + good, "--once"}, "--once writes what is known of this host"},
		{[]string{"--config.file=/nonexistent"}, "/nonexistent"},
		{[]string{"--config.file=" + wrong}, wrong + ":1: targets"},
	} {
		code, _, log := try(c.args...)
		if code != 2 || !strings.Contains(log, c.words) {
			t.Errorf("%v: exit code %d, says %q; want 2 and %q", c.args, code, log, c.words)
		}
	}
}

// With a configuration the host is read only where that is asked for.
func TestHostIsOffWithAConfiguration(t *testing.T) {
	dir := layOut(t, "mlx5_connectx7_2port")
	code, out, log := try("--once", "--path.sysfs="+dir, "--config.file="+configFile(t, "targets: []\n"), "--collector.interface")
	if code != 0 || !strings.Contains(out, `roce_interface_mtu_bytes{interface="ens1f0np0"}`) || strings.Contains(out, "roce_rdma_received_bytes_total") {
		t.Errorf("exit code %d, %s\n%s; want the interface collector alone", code, out, log)
	}
}
