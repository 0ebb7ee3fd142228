package hosttest

import (
	"fmt"
	"strings"
)

// ConnectX7 returns a synthetic host with ports ConnectX-7 devices of one port
// each, as GPU hosts have them: the full lists of counters that such a device has
// (names: drivers/infiniband/hw/mlx5/counters.c, drivers/infiniband/core/
// sysfs.c, drivers/net/ethernet/mellanox/mlx5/core/en_stats.c), PFC on
// priority 3, 32 channels.
func ConnectX7(ports int) *Host {
	hw := strings.Fields(`rx_write_requests rx_read_requests rx_atomic_requests rx_dct_connect out_of_buffer out_of_sequence duplicate_request
		rnr_nak_retry_err packet_seq_err implied_nak_seq_err local_ack_timeout_err resp_local_length_error resp_cqe_error req_cqe_error
		req_remote_invalid_request req_remote_access_errors resp_remote_access_errors resp_cqe_flush_error req_cqe_flush_error
		req_transport_retries_exceeded req_rnr_retries_exceeded roce_adp_retrans roce_adp_retrans_to roce_slow_restart roce_slow_restart_cnps
		roce_slow_restart_trans rp_cnp_ignored rp_cnp_handled np_ecn_marked_roce_packets np_cnp_sent rx_icrc_encapsulated`)
	pma := strings.Fields(`symbol_error link_error_recovery link_downed port_rcv_errors port_rcv_remote_physical_errors port_rcv_switch_relay_errors
		port_xmit_discards port_xmit_constraint_errors port_rcv_constraint_errors local_link_integrity_errors excessive_buffer_overrun_errors
		VL15_dropped port_xmit_wait port_xmit_data port_rcv_data port_xmit_packets port_rcv_packets
		unicast_xmit_packets unicast_rcv_packets multicast_xmit_packets multicast_rcv_packets`)
	var statistics []string
	for p := range 8 {
		for _, n := range []string{"rx_prio%d_bytes", "rx_prio%d_packets", "rx_prio%d_discards", "tx_prio%d_bytes", "tx_prio%d_packets", "rx_prio%d_buf_discard", "rx_prio%d_cong_discard", "rx_prio%d_marked"} {
			statistics = append(statistics, fmt.Sprintf(n, p))
		}
	}
	statistics = append(statistics, strings.Fields(`rx_prio3_pause rx_prio3_pause_duration tx_prio3_pause tx_prio3_pause_duration rx_prio3_pause_transition
		rx_discards_phy tx_discards_phy tx_errors_phy rx_out_of_buffer rx_crc_errors_phy rx_symbol_err_phy rx_pcs_symbol_err_phy rx_corrected_bits_phy
		rx_err_lane_0_phy rx_err_lane_1_phy rx_err_lane_2_phy rx_err_lane_3_phy link_down_events_phy tx_pause_storm_warning_events tx_pause_storm_error_events
		rx_vport_rdma_unicast_packets rx_vport_rdma_unicast_bytes tx_vport_rdma_unicast_packets tx_vport_rdma_unicast_bytes
		outbound_pci_stalled_rd outbound_pci_stalled_wr outbound_pci_stalled_rd_events outbound_pci_stalled_wr_events`)...)
	for c := range 32 {
		for n := range 40 {
			statistics = append(statistics, fmt.Sprintf("rx%d_statistic_%d", c, n))
		}
	}

	var b strings.Builder
	b.WriteString("synthetic\n")
	member := func(name, content string) { fmt.Fprintf(&b, "-- %s --\n%s", name, content) }
	value := 1000
	number := func() string { value += 7; return fmt.Sprintf("%d\n", value*1000003) }
	for i := range ports {
		pci := fmt.Sprintf("0000:%02x:00.0", 0x17+i)
		dir := "sys/devices/pci0000:00/" + pci
		dev, eth := fmt.Sprintf("mlx5_%d", i), fmt.Sprintf("ens%df0np0", i)
		member(dir+"/driver -> ../../../bus/pci/drivers/mlx5_core", "")
		member(dir+"/numa_node", fmt.Sprintf("%d\n", i*2/ports))
		ib := dir + "/infiniband/" + dev
		member("sys/class/infiniband/"+dev+" -> ../../devices/pci0000:00/"+pci+"/infiniband/"+dev, "")
		member(ib+"/device -> ../../../"+pci, "")
		for name, content := range map[string]string{"fw_ver": "28.39.1002\n", "board_id": "MT_0000000838\n", "hca_type": "MT4129\n", "hw_rev": "0\n",
			"node_guid": fmt.Sprintf("0000:0000:0000:%04x\n", i), "sys_image_guid": fmt.Sprintf("0000:0000:0001:%04x\n", i)} {
			member(ib+"/"+name, content)
		}
		p := ib + "/ports/1/"
		member(p+"state", "4: ACTIVE\n")
		member(p+"phys_state", "5: LinkUp\n")
		member(p+"rate", "400 Gb/sec (4X NDR)\n")
		member(p+"link_layer", "Ethernet\n")
		for g := range 4 {
			member(fmt.Sprintf("%sgid_attrs/types/%d", p, g), []string{"IB/RoCE v1\n", "RoCE v2\n"}[g%2])
			member(fmt.Sprintf("%sgid_attrs/ndevs/%d", p, g), eth+"\n")
		}
		member(p+"hw_counters/lifespan", "12\n")
		var counters strings.Builder
		for _, n := range hw {
			v := number()
			member(p+"hw_counters/"+n, v)
			fmt.Fprintf(&counters, "%s: %s", n, v)
		}
		for _, n := range pma {
			member(p+"counters/"+n, number())
		}
		net := dir + "/net/" + eth
		member("sys/class/net/"+eth+" -> ../../devices/pci0000:00/"+pci+"/net/"+eth, "")
		member(net+"/device -> ../../../"+pci, "")
		for name, content := range map[string]string{"operstate": "up\n", "mtu": "9000\n", "speed": "400000\n", "dev_port": "0\n"} {
			member(net+"/"+name, content)
		}
		member("rdma/"+dev, fmt.Sprintf("index: %d\nprotocol: roce\ndriver_id: 1\nports: 1\n", i))
		member("rdma/"+dev+"/1", fmt.Sprintf("state: 4\nphysical_state: 5\ninterface: %s\nifindex: %d\n", eth, i+2))
		member("rdma/"+dev+"/1/counters", counters.String())
		member("ethtool/"+eth+"/driver", "driver: mlx5_core\nfirmware-version: 28.39.1002\nbus-info: "+pci+"\n")
		var all strings.Builder
		for _, n := range statistics {
			fmt.Fprintf(&all, "%s: %s", n, number())
		}
		member("ethtool/"+eth+"/statistics", all.String())
		member("ethtool/"+eth+"/pause", "rx: 5\ntx: 6\n")
		member("dcb/"+eth+"/pfc", "capable: 8\nenabled: 3\n")
	}
	h, err := Load([]byte(b.String()))
	if err != nil {
		panic(err) // it is made here, and its form is right
	}
	return h
}
