// SPDX-License-Identifier: GPL-2.0
/*
 * roce_mock: RDMA devices and network interfaces that carry no traffic but
 * answer everything a monitoring program asks an mlx5 NIC for. It exists for
 * one test and is never part of the product.
 *
 * Every value is a function of the device's number, the counter's name as
 * userspace sees it, and the parameter tick; see value() and narrow(). The
 * test has the same two functions and so knows what it must find.
 */
#include <linux/bitops.h>
#include <linux/delay.h>
#include <linux/etherdevice.h>
#include <linux/ethtool.h>
#include <linux/jiffies.h>
#include <linux/module.h>
#include <linux/netdevice.h>
#include <linux/platform_device.h>
#include <net/dcbnl.h>
#include <rdma/ib_mad.h>
#include <rdma/ib_pma.h>
#include <rdma/ib_verbs.h>
#include <rdma/ib_user_ioctl_verbs.h>

#define MAX_DEVICES 8
#define FIRMWARE "22.31.1014"

static int devices = 2;
module_param(devices, int, 0444);
MODULE_PARM_DESC(devices, "how many RDMA devices, each with an interface");

static uint driver_id = RDMA_DRIVER_MLX5;
module_param(driver_id, uint, 0444);
MODULE_PARM_DESC(driver_id, "the driver's number in RDMA netlink");

static char *net_driver = "mlx5_core";
module_param(net_driver, charp, 0444);
MODULE_PARM_DESC(net_driver, "the driver's name in sysfs and ethtool");

static ulong tick;
module_param(tick, ulong, 0644);
MODULE_PARM_DESC(tick, "added to every counter");

static int hang_device = -1;
module_param(hang_device, int, 0644);
MODULE_PARM_DESC(hang_device, "reading hw_counters of this device sleeps, not to be interrupted, until this is changed");

static uint hang_seconds = 60;
module_param(hang_seconds, uint, 0644);
MODULE_PARM_DESC(hang_seconds, "or until this time has passed");

static int eio_device = -1;
module_param(eio_device, int, 0644);
MODULE_PARM_DESC(eio_device, "reading hw_counters of this device fails with EIO");

static uint statistics_changes;
module_param(statistics_changes, uint, 0644);
MODULE_PARM_DESC(statistics_changes, "in this many reads of device 0's ethtool statistics PFC moves on by a priority, before the values are taken");

static u32 hash(const char *name)
{
	u32 h = 2166136261u;

	while (*name)
		h = (h ^ (u8)*name++) * 16777619u;
	return h;
}

/* value is that of a counter which has room for it. */
static u64 value(unsigned int device, const char *name)
{
	return (device + 1) * 1000000ULL + hash(name) % 1000000 + tick;
}

/* narrow is that of a counter of few bits, which stays at its maximum. */
static u64 narrow(const char *name, u64 max)
{
	return min_t(u64, hash(name) % 100 + tick, max);
}

struct mock_ib {
	struct ib_device ib; /* ib_alloc_device wants it first */
	struct net_device *netdev;
	unsigned int number;
};

struct mock_net {
	unsigned int number;
	struct ieee_pfc pfc;
	struct ieee_ets ets;
	u8 dcbx;
	bool rx_pause, tx_pause;
};

static struct mock {
	struct platform_device *platform;
	struct net_device *netdev;
	struct mock_ib *ib;
} mocks[MAX_DEVICES];

/* ---- RDMA ---------------------------------------------------------------- */

static const struct rdma_stat_desc hw_counters[] = {
	{ .name = "rx_write_requests" },
	{ .name = "rx_read_requests" },
	{ .name = "rx_atomic_requests" },
	{ .name = "rx_dct_connect" },
	{ .name = "out_of_buffer" },
	{ .name = "out_of_sequence" },
	{ .name = "duplicate_request" },
	{ .name = "rnr_nak_retry_err" },
	{ .name = "packet_seq_err" },
	{ .name = "implied_nak_seq_err" },
	{ .name = "local_ack_timeout_err" },
	{ .name = "resp_local_length_error" },
	{ .name = "resp_cqe_error" },
	{ .name = "req_cqe_error" },
	{ .name = "req_remote_invalid_request" },
	{ .name = "req_remote_access_errors" },
	{ .name = "resp_remote_access_errors" },
	{ .name = "resp_cqe_flush_error" },
	{ .name = "req_cqe_flush_error" },
	{ .name = "roce_adp_retrans" },
	{ .name = "roce_adp_retrans_to" },
	{ .name = "roce_slow_restart" },
	{ .name = "roce_slow_restart_cnps" },
	{ .name = "roce_slow_restart_trans" },
	{ .name = "rp_cnp_ignored" },
	{ .name = "rp_cnp_handled" },
	{ .name = "np_ecn_marked_roce_packets" },
	{ .name = "np_cnp_sent" },
	{ .name = "rx_icrc_encapsulated" },
	{ .name = "mock_unmapped" }, /* no driver's name: for the raw family */
	{ .name = "cc_rx_ce_pkts", .flags = IB_STAT_FLAG_OPTIONAL },
	{ .name = "cc_rx_cnp_pkts", .flags = IB_STAT_FLAG_OPTIONAL },
	{ .name = "cc_tx_cnp_pkts", .flags = IB_STAT_FLAG_OPTIONAL },
};

static struct mock_ib *to_mock(struct ib_device *ib)
{
	return container_of(ib, struct mock_ib, ib);
}

static struct rdma_hw_stats *alloc_stats(struct ib_device *ib, u32 port)
{
	struct rdma_hw_stats *stats;
	int i;

	stats = rdma_alloc_hw_stats_struct(hw_counters, ARRAY_SIZE(hw_counters),
					   RDMA_HW_STATS_DEFAULT_LIFESPAN);
	if (!stats)
		return NULL;
	for (i = 0; i < ARRAY_SIZE(hw_counters); i++)
		if (hw_counters[i].flags & IB_STAT_FLAG_OPTIONAL)
			set_bit(i, stats->is_disabled);
	return stats;
}

static int get_stats(struct ib_device *ib, struct rdma_hw_stats *stats, u32 port, int index)
{
	int number = to_mock(ib)->number;
	ulong end = jiffies + hang_seconds * HZ;
	int i;

	while (READ_ONCE(hang_device) == number && time_before(jiffies, end))
		msleep(20);
	if (READ_ONCE(eio_device) == number)
		return -EIO;
	for (i = 0; i < ARRAY_SIZE(hw_counters); i++)
		stats->value[i] = value(number, hw_counters[i].name);
	return ARRAY_SIZE(hw_counters);
}

/* The core does what is needed: it sets and clears is_disabled. */
static int modify_stat(struct ib_device *ib, u32 port, unsigned int index, bool enable)
{
	return 0;
}

/* sysfs asks for counters/ with performance management datagrams. */
static int process_mad(struct ib_device *ib, int flags, u32 port, const struct ib_wc *wc,
		       const struct ib_grh *grh, const struct ib_mad *in, struct ib_mad *out,
		       size_t *out_size, u16 *out_pkey)
{
	unsigned int number = to_mock(ib)->number;
	void *attribute = out->data + 40; /* after the header's reserved part */

	if (in->mad_hdr.mgmt_class != IB_MGMT_CLASS_PERF_MGMT)
		return IB_MAD_RESULT_FAILURE;
	memset(out->data, 0, sizeof(out->data));
	if (in->mad_hdr.attr_id == IB_PMA_CLASS_PORT_INFO) {
		struct ib_class_port_info *c = attribute;

		c->capability_mask = IB_PMA_CLASS_CAP_EXT_WIDTH;
	} else if (in->mad_hdr.attr_id == IB_PMA_PORT_COUNTERS_EXT) {
		struct ib_pma_portcounters_ext *c = attribute;

#define WIDE(name) cpu_to_be64(value(number, name))
		c->port_xmit_data = WIDE("port_xmit_data");
		c->port_rcv_data = WIDE("port_rcv_data");
		c->port_xmit_packets = WIDE("port_xmit_packets");
		c->port_rcv_packets = WIDE("port_rcv_packets");
		c->port_unicast_xmit_packets = WIDE("unicast_xmit_packets");
		c->port_unicast_rcv_packets = WIDE("unicast_rcv_packets");
		c->port_multicast_xmit_packets = WIDE("multicast_xmit_packets");
		c->port_multicast_rcv_packets = WIDE("multicast_rcv_packets");
#undef WIDE
	} else if (in->mad_hdr.attr_id == IB_PMA_PORT_COUNTERS) {
		struct ib_pma_portcounters *c = attribute;

		c->symbol_error_counter = cpu_to_be16(narrow("symbol_error", U16_MAX));
		c->link_error_recovery_counter = narrow("link_error_recovery", U8_MAX);
		c->link_downed_counter = narrow("link_downed", U8_MAX);
		c->port_rcv_errors = cpu_to_be16(narrow("port_rcv_errors", U16_MAX));
		c->port_rcv_remphys_errors = cpu_to_be16(narrow("port_rcv_remote_physical_errors", U16_MAX));
		c->port_xmit_discards = cpu_to_be16(narrow("port_xmit_discards", U16_MAX));
		c->port_xmit_wait = cpu_to_be32(narrow("port_xmit_wait", U32_MAX));
	} else {
		return IB_MAD_RESULT_FAILURE;
	}
	return IB_MAD_RESULT_SUCCESS | IB_MAD_RESULT_REPLY;
}

static int query_device(struct ib_device *ib, struct ib_device_attr *attr, struct ib_udata *udata)
{
	memset(attr, 0, sizeof(*attr));
	attr->sys_image_guid = ib->node_guid;
	attr->vendor_id = 0x2c9;
	attr->vendor_part_id = 4125;
	attr->max_pkeys = 1;
	return 0;
}

static int query_port(struct ib_device *ib, u32 port, struct ib_port_attr *attr)
{
	struct net_device *netdev = to_mock(ib)->netdev;
	bool up = netif_running(netdev) && netif_carrier_ok(netdev);

	attr->state = up ? IB_PORT_ACTIVE : IB_PORT_DOWN;
	attr->phys_state = up ? IB_PORT_PHYS_STATE_LINK_UP : IB_PORT_PHYS_STATE_DISABLED;
	attr->max_mtu = IB_MTU_4096;
	attr->active_mtu = IB_MTU_1024;
	attr->gid_tbl_len = 16;
	attr->pkey_tbl_len = 1;
	attr->port_cap_flags = IB_PORT_CM_SUP;
	attr->active_width = IB_WIDTH_4X;
	attr->active_speed = IB_SPEED_EDR;
	attr->max_msg_sz = 1 << 30;
	attr->ip_gids = true;
	return 0;
}

static int get_port_immutable(struct ib_device *ib, u32 port, struct ib_port_immutable *immutable)
{
	immutable->pkey_tbl_len = 1;
	immutable->gid_tbl_len = 16;
	immutable->core_cap_flags = RDMA_CORE_PORT_IBA_ROCE | RDMA_CORE_PORT_IBA_ROCE_UDP_ENCAP;
	immutable->max_mad_size = IB_MGMT_MAD_SIZE;
	return 0;
}

static int query_pkey(struct ib_device *ib, u32 port, u16 index, u16 *pkey)
{
	*pkey = 0xffff;
	return 0;
}

static int add_gid(const struct ib_gid_attr *attr, void **context)
{
	return 0;
}

static int del_gid(const struct ib_gid_attr *attr, void **context)
{
	return 0;
}

static enum rdma_link_layer get_link_layer(struct ib_device *ib, u32 port)
{
	return IB_LINK_LAYER_ETHERNET;
}

static void get_firmware(struct ib_device *ib, char *text)
{
	snprintf(text, IB_FW_VERSION_NAME_MAX, FIRMWARE);
}

/*
 * ib_uverbs serves only devices with this operation, and only for those RDMA
 * netlink tells the driver's number. Nobody may really open one.
 */
static int alloc_ucontext(struct ib_ucontext *context, struct ib_udata *udata)
{
	return -EOPNOTSUPP;
}

static void dealloc_ucontext(struct ib_ucontext *context)
{
}

struct mock_ucontext {
	struct ib_ucontext ib;
};

/* The files that mlx5 has beside those of every RDMA device. */
static ssize_t hca_type_show(struct device *dev, struct device_attribute *attr, char *text)
{
	return sysfs_emit(text, "MT4125\n");
}
static DEVICE_ATTR_RO(hca_type);

static ssize_t board_id_show(struct device *dev, struct device_attribute *attr, char *text)
{
	return sysfs_emit(text, "MT_MOCK000001\n");
}
static DEVICE_ATTR_RO(board_id);

static ssize_t hw_rev_show(struct device *dev, struct device_attribute *attr, char *text)
{
	return sysfs_emit(text, "0\n");
}
static DEVICE_ATTR_RO(hw_rev);

static struct attribute *device_attributes[] = {
	&dev_attr_hca_type.attr,
	&dev_attr_board_id.attr,
	&dev_attr_hw_rev.attr,
	NULL,
};

static const struct attribute_group device_group = { .attrs = device_attributes };

/* Not const: the driver's number is a parameter. */
static struct ib_device_ops rdma_ops = {
	.owner = THIS_MODULE,
	.uverbs_abi_ver = 1,
	.add_gid = add_gid,
	.alloc_hw_port_stats = alloc_stats,
	.alloc_ucontext = alloc_ucontext,
	.dealloc_ucontext = dealloc_ucontext,
	.del_gid = del_gid,
	.device_group = &device_group,
	.get_dev_fw_str = get_firmware,
	.get_hw_stats = get_stats,
	.get_link_layer = get_link_layer,
	.get_port_immutable = get_port_immutable,
	.modify_hw_stat = modify_stat,
	.process_mad = process_mad,
	.query_device = query_device,
	.query_pkey = query_pkey,
	.query_port = query_port,
	INIT_RDMA_OBJ_SIZE(ib_ucontext, mock_ucontext, ib),
};

/* ---- ethtool --------------------------------------------------------------- */

static const char *const port_statistics[] = {
	"rx_packets", "rx_bytes", "tx_packets", "tx_bytes",
	"rx_out_of_buffer", "rx_if_down_packets", "rx_steer_missed_packets",
	"rx_vport_unicast_packets", "rx_vport_unicast_bytes",
	"tx_vport_unicast_packets", "tx_vport_unicast_bytes",
	"rx_vport_rdma_unicast_packets", "rx_vport_rdma_unicast_bytes",
	"tx_vport_rdma_unicast_packets", "tx_vport_rdma_unicast_bytes",
	"rx_vport_rdma_multicast_packets", "rx_vport_rdma_multicast_bytes",
	"tx_vport_rdma_multicast_packets", "tx_vport_rdma_multicast_bytes",
	"tx_packets_phy", "rx_packets_phy", "rx_crc_errors_phy",
	"tx_bytes_phy", "rx_bytes_phy", "rx_symbol_err_phy",
	"rx_pause_ctrl_phy", "tx_pause_ctrl_phy",
	"rx_discards_phy", "tx_discards_phy", "tx_errors_phy",
	"link_down_events_phy", "rx_pcs_symbol_err_phy", "rx_corrected_bits_phy",
	"rx_buffer_passed_thres_phy",
	"outbound_pci_stalled_rd", "outbound_pci_stalled_wr",
	"outbound_pci_stalled_rd_events", "outbound_pci_stalled_wr_events",
};

static const char *const priority_statistics[] = {
	"rx_prio%d_bytes", "rx_prio%d_packets", "rx_prio%d_discards",
	"tx_prio%d_bytes", "tx_prio%d_packets",
	"rx_prio%d_buf_discard", "rx_prio%d_cong_discard", "rx_prio%d_marked",
};

static const char *const pfc_statistics[] = {
	"rx_prio%d_pause", "rx_prio%d_pause_duration",
	"tx_prio%d_pause", "tx_prio%d_pause_duration",
	"rx_prio%d_pause_transition",
};

static const char *const pause_statistics[] = {
	"rx_global_pause", "rx_global_pause_duration",
	"tx_global_pause", "tx_global_pause_duration",
	"rx_global_pause_transition",
};

static const char *const storm_statistics[] = {
	"tx_pause_storm_warning_events", "tx_pause_storm_error_events",
};

/*
 * list_statistics writes the names to names, if given, and the values to
 * values, if given, and returns how many there are. As with mlx5, pause is
 * listed for the priorities that have PFC enabled, and for the link while
 * link pause is on, so that the list's length changes at run time.
 */
static int list_statistics(struct net_device *netdev, u8 *names, u64 *values)
{
	struct mock_net *m = netdev_priv(netdev);
	char name[ETH_GSTRING_LEN];
	int count = 0, i, p;

#define PUT(format, ...) do {							\
		snprintf(name, sizeof(name), format, ##__VA_ARGS__);		\
		if (names)							\
			strscpy(names + count * ETH_GSTRING_LEN, name, ETH_GSTRING_LEN); \
		if (values)							\
			values[count] = value(m->number, name);			\
		count++;							\
	} while (0)
	for (i = 0; i < ARRAY_SIZE(port_statistics); i++)
		PUT("%s", port_statistics[i]);
	for (p = 0; p < IEEE_8021QAZ_MAX_TCS; p++)
		for (i = 0; i < ARRAY_SIZE(priority_statistics); i++)
			PUT(priority_statistics[i], p);
	for (p = 0; p < IEEE_8021QAZ_MAX_TCS; p++)
		for (i = 0; m->pfc.pfc_en & BIT(p) && i < ARRAY_SIZE(pfc_statistics); i++)
			PUT(pfc_statistics[i], p);
	for (i = 0; (m->rx_pause || m->tx_pause) && i < ARRAY_SIZE(pause_statistics); i++)
		PUT("%s", pause_statistics[i]);
	for (i = 0; i < ARRAY_SIZE(storm_statistics); i++)
		PUT("%s", storm_statistics[i]);
#undef PUT
	return count;
}

static int get_sset_count(struct net_device *netdev, int set)
{
	return set == ETH_SS_STATS ? list_statistics(netdev, NULL, NULL) : -EOPNOTSUPP;
}

static void get_strings(struct net_device *netdev, u32 set, u8 *names)
{
	if (set == ETH_SS_STATS)
		list_statistics(netdev, names, NULL);
}

static void get_ethtool_stats(struct net_device *netdev, struct ethtool_stats *stats, u64 *values)
{
	struct mock_net *m = netdev_priv(netdev);

	/* The list keeps its length: the kernel has allocated what it fills. */
	if (m->number == 0 && statistics_changes) {
		statistics_changes--;
		m->pfc.pfc_en = rol8(m->pfc.pfc_en, 1);
	}
	list_statistics(netdev, NULL, values);
}

static void get_drvinfo(struct net_device *netdev, struct ethtool_drvinfo *info)
{
	strscpy(info->driver, net_driver, sizeof(info->driver));
	strscpy(info->fw_version, FIRMWARE, sizeof(info->fw_version));
	strscpy(info->bus_info, dev_name(netdev->dev.parent), sizeof(info->bus_info));
}

static int get_link_ksettings(struct net_device *netdev, struct ethtool_link_ksettings *settings)
{
	settings->base.speed = SPEED_100000;
	settings->base.duplex = DUPLEX_FULL;
	settings->base.port = PORT_FIBRE;
	return 0;
}

static void get_pauseparam(struct net_device *netdev, struct ethtool_pauseparam *pause)
{
	struct mock_net *m = netdev_priv(netdev);

	pause->rx_pause = m->rx_pause;
	pause->tx_pause = m->tx_pause;
}

static int set_pauseparam(struct net_device *netdev, struct ethtool_pauseparam *pause)
{
	struct mock_net *m = netdev_priv(netdev);

	m->rx_pause = pause->rx_pause;
	m->tx_pause = pause->tx_pause;
	return 0;
}

/* Here userspace sees the names of ethtool netlink's attributes. */
static void get_pause_stats(struct net_device *netdev, struct ethtool_pause_stats *stats)
{
	struct mock_net *m = netdev_priv(netdev);

	stats->tx_pause_frames = value(m->number, "tx_pause_frames");
	stats->rx_pause_frames = value(m->number, "rx_pause_frames");
}

static const struct ethtool_ops ethtool_ops = {
	.get_drvinfo = get_drvinfo,
	.get_ethtool_stats = get_ethtool_stats,
	.get_link = ethtool_op_get_link,
	.get_link_ksettings = get_link_ksettings,
	.get_pause_stats = get_pause_stats,
	.get_pauseparam = get_pauseparam,
	.get_sset_count = get_sset_count,
	.get_strings = get_strings,
	.set_pauseparam = set_pauseparam,
};

/* ---- DCB ---------------------------------------------------------------------- */

static int get_pfc(struct net_device *netdev, struct ieee_pfc *pfc)
{
	struct mock_net *m = netdev_priv(netdev);
	char name[32];
	int p;

	*pfc = m->pfc;
	for (p = 0; p < IEEE_8021QAZ_MAX_TCS; p++) {
		snprintf(name, sizeof(name), "requests%d", p);
		pfc->requests[p] = value(m->number, name);
		snprintf(name, sizeof(name), "indications%d", p);
		pfc->indications[p] = value(m->number, name);
	}
	return 0;
}

static int set_pfc(struct net_device *netdev, struct ieee_pfc *pfc)
{
	struct mock_net *m = netdev_priv(netdev);

	m->pfc.pfc_en = pfc->pfc_en;
	m->pfc.mbc = pfc->mbc;
	m->pfc.delay = pfc->delay;
	return 0;
}

static int get_ets(struct net_device *netdev, struct ieee_ets *ets)
{
	struct mock_net *m = netdev_priv(netdev);

	*ets = m->ets;
	return 0;
}

static u8 get_dcbx(struct net_device *netdev)
{
	struct mock_net *m = netdev_priv(netdev);

	return m->dcbx;
}

static u8 set_dcbx(struct net_device *netdev, u8 mode)
{
	struct mock_net *m = netdev_priv(netdev);

	m->dcbx = mode;
	return 0;
}

static const struct dcbnl_rtnl_ops dcb_ops = {
	.getdcbx = get_dcbx,
	.ieee_getets = get_ets,
	.ieee_getpfc = get_pfc,
	.ieee_setpfc = set_pfc,
	.setdcbx = set_dcbx,
};

/* ---- the interface --------------------------------------------------------------- */

static int net_open(struct net_device *netdev)
{
	netif_carrier_on(netdev);
	return 0;
}

static int net_stop(struct net_device *netdev)
{
	netif_carrier_off(netdev);
	return 0;
}

static netdev_tx_t net_xmit(struct sk_buff *skb, struct net_device *netdev)
{
	dev_kfree_skb(skb);
	return NETDEV_TX_OK;
}

static const struct net_device_ops net_ops = {
	.ndo_open = net_open,
	.ndo_set_mac_address = eth_mac_addr,
	.ndo_start_xmit = net_xmit,
	.ndo_stop = net_stop,
	.ndo_validate_addr = eth_validate_addr,
};

/* ---- making and removing ------------------------------------------------------------ */

/* A driver of that name, so that device/driver links lead where they should. */
static int probe(struct platform_device *platform)
{
	return 0;
}

static struct platform_driver platform_driver = { .probe = probe };

static int make_net(struct mock *mock, unsigned int number)
{
	/* A locally administered address that is the same in every run. */
	u8 address[ETH_ALEN] = { 0x02, 0, 0, 0, 0x0c, number };
	struct net_device *netdev;
	struct mock_net *m;
	int p, err;

	netdev = alloc_etherdev(sizeof(*m));
	if (!netdev)
		return -ENOMEM;
	strscpy(netdev->name, "mock%d", IFNAMSIZ);
	netdev->netdev_ops = &net_ops;
	netdev->ethtool_ops = &ethtool_ops;
	netdev->dcbnl_ops = &dcb_ops;
	SET_NETDEV_DEV(netdev, &mock->platform->dev);
	eth_hw_addr_set(netdev, address);
	m = netdev_priv(netdev);
	m->number = number;
	m->dcbx = DCB_CAP_DCBX_HOST | DCB_CAP_DCBX_VER_IEEE;
	m->pfc.pfc_cap = IEEE_8021QAZ_MAX_TCS;
	m->pfc.pfc_en = BIT(3);
	m->ets.ets_cap = IEEE_8021QAZ_MAX_TCS;
	for (p = 0; p < IEEE_8021QAZ_MAX_TCS; p++) {
		m->ets.prio_tc[p] = p;
		m->ets.tc_tsa[p] = p == 6 ? IEEE_8021QAZ_TSA_STRICT : IEEE_8021QAZ_TSA_ETS;
		m->ets.tc_tx_bw[p] = p == 0 || p == 3 ? 50 : 0;
	}
	/* Without this an interface that comes up is in no known state. */
	netif_carrier_off(netdev);
	err = register_netdev(netdev);
	if (err) {
		free_netdev(netdev);
		return err;
	}
	mock->netdev = netdev;
	return 0;
}

static int make_ib(struct mock *mock, unsigned int number)
{
	struct mock_ib *m;
	int err;

	m = ib_alloc_device(mock_ib, ib);
	if (!m)
		return -ENOMEM;
	m->number = number;
	m->netdev = mock->netdev;
	ib_set_device_ops(&m->ib, &rdma_ops);
	m->ib.node_type = RDMA_NODE_IB_CA;
	m->ib.node_guid = cpu_to_be64(0x020000fffe000c00ULL + number);
	m->ib.phys_port_cnt = 1;
	m->ib.num_comp_vectors = 1;
	m->ib.dev.parent = &mock->platform->dev;
	strscpy(m->ib.node_desc, "roce_mock", sizeof(m->ib.node_desc));
	err = ib_device_set_netdev(&m->ib, mock->netdev, 1);
	if (!err)
		err = ib_register_device(&m->ib, "mock_%d", NULL);
	if (err) {
		ib_dealloc_device(&m->ib);
		return err;
	}
	mock->ib = m;
	return 0;
}

static void remove_all(void)
{
	struct mock *mock;

	/* Nothing may still sleep in get_stats when its device goes. */
	WRITE_ONCE(hang_device, -1);
	for (mock = mocks; mock < mocks + MAX_DEVICES; mock++) {
		if (mock->ib) {
			ib_unregister_device(&mock->ib->ib);
			ib_dealloc_device(&mock->ib->ib);
		}
		if (mock->netdev) {
			unregister_netdev(mock->netdev);
			free_netdev(mock->netdev);
		}
		if (!IS_ERR_OR_NULL(mock->platform))
			platform_device_unregister(mock->platform);
	}
	platform_driver_unregister(&platform_driver);
}

static int __init mock_init(void)
{
	unsigned int i;
	int err;

	if (devices < 1 || devices > MAX_DEVICES)
		return -EINVAL;
	rdma_ops.driver_id = driver_id;
	platform_driver.driver.name = net_driver;
	err = platform_driver_register(&platform_driver);
	if (err)
		return err;
	for (i = 0; i < devices && !err; i++) {
		/* The bus binds a device to the driver of its name. */
		mocks[i].platform = platform_device_register_simple(net_driver, i, NULL, 0);
		err = PTR_ERR_OR_ZERO(mocks[i].platform);
		if (!err)
			err = make_net(&mocks[i], i);
		if (!err)
			err = make_ib(&mocks[i], i);
	}
	if (err)
		remove_all();
	return err;
}

static void __exit mock_exit(void)
{
	remove_all();
}

module_init(mock_init);
module_exit(mock_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("test-only RoCE NIC without hardware");
