package snmp

// MIBs returns THE TABLE. Documents of standards come first: where a vendor's
// says the same again, the standard's counts.
func MIBs() []MIB {
	return []MIB{
		ifMIB(), etherLikeMIB(),
		ciscoPFC(), ciscoQoS(),
		aristaPFC(), aristaQueues(), aristaECN(),
		cumulusCounters(),
		mellanoxQoS(),
		dellPFC(),
		juniperCoS(),
		huaweiPFC(), huaweiPause(),
		h3cQueues(),
		fastpathPFC(),
		alcatelPFC(),
	}
}

// Beginnings of sysObjectID, below enterprises (1.3.6.1.4.1), which IANA
// assigns.
const (
	enterpriseCisco    = "1.3.6.1.4.1.9"
	enterpriseArista   = "1.3.6.1.4.1.30065"
	enterpriseCumulus  = "1.3.6.1.4.1.40310"
	enterpriseMellanox = "1.3.6.1.4.1.33049"
	enterpriseDell     = "1.3.6.1.4.1.6027"
	enterpriseJuniper  = "1.3.6.1.4.1.2636"
	enterpriseHuawei   = "1.3.6.1.4.1.2011"
	enterpriseH3C      = "1.3.6.1.4.1.25506"
	enterpriseFASTPATH = "1.3.6.1.4.1.4413"
	enterpriseAlcatel  = "1.3.6.1.4.1.6486"
	enterpriseNetSNMP  = "1.3.6.1.4.1.8072" // SONiC's agent is net-snmp's
)
