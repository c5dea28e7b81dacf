/** Vendors whose CNA writes them otherwise than the CPE dictionary does. */
export const vendorAliases: ReadonlyMap<string, string> = new Map(
  Object.entries({
    check_point: 'checkpoint',
    'd-link': 'dlink',
    delta_electronics: 'deltaww',
    hewlett_packard_enterprise: 'hpe',
    'hewlett_packard_enterprise_(hpe)': 'hpe',
    inductive_automation: 'inductiveautomation',
    juniper_networks: 'juniper',
    'node.js': 'nodejs',
    palo_alto_networks: 'paloaltonetworks',
    php_group: 'php',
    progress_software: 'progress',
    red_hat: 'redhat',
    rockwell_automation: 'rockwellautomation',
    samsung_mobile: 'samsung',
    schneider_electric: 'schneider-electric',
    trend_micro: 'trendmicro',
    'tukaani-project': 'tukaani',
  }),
)

/** The same for products, by vendor and product. */
export const productAliases: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'adobe:indesign_desktop': 'indesign',
    'apache:log4j2': 'log4j',
    'cisco:ios_xe_software': 'ios_xe',
    'cisco:ios_xr_software': 'ios_xr',
    'ivanti:epm': 'endpoint_manager',
    'juniper:junos_os': 'junos',
    'linux:kernel': 'linux_kernel',
    'linux:linux': 'linux_kernel',
    'nodejs:node': 'node.js',
    'nodejs:nodejs': 'node.js',
  }),
)
