import type { ProductName } from '../../domain/words/record'
import { parseName } from '../../domain/names/product-names'

/**
 * CISA's vendors and phrases, and the product names in the CVE records of the same vulnerabilities.
 * The longest matching phrase counts: IOS XE is not IOS.
 */
const phrases: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  adobe: {
    acrobat: 'acrobat acrobat_dc',
    reader: 'acrobat_reader acrobat_reader_dc',
    'flash player': 'flash_player',
    commerce: 'commerce',
    magento: 'magento',
  },
  android: { '': 'google:android' },
  apache: { log4j2: 'log4j', 'struts 1': 'struts' },
  apple: {
    ios: 'iphone_os',
    ipados: 'ipados',
    macos: 'macos',
    'os x': 'mac_os_x',
    safari: 'safari',
    tvos: 'tvos',
    watchos: 'watchos',
    'multiple products': 'iphone_os ipados macos',
  },
  atlassian: {
    bitbucket: 'bitbucket',
    confluence: 'confluence_server confluence_data_center',
    jira: 'jira_server jira_data_center',
  },
  cisco: {
    'adaptive security appliance': 'adaptive_security_appliance_software',
    'firepower threat defense': 'firepower_threat_defense',
    ios: 'ios',
    'ios xe': 'ios_xe',
    'ios xr': 'ios_xr',
    'ios, xr, and xe': 'ios ios_xe ios_xr',
    'prime data center network manager': 'prime_data_center_network_manager',
    'secure access control system': 'secure_access_control_system',
  },
  citrix: {
    adc: 'netscaler_application_delivery_controller',
    'application delivery controller': 'netscaler_application_delivery_controller application_delivery_controller',
    gateway: 'netscaler_gateway',
    netscaler: 'netscaler_application_delivery_controller',
    'sd-wan': 'sd-wan',
    'netscaler sd-wan': 'netscaler_sd-wan',
    sharefile: 'sharefile_storage_zones_controller',
    'content collaboration': 'sharefile_storage_zones_controller',
  },
  'craft cms': { '': 'craftcms:craft_cms' },
  'dotnetnuke (dnn)': { '': 'dnnsoftware:dotnetnuke' },
  drupal: { core: 'drupal' },
  fortinet: {
    fortiadc: 'fortiadc',
    'forticlient ems': 'forticlient_enterprise_management_server',
    fortios: 'fortios',
    fortiproxy: 'fortiproxy',
  },
  fortra: { 'goanywhere mft': 'goanywhere_managed_file_transfer', 'cobalt strike': 'helpsystems:cobalt_strike' },
  gitlab: { '': 'gitlab' },
  gnu: { 'c library': 'glibc', 'bourne-again shell': 'bash' },
  google: { chrome: 'chrome', chromium: 'chrome', pixel: 'android' },
  'grafana labs': { grafana: 'grafana:grafana' },
  ivanti: {
    'cloud service appliance': 'endpoint_manager_cloud_services_appliance',
    'cloud services appliance': 'endpoint_manager_cloud_services_appliance',
    'connect secure': 'connect_secure',
    'endpoint manager': 'endpoint_manager',
    'endpoint manager cloud': 'endpoint_manager_cloud_services_appliance',
    'endpoint manager mobile': 'endpoint_manager_mobile',
    'policy secure': 'policy_secure',
    'zta gateways': 'neurons_for_zero-trust_access',
  },
  jenkins: { 'command line interface': 'jenkins', 'user interface': 'jenkins' },
  'joomla!': { '': 'joomla:joomla\\!' },
  juniper: { 'junos os': 'junos' },
  linux: { kernel: 'linux_kernel' },
  microsoft: {
    win32k: 'windows',
    smbv1: 'windows',
    'dwm core library': 'windows',
    'http protocol stack': 'windows',
    'graphics device interface': 'windows',
    sharepoint: 'sharepoint_server',
    'internet explorer': 'internet_explorer',
    edge: 'edge',
    mshtml: 'internet_explorer',
    defender: 'windows_defender',
  },
  mozilla: { firefox: 'firefox', 'firefox esr': 'firefox_esr', thunderbird: 'thunderbird' },
  oracle: { 'java runtime environment': 'jre jdk', 'java se': 'jre jdk', jrockit: 'jrockit' },
  papercut: { '': 'papercut_ng papercut_mf' },
  qlik: { sense: 'qlik_sense' },
  qnap: { 'network attached storage': 'qts', 'network-attached storage': 'qts' },
  rails: { 'ruby on rails': 'rubyonrails:rails' },
  'red hat': {
    polkit: 'polkit_project:polkit',
    'jboss richfaces': 'richfaces',
    jboss: 'jboss_enterprise_application_platform',
  },
  samsung: { 'mobile devices': 'android' },
  sudo: { '': 'sudo_project:sudo' },
  synacor: { zimbra: 'zimbra_collaboration_suite zimbra:collaboration' },
  telerik: { 'asp.net ajax': 'ui_for_asp.net_ajax' },
  'trend micro': { 'apex one': 'apex_one', officescan: 'officescan', 'worry-free': 'worry-free_business_security' },
  veeam: { 'backup & replication': 'veeam_backup_\\&_replication' },
  vmware: {
    'aria operations for networks': 'vrealize_network_insight',
    'cloud foundation': 'cloud_foundation',
    esxi: 'esxi',
    fusion: 'fusion',
    'identity manager': 'identity_manager',
    'vcenter server': 'vcenter_server',
    workstation: 'workstation',
    'workspace one access': 'workspace_one_access',
  },
  xstream: { '': 'xstream_project:xstream' },
  zoho: { manageengine: 'zohocorp:manageengine' },
}

const tables = new Map(
  Object.entries(phrases).map(([vendor, table]) => {
    const longestFirst = Object.entries(table).toSorted(([a], [b]) => b.length - a.length)
    return [vendor, longestFirst]
  }),
)

export function readKevNames(vendorText: string, productText: string): ProductName[] {
  const vendor = vendorText.trim().toLowerCase()
  const free = parseName(vendorText, productText)
  const names: ProductName[] = []
  let left = productText.toLowerCase()
  for (const [phrase, products] of tables.get(vendor) ?? []) {
    if (!hasPhrase(left, phrase)) continue
    if (phrase) left = left.replaceAll(phrase, ' ')
    for (const name of products.split(' ')) names.push(toName(name, free?.vendor ?? vendor))
  }
  if (!names.length) return free ? [free] : []
  return [...new Map(names.map((name) => [`${name.vendor}:${name.product}`, name])).values()]
}

const isLetter = (text: string | undefined) => text !== undefined && /[a-z0-9]/.test(text)

function hasPhrase(text: string, phrase: string) {
  const at = text.indexOf(phrase)
  return at !== -1 && (!phrase || (!isLetter(text[at - 1]) && !isLetter(text[at + phrase.length])))
}

function toName(name: string, vendor: string): ProductName {
  const [first = '', second] = name.split(':')
  return second === undefined ? { vendor, product: first } : { vendor: first, product: second }
}
