package metric

// Where the rows of this file come from, for the Source field.
const (
	ocTransceiver = "openconfig-platform-transceiver, /components/component/transceiver"
	ocChannel     = ocTransceiver + "/physical-channels/channel/state"
	cl119         = "IEEE 802.3 clause 119.3"
	lldp          = "IEEE 802.1AB; openconfig-lldp, /lldp/interfaces/interface/neighbors/neighbor/state"
)

func fecCounter(name, help, source string) *Metric {
	return withUnit(&Metric{Name: "roce_fec_" + name + "_total", Help: help, Type: Counter, Labels: []Label{Interface}, Source: source})
}

// transceiverGauge makes the row of a reading of a transceiver. Label interface
// is there if just one interface uses the transceiver.
func transceiverGauge(name, help, source string, more ...Label) *Metric {
	return withUnit(&Metric{Name: "roce_transceiver_" + name, Help: help, Type: Gauge, Labels: append([]Label{Interface, Transceiver}, more...), Source: source})
}

// Forward error correction.
var (
	FECCorrected     = fecCounter("corrected_codewords", "Codewords received with errors that FEC corrected. Never zero at 50 Gb/s a lane and above; growth over its usual rate foretells a failing link.", cl119+", FEC_corrected_cw_counter; "+ocEth+"/counters/fec-corrected-blocks; SAI_PORT_STAT_IF_IN_FEC_CORRECTABLE_FRAMES")
	FECUncorrectable = fecCounter("uncorrectable_codewords", "Codewords received with more errors than FEC can correct: frames are lost.", cl119+", FEC_uncorrected_cw_counter; "+ocEth+"/counters/fec-uncorrectable-blocks; SAI_PORT_STAT_IF_IN_FEC_NOT_CORRECTABLE_FRAMES")
	FECErrorFree     = fecCounter("error_free_codewords", "Codewords received without an error.", "NVIDIA rs-fec-no-error-blocks")
	FECSymbolErrors  = fecCounter("symbol_errors", "Symbols received wrong, before correction.", "SAI_PORT_STAT_IF_IN_FEC_SYMBOL_ERRORS")
	FECCorrections   = fecCounter("corrections", "Bits that FEC corrected.", "SAI_PORT_STAT_IF_IN_FEC_CORRECTED_BITS; NVIDIA corrected-bits")
	FECPreErrorRatio = withUnit(&Metric{Name: "roce_fec_before_error_ratio", Type: Gauge, Labels: []Label{Interface},
		Help: "Share of bits that are wrong before correction. Above 2.4e-4 RS-544 begins to lose frames.", Source: ocEth + "/pre-fec-ber; SONiC RATES FEC_PRE_BER"})
	FECPostErrorRatio = withUnit(&Metric{Name: "roce_fec_after_error_ratio", Type: Gauge, Labels: []Label{Interface},
		Help: "Share of bits that are wrong after correction.", Source: ocEth + "/post-fec-ber; SONiC RATES FEC_POST_BER"})
	FECModeInfo = &Metric{Name: "roce_fec_mode_info", Type: Info, Labels: []Label{Interface, Mode},
		Help: "FEC mode of the interface, in the device's words.", Source: ocEth + "/fec-mode"}
)

// Transceivers.
var (
	TransceiverInfo = &Metric{Name: "roce_transceiver_info", Type: Info, Labels: []Label{Interface, Transceiver, FormFactor, Vendor, PartNumber, SerialNumber, Firmware},
		Help: "A transceiver: what it is and who made it.", Source: ocTransceiver + "/state"}
	TransceiverInterfaceInfo = &Metric{Name: "roce_transceiver_interface_info", Type: Info, Labels: []Label{Interface, Transceiver},
		Help: "Which interface uses which transceiver. Several do when a port is broken out; readings have no interface then.", Source: ocIf + "/transceiver"}
	TransceiverTemperature = transceiverGauge("temperature_celsius", "Temperature of the module.", "openconfig-platform, /components/component/state/temperature; SFF-8636, CMIS")
	TransceiverVoltage     = transceiverGauge("supply_voltage_volts", "Supply voltage of the module.", ocTransceiver+"/state/supply-voltage")
	TransceiverReceived    = transceiverGauge("received_power_dbm", "Optical power received, by lane where the module says. No light is absent.", ocChannel+"/input-power", Lane)
	TransceiverTransmitted = transceiverGauge("transmitted_power_dbm", "Optical power sent, by lane where the module says. No light is absent.", ocChannel+"/output-power", Lane)
	TransceiverBias        = transceiverGauge("laser_bias_amperes", "Bias current of the laser, by lane where the module says.", ocChannel+"/laser-bias-current", Lane)
	TransceiverLaserHeat   = transceiverGauge("laser_temperature_celsius", "Temperature of the laser.", ocChannel+"/laser-temperature", Lane)
	TransceiverHostSNR     = transceiverGauge("host_snr_decibels", "Signal to noise ratio on the electrical side.", ocChannel+"/host-snr", Lane)
	TransceiverMediaSNR    = transceiverGauge("media_snr_decibels", "Signal to noise ratio on the optical side.", ocChannel+"/media-snr", Lane)
	TransceiverNoSignal    = transceiverGauge("received_loss_of_signal", "1 if the lane receives no light.", ocChannel+"/rx-los", Lane)
	TransceiverNoLock      = transceiverGauge("received_loss_of_lock", "1 if the lane's clock recovery has no lock.", ocChannel+"/rx-cdr-lol", Lane)
	TransceiverFault       = transceiverGauge("transmitter_fault", "1 if the lane's transmitter has failed.", ocChannel+"/tx-failure", Lane)
)

// NeighborInfo joins a link's two ends.
var NeighborInfo = &Metric{Name: "roce_neighbor_info", Type: Info, Labels: []Label{Interface, Neighbor, NeighborIface, NeighborPortText, NeighborChassis},
	Help: "What LLDP says is at the other end of the interface's link. A server's NIC often gives a MAC address as its port ID and its interface in the description.", Source: lldp}

// links lists the rows of this file.
func links() []*Metric {
	return []*Metric{
		FECCorrected, FECUncorrectable, FECErrorFree, FECSymbolErrors, FECCorrections, FECPreErrorRatio, FECPostErrorRatio, FECModeInfo,
		TransceiverInfo, TransceiverInterfaceInfo, TransceiverTemperature, TransceiverVoltage, TransceiverReceived, TransceiverTransmitted,
		TransceiverBias, TransceiverLaserHeat, TransceiverHostSNR, TransceiverMediaSNR, TransceiverNoSignal, TransceiverNoLock, TransceiverFault,
		NeighborInfo,
	}
}
