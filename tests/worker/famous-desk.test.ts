import { expect, test } from 'vitest'
import { openDb } from '../../worker/db/open'
import { classifyRepository } from '../../worker/domain/words/exploit-purpose'
import type {
  AffectedPackage,
  AffectedProduct,
  AffectedRange,
  ExploitRecord,
  Source,
  VulnRecord,
} from '../../worker/domain/words/record'
import { vulnExploits } from '../../worker/exploits/contract'
import { exploitWorth } from '../../worker/feeds/exploits/exploit-worth'
import { saveRecords } from '../../worker/merge/save-records'
import { toggleProduct } from '../../worker/monitoring/contract'
import { getVuln } from '../../worker/vulns/detail/contract'
import { vulnMail } from '../../worker/vulns/mail'
import { listVulns } from '../../worker/vulns/contract'
import { eachTest } from './support/each-test'
import { anOrg } from './support/org'
import { aWorld } from './support/world'

// Seven famous vulnerabilities, each as small records of the sources: texts that an analyst reads first.

const world = eachTest(aWorld)

const now = new Date('2026-11-20T10:00:00Z')
type Says = { [source in Source]?: Omit<VulnRecord, 'cveid' | 'state'> }

const product = (name: string, ...ranges: AffectedRange[]): AffectedProduct => {
  const [vendor = '', own = ''] = name.split(' ')
  return { vendor, product: own, ranges }
}
const aPackage = (type: string, name: string, ...ranges: AffectedPackage['ranges']): AffectedPackage => ({
  type,
  name,
  ranges,
})
const maven = (ge: string, lt: string) => ({ order: 'maven', ge, lt }) as const
const cpe = (ge: string, lt: string) => ({ cpe: 'a', ge, lt })
const byDefault: AffectedRange = { order: 'loose', status: 'unaffected' }
const kev = { added: '2024-01-01', due: null, ransomware: false, name: '' }

const anEntry = (key: string, worth: keyof typeof exploitWorth, published?: string): ExploitRecord => ({
  key,
  link: `https://example.org/${key}`,
  notes: '',
  ...exploitWorth[worth],
  ...(published && { published: `${published}T00:00:00Z` }),
})
const repository = (name: string, worth: keyof typeof exploitWorth, published: string): ExploitRecord => {
  const purpose = classifyRepository(name, '')
  return { ...anEntry(`github:${name}`, worth, published), ...(purpose !== 'exploit' && { purpose }) }
}

async function readAsAnalyst(cveid: string, says: Says, monitored?: { vendor_name: string; product_name: string }) {
  for (const [source, record] of Object.entries(says))
    await saveRecords(openDb(world.env), {
      source,
      records: [{ state: 'published', cveid, ...record }],
      is_backfill: true,
      now,
    })
  const { call } = await anOrg({ world })
  if (monitored) await call(toggleProduct, { body: { ...monitored, monitored: true } })
  const [row] = (await call(listVulns, { query: { search: cveid } })).results
  const params = { id: row?.id ?? 0 }
  const vuln = await call(getVuln, { params })
  const { affected_items, title } = vuln
  const exploits = await call(vulnExploits, { params })
  const rows = Array.isArray(exploits) ? exploits : exploits.results
  return {
    vuln,
    row,
    title,
    items: affected_items.map(
      ({ place, vendor, name, fix, versions, is_disputed }) =>
        `${place} ${vendor} ${name}: ${versions.join(' or ')}${fix ? ` > ${fix}` : ''}${is_disputed ? ' (disputed)' : ''}`,
    ),
    exploits: rows.map(
      ({ link, purpose }) =>
        `${link.slice('https://example.org/'.length)}${purpose === 'exploit' ? '' : ` is a ${purpose}`}`,
    ),
  }
}

test('Log4Shell: log4j-core first, then log4j, and images last; Metasploit first, scanners behind and not counted', async () => {
  const { row, items, exploits } = await readAsAnalyst('CVE-2021-44228', {
    nvd: {
      summary:
        'Apache Log4j2 2.0-beta9 through 2.15.0 JNDI features do not protect against attacker controlled LDAP. Note that this vulnerability is specific to log4j-core.',
      affected: [
        product('cisco webex_meetings_server', 'a:3.0'),
        product('apache log4j', cpe('2.4.0', '2.12.2'), cpe('2.13.0', '2.15.0')),
        product('debian debian_linux', 'o:10.0'),
      ],
    },
    ghsa: {
      packages: [
        aPackage('maven', 'org.apache.logging.log4j:log4j-core', maven('2.4', '2.12.2'), maven('2.13.0', '2.15.0')),
        aPackage('maven', 'org.ops4j.pax.logging:pax-logging-log4j2', maven('1.8.0', '1.9.2')),
      ],
    },
    osv: { packages: [aPackage('oci', 'bitnami/solr', { order: 'loose', lt: '8.11.1' })] },
    metasploit: { exploits: [anEntry('msf:exploit/multi/http/log4shell', 'reliableModule', '2021-12-09')] },
    nuclei: { exploits: [anEntry('nuclei:http/cves/2021/CVE-2021-44228', 'template')] },
    poc: {
      exploits: [
        repository('fullhunt/log4j-scan', 'famousRepository', '2021-12-13'),
        repository('someone/log4j-poc', 'repository', '2021-12-20'),
        repository('kozmer/log4j-shell-poc', 'famousRepository', '2021-12-10'),
      ],
    },
  })
  expect(items).toEqual([
    'named maven org.apache.logging.log4j:log4j-core: >= 2.4, < 2.12.2 or >= 2.13.0, < 2.15.0 or 2.15.0 > 2.12.2, 2.15.0 (disputed)',
    'named apache log4j: >= 2.4.0, < 2.12.2 or >= 2.13.0, < 2.15.0 or 2.15.0 > 2.12.2, 2.15.0 (disputed)',
    'other maven org.ops4j.pax.logging:pax-logging-log4j2: >= 1.8.0, < 1.9.2 > 1.9.2',
    'other cisco webex_meetings_server: 3.0',
    'distribution debian debian_linux: 10.0',
    'distribution oci bitnami/solr: < 8.11.1 > 8.11.1',
  ])
  expect(exploits).toEqual([
    'msf:exploit/multi/http/log4shell',
    'nuclei:http/cves/2021/CVE-2021-44228',
    'github:kozmer/log4j-shell-poc',
    'github:someone/log4j-poc',
    'github:fullhunt/log4j-scan is a scanner',
  ])
  expect(row).toMatchObject({ exploit_count: 4, is_exploitable: true })
})

test('Heartbleed: OpenSSL first with one range, though NVD names products of many vendors before it', async () => {
  const { items, exploits, row, vuln } = await readAsAnalyst('CVE-2014-0160', {
    nvd: {
      summary: 'The TLS and DTLS implementations in OpenSSL 1.0.1 before 1.0.1g do not handle Heartbeat packets.',
      affected: [
        product('canonical ubuntu_linux', 'o:12.04'),
        product('filezilla-project filezilla_server', { cpe: 'a', lt: '0.9.44' }),
        product('openssl openssl', cpe('1.0.1', '1.0.1g')),
      ],
    },
    cve: { affected: [product('openssl openssl', 'a:1.0.1', 'a:1.0.1f')] },
    exploitdb: { exploits: [anEntry('edb:32745', 'verified', '2014-04-08'), anEntry('edb:32764', 'unverified')] },
    poc: { exploits: [repository('acme/heartbleed-scanner', 'starredRepository', '2014-04-08')] },
  })
  expect(items).toEqual([
    'named openssl openssl: >= 1.0.1, < 1.0.1g > 1.0.1g',
    'other filezilla-project filezilla_server: < 0.9.44 > 0.9.44',
    'distribution canonical ubuntu_linux: 12.04',
  ])
  expect(exploits).toEqual(['edb:32745', 'edb:32764', 'github:acme/heartbleed-scanner is a scanner'])
  expect(row?.exploit_count).toBe(2)
  // Two sources name it, and a mail names it once.
  const { text } = await vulnMail(vuln, { title: 't', footer: 'f', app_url: 'https://earshot.test' })
  expect(text.match(/: 1\.0\.1 – before 1\.0\.1g/g)).toHaveLength(1)
})

test('XZ: the two versions with the backdoor, and builds of Debian behind; a honeypot is no exploit', async () => {
  const { items, row } = await readAsAnalyst('CVE-2024-3094', {
    cve: {
      summary: 'Malicious code was discovered in the upstream tarballs of xz, starting with version 5.6.0.',
      affected: [product('tukaani xz', 'a:5.6.0', 'a:5.6.1', byDefault)],
    },
    nvd: { affected: [product('tukaani xz', 'a:5.6.0', 'a:5.6.1')] },
    osv: {
      packages: [
        aPackage('deb', 'debian/xz-utils', {
          order: 'deb',
          ge: '5.5.1alpha-0.1',
          lt: '5.6.1+really5.4.5-1',
          on: 'Debian:13',
        }),
      ],
    },
    poc: { exploits: [repository('lockness-Ko/xz-vulnerable-honeypot', 'starredRepository', '2024-03-30')] },
  })
  expect(items).toEqual([
    'named tukaani xz: 5.6.0 or 5.6.1',
    'distribution deb debian/xz-utils: >= 5.5.1alpha-0.1, < 5.6.1+really5.4.5-1 on Debian:13 > 5.6.1+really5.4.5-1',
  ])
  expect(row).toMatchObject({ exploit_count: 0, is_exploitable: false })
})

test('regreSSHion: OpenSSH before the products of its CNA, which is a distributor', async () => {
  const { items, exploits } = await readAsAnalyst('CVE-2024-6387', {
    cve: {
      summary: "A security regression (CVE-2006-5051) was discovered in OpenSSH's server (sshd).",
      affected: [
        product('openbsd openssh', { order: 'loose', ge: '8.5p1', le: '9.7p1' }, byDefault),
        product('redhat enterprise_linux_9', 'o'),
      ],
    },
    nvd: { affected: [product('openbsd openssh', { cpe: 'a', lt: '4.4' }, cpe('8.6', '9.8'), 'a:8.5:p1')] },
    redhat: {
      packages: [
        aPackage('rpm', 'redhat/openssh', { order: 'rpm', lt: '0:8.7p1-38.el9_4.1', on: 'Red Hat Enterprise Linux 9' }),
      ],
    },
    poc: {
      exploits: [
        repository('xaitax/CVE-2024-6387_Check', 'famousRepository', '2024-07-01'),
        repository('zgzhang/cve-2024-6387-poc', 'starredRepository', '2024-07-01'),
      ],
    },
  })
  expect(items).toEqual([
    'named openbsd openssh: < 4.4 or >= 8.5p1, <= 9.7p1 or >= 8.6, < 9.8 > 4.4, 9.8',
    'distribution rpm redhat/openssh: < 0:8.7p1-38.el9_4.1 on Red Hat Enterprise Linux 9 > 0:8.7p1-38.el9_4.1',
    'distribution redhat enterprise_linux_9: all versions',
  ])
  expect(exploits).toEqual(['github:zgzhang/cve-2024-6387-poc', 'github:xaitax/CVE-2024-6387_Check is a scanner'])
})

test("Citrix Bleed: unscored by everybody, it has a provisional score, KEV's product and what is monitored first", async () => {
  const name = 'Citrix NetScaler ADC and NetScaler Gateway Buffer Overflow Vulnerability'
  const { items, row, title } = await readAsAnalyst(
    'CVE-2023-4966',
    {
      kev: {
        kev: { ...kev, ransomware: true, name, vendor: 'Citrix', product: 'NetScaler ADC and NetScaler Gateway' },
        affected: [product('citrix netscaler_gateway'), product('citrix netscaler_application_delivery_controller')],
      },
      nvd: {
        affected: [
          product('citrix netscaler_gateway', cpe('13.1', '13.1-49.15')),
          product('citrix netscaler_application_delivery_controller', cpe('13.1', '13.1-49.15')),
        ],
      },
    },
    { vendor_name: 'citrix', product_name: 'netscaler_application_delivery_controller' },
  )
  expect(items).toEqual([
    'monitored citrix netscaler_application_delivery_controller: >= 13.1, < 13.1-49.15 > 13.1-49.15',
    'named citrix netscaler_gateway: >= 13.1, < 13.1-49.15 > 13.1-49.15',
  ])
  expect(title).toBe(name)
  expect(row).toMatchObject({ is_score_provisional: true, score: 80 })
})

test('MOVEit: sources that disagree over 2020.0 are shown as such', async () => {
  const { items } = await readAsAnalyst('CVE-2023-34362', {
    cve: {
      summary: 'In Progress MOVEit Transfer before 2021.0.6 (13.0.6) a SQL injection vulnerability has been found.',
      affected: [product('progress moveit_transfer', { order: 'loose', lt: '2021.0.6' }, byDefault)],
    },
    nvd: {
      affected: [
        product('progress moveit_cloud', { cpe: 'a', lt: '14.0.5.45' }),
        product('progress moveit_transfer', 'a:2020.1', cpe('2021.0.0', '2021.0.6')),
        product('progress moveit_transfer', 'a:2020.0'),
      ],
    },
    overrides: { affected: [product('progress moveit_transfer', cpe('2021.0.0', '2021.0.6'))] },
  })
  expect(items).toEqual([
    'named progress moveit_transfer: < 2021.0.6 > 2021.0.6 (disputed)',
    'other progress moveit_cloud: < 14.0.5.45 > 14.0.5.45',
  ])
})

test('PAN-OS CVE-2024-3400: the fix of each branch, and the module that works first', async () => {
  const { items, exploits } = await readAsAnalyst('CVE-2024-3400', {
    cve: {
      summary: 'A command injection vulnerability in the GlobalProtect feature of Palo Alto Networks PAN-OS software.',
      affected: [
        product(
          'paloaltonetworks pan-os',
          { order: 'loose', ge: '10.2.0', lt: '10.2.9-h1' },
          { order: 'loose', ge: '10.2.9-h1', lt: '10.3', status: 'unaffected' },
          { order: 'loose', ge: '11.1.0', lt: '11.1.2-h3' },
          { order: 'loose', ge: '11.1.2-h3', lt: '11.2', status: 'unaffected' },
          byDefault,
        ),
      ],
    },
    nvd: { affected: [product('paloaltonetworks pan-os', cpe('10.2.0', '10.2.9-h1'), cpe('11.1.0', '11.1.2-h3'))] },
    metasploit: {
      exploits: [anEntry('msf:exploit/linux/http/panos_telemetry_cmd_exec', 'reliableModule', '2024-04-12')],
    },
    poc: {
      exploits: [
        repository('zam89/CVE-2024-3400-pot', 'repository', '2024-04-13'),
        repository('h4x0r-dz/CVE-2024-3400', 'starredRepository', '2024-04-16'),
      ],
    },
  })
  expect(items).toEqual([
    'named paloaltonetworks pan-os: >= 10.2.0, < 10.2.9-h1 or >= 11.1.0, < 11.1.2-h3 > 10.2.9-h1, 11.1.2-h3',
  ])
  expect(exploits).toEqual([
    'msf:exploit/linux/http/panos_telemetry_cmd_exec',
    'github:h4x0r-dz/CVE-2024-3400',
    'github:zam89/CVE-2024-3400-pot is a honeypot',
  ])
})
