package host

import (
	"math"
	"testing"
)

func TestParseRate(t *testing.T) {
	for in, want := range map[string]float64{
		"400 Gb/sec (4X NDR)\n": 50e9, "2.5 Gb/sec (1X SDR)\n": 312.5e6, "10 Gb/sec (4X)\n": 1.25e9, "56 Gb/sec (4X FDR)": 7e9,
		"": -1, "Gb/sec": -1, "x Gb/sec": -1, "-5 Gb/sec": -1, "NaN Gb/sec": -1, "Inf Gb/sec": -1, "1e300 Gb/sec": -1, "400": -1, "400Gb/sec": -1,
	} {
		got, err := parseRate(in)
		if (err != nil) != (want < 0) || err == nil && got != want {
			t.Errorf("parseRate(%q) = %v, %v; want %v", in, got, err, want)
		}
	}
}

func FuzzParseRate(f *testing.F) {
	f.Add("400 Gb/sec (4X NDR)\n")
	f.Add("0x1p-2 Gb/sec")
	f.Fuzz(func(t *testing.T, s string) {
		if v, err := parseRate(s); err == nil && (v < 0 || math.IsNaN(v) || math.IsInf(v, 0)) {
			t.Errorf("parseRate(%q) = %v", s, v)
		}
	})
}

// FuzzNames: whatever a kernel or a firmware calls a counter, it is mapped or
// exported raw, and no name brings the mapper down.
func FuzzNames(f *testing.F) {
	var all []*index
	for _, d := range Drivers() {
		all = append(all, newIndex(&d, PMA()))
	}
	for _, s := range []string{"out_of_sequence", "rx_prio3_pause", "rx_prio03_pause", "rx_prio{priority}_pause", "RNR sent", "", "\x00\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, name string) {
		for _, x := range all {
			for _, from := range []From{PortCounters, DeviceCounters, PMACounters, Statistics} {
				for _, m := range x.find(from, name) {
					if m.label != "" && !smallNumber(m.number) {
						t.Errorf("%q gives %s %q", name, m.label, m.number)
					}
				}
			}
		}
	})
}
