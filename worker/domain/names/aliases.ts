/** Why two names are the same thing: records of the same CVEs name both (`cve`), CISA's catalogue does (`kev`), or CPE deprecates one (`cpe`). */
export const aliasFacts = ['cve', 'kev', 'cpe'] as const
type AliasFact = (typeof aliasFacts)[number]
type NameAlias = { name: string; fact: AliasFact }

type Table = Partial<Record<AliasFact, Readonly<Record<string, string>>>>

/**
 * Other spellings of a vendor on the left, the name of the CPE dictionary on the right. Names are
 * replaced when a record is read: to take a line back, remove it and read the source again.
 */
const vendorNames: Table = {
  cve: {
    apache_software_foundation: 'apache',
    artica_pfms: 'pandorafms',
    audiocodes_ltd: 'audiocodes',
    axis_communications: 'axis',
    check_point: 'checkpoint',
    delta_electronics: 'deltaww',
    everest_themes: 'everestthemes',
    fuji_electric: 'fujielectric',
    getsentry: 'sentry',
    gnu_project: 'gnu',
    gz_scripts: 'gzscripts',
    hcl_software: 'hcltech',
    hewlett_packard_enterprise: 'hpe',
    'hewlett_packard_enterprise_(hpe)': 'hpe',
    inductive_automation: 'inductiveautomation',
    instantsoft: 'instantcms',
    jenkins_project: 'jenkins',
    juniper_networks: 'juniper',
    'node.js': 'nodejs',
    nozomi_networks: 'nozominetworks',
    opennms_group: 'opennms',
    phoenix_contact: 'phoenixcontact',
    php_group: 'php',
    pi_websolution: 'piwebsolution',
    rockwell_automation: 'rockwellautomation',
    samsung_mobile: 'samsung',
    sap_se: 'sap',
    schneider_electric: 'schneider-electric',
    'tukaani-project': 'tukaani',
    ubiquiti: 'ui',
    zoom_video_communications: 'zoom',
  },
  kev: {
    array_networks: 'arraynetworks',
    barracuda_networks: 'barracuda',
    'hewlett_packard_(hp)': 'hp',
    hitachi_vantara: 'hitachi',
    palo_alto_networks: 'paloaltonetworks',
    progress_software: 'progress',
    pulse_secure: 'pulsesecure',
    red_hat: 'redhat',
    ruckus_wireless: 'ruckuswireless',
    terramaster: 'terra-master',
    trend_micro: 'trendmicro',
  },
  cpe: { 'd-link': 'dlink', micro_focus: 'microfocus' },
}

/** The same for products, by vendor and product; of another vendor where the right side names one. */
const productNames: Table = {
  cve: {
    'adobe:indesign_desktop': 'indesign',
    'cisco:ios_xe_software': 'ios_xe',
    'cisco:ios_xr_software': 'ios_xr',
    'cockpit-hq:cockpit': 'agentejo:cockpit',
    'hcltech:hcl_unica_platform': 'unica',
    'ibm:db2_for_linux,_unix_and_windows': 'db2',
    'ivanti:epm': 'endpoint_manager',
    'jgraph:drawio': 'diagrams:drawio',
    'juniper:junos_os': 'junos',
    'linux:linux': 'linux_kernel',
    'm-files:server': 'm-files_server',
    'microsoft:windows_2003_server': 'windows_server_2003',
    'mlflow:mlflow': 'lfprojects:mlflow',
    'nodejs:node': 'node.js',
    'nodejs:nodejs': 'node.js',
    'oracle:application_express_(apex)': 'application_express',
    'oracle:business_intelligence_enterprise_edition': 'business_intelligence',
    'oracle:crm_technical_foundation': 'customer_relationship_management_technical_foundation',
    'oracle:hyperion_essbase': 'essbase',
    'oracle:siebel_core_-_server_framework': 'siebel_core-server_framework',
    'oracle:solaris_operating_system': 'solaris',
    'rubyonrails:ruby_on_rails': 'rails',
    'sciencelogic:sl_1': 'sl1',
    'siemens:solid_edge_se2023': 'solid_edge',
    'solarwinds:platform': 'solarwinds_platform',
    'suse:suse_linux_enterprise_server': 'linux_enterprise_server',
    'umbraco:umbraco-cms': 'umbraco_cms',
    'vmware:vmware_player': 'player',
    'vmware:vmware_server': 'server',
    'vmware:vmware_workstation': 'workstation',
    'zoom:zoom_desktop_client_for_windows': 'zoom',
  },
  kev: { 'apache:log4j2': 'log4j', 'linux:kernel': 'linux_kernel', 'rails:ruby_on_rails': 'rubyonrails:rails' },
  cpe: {
    'microsoft:ie': 'internet_explorer',
    'oracle:peoplesoft_enterprise_pt_peopletools': 'peoplesoft_enterprise_peopletools',
  },
}

const joinTable = (table: Table): ReadonlyMap<string, string> =>
  new Map(aliasFacts.flatMap((fact) => Object.entries(table[fact] ?? {})))

export const vendorAliases = joinTable(vendorNames)
export const productAliases = joinTable(productNames)

/** The other names of a vendor. */
export const listVendorAliases = (vendor: string) => findAliases(vendorNames, (meant) => meant === vendor)

/** The other names of a product, those with another name of its vendor among them. */
export function listProductAliases(vendor: string, product: string) {
  const own = findAliases(productNames, (meant, name) => {
    const isNamed = meant.includes(':')
    return isNamed ? meant === `${vendor}:${product}` : meant === product && name.startsWith(`${vendor}:`)
  }).filter(({ name }) => name !== `${vendor}:${product}`)
  const byVendor = listVendorAliases(vendor).map(({ name, fact }) => ({ name: `${name}:${product}`, fact }))
  return [...own, ...byVendor]
}

const findAliases = (table: Table, isMeant: (meant: string, name: string) => boolean): NameAlias[] =>
  aliasFacts.flatMap((fact) =>
    Object.entries(table[fact] ?? {}).flatMap(([name, meant]) => (isMeant(meant, name) ? [{ name, fact }] : [])),
  )
