import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { decide, decisionLines } from '../../worker/domain/decisions/decision.ts'
import type { ExploitRow } from '../../worker/exploits/contract.ts'
import type { VulnDetail } from '../../worker/vulns/detail/contract.ts'
import { cutFeeds } from '../support/cut-feeds.ts'
import { signInByApi, startProduct, untilFeeds, type ApiClient, type Product } from '../support/product.ts'
import { realFeeds } from '../support/real-data.ts'

// Texts that an analyst who is woken at night reads from the real records of famous vulnerabilities: seven pages whole, and the strips of others.
const mirror = fileURLToPath(realFeeds)
const strips = JSON.parse(readFileSync(new URL('../golden/famous-pages.json', import.meta.url), 'utf8')) as Record<
  string,
  string[]
>

const sources = ['cve', 'nvd', 'overrides', 'kev', 'exploitdb', 'metasploit', 'poc', 'redhat', 'osv']
let product: Product
let client: ApiClient

beforeAll(async () => {
  product = await startProduct({
    feeds: cutFeeds(mirror, [...golden.map(([cveid]) => cveid), ...Object.keys(strips)]),
  })
  await untilFeeds(product.url, (all) => sources.every((id) => all.get(id)?.last_success), 120)
  client = await signInByApi(product.url)
}, 240_000)
afterAll(() => product?.kill())

async function readVuln(cveid: string) {
  const { results } = await client.get<{ results: { id: number }[] }>(`/api/vulns/?search=${cveid}`)
  return client.get<VulnDetail>(`/api/vulns/${results[0]?.id ?? 0}/`)
}

const readStrip = (vuln: VulnDetail) =>
  decisionLines(vuln, vuln).map(({ label, text, url }) => `${label}: ${url ?? text}`)

async function readAsAnalyst(cveid: string) {
  const vuln = await readVuln(cveid)
  const { id } = vuln
  const exploits = await client.get<{ results: ExploitRow[] }>(`/api/vulns/${id}/exploits?page=1&limit=3`)
  const { name } = decide(vuln)
  return {
    name,
    strip: readStrip(vuln),
    affected: vuln.affected_items
      .slice(0, 5)
      .map(
        ({ place, vendor, name: own, fix, versions, is_disputed }) =>
          `${place} ${vendor} ${own}: ${versions.join(' or ')}${fix ? ` > ${fix}` : ''}${is_disputed ? ' (disputed)' : ''}`,
      ),
    exploits: exploits.results.map(({ link, purpose }) => (purpose === 'exploit' ? link : `${purpose} ${link}`)),
  }
}

// Golden answers: the strip, the first five that are affected with their fix, and the first three exploits.
const golden: [cveid: string, read: Awaited<ReturnType<typeof readAsAnalyst>>][] = [
  [
    'CVE-2021-44228',
    {
      name: 'Log4Shell',
      strip: [
        'Exploitation: Exploited, in ransomware campaigns',
        'You run it: Not known',
        'Fixed in: Apache · Log4j 2.3.1, 2.12.2, 2.15.0 (disputed)',
        'Due (CISA): 2021-12-24',
        'Advisory: https://logging.apache.org/log4j/2.x/security.html',
      ],
      affected: [
        'named apache log4j: >= 2.0-beta9, < 2.3.1 or >= 2.4, < 2.12.2 or >= 2.13.0, < 2.15.0 or 2.15.0 > 2.3.1, 2.12.2, 2.15.0 (disputed)',
        'distribution redhat logging: 5.0 or 5.1 or 5.2 or 5.3',
        'distribution redhat amq_streams: 1',
        'distribution redhat camel_quarkus: 2.2',
        'distribution redhat integration: 1',
      ],
      exploits: [
        'https://www.rapid7.com/db/modules/exploit/multi/http/log4shell_header_injection/',
        'https://www.rapid7.com/db/modules/exploit/multi/http/ubiquiti_unifi_log4shell/',
        'https://www.rapid7.com/db/modules/exploit/multi/http/vmware_vcenter_log4shell/',
      ],
    },
  ],
  [
    'CVE-2014-0160',
    {
      name: 'Heartbleed',
      strip: [
        'Exploitation: Exploited',
        'You run it: Not known',
        'First not listed as affected: OpenSSL · OpenSSL 1.0.1g',
        'Due (CISA): 2022-05-25',
        'Advisory: http://www.openssl.org/news/secadv_20140407.txt',
      ],
      affected: [
        'named openssl openssl: >= 1.0.1, < 1.0.1g > 1.0.1g',
        'other intellian v100_firmware: 1.20 or 1.21 or 1.24',
        'other intellian v60_firmware: 1.15 or 1.25',
        'other mitel micollab: 6.0 or 7.0 or 7.1 or 7.2 or 7.3 or 7.3.0.104',
        'other mitel mivoice: 1.1.2.5 lync or 1.1.3.3 skype_for_business or 1.2.0.11 skype_for_business or 1.3.2.2 skype_for_business or 1.4.0.102 skype_for_business',
      ],
      exploits: [
        'https://www.exploit-db.com/exploits/32745',
        'https://www.exploit-db.com/exploits/32764',
        'https://www.exploit-db.com/exploits/32791',
      ],
    },
  ],
  [
    'CVE-2024-3094',
    {
      name: 'XZ backdoor',
      strip: [
        'Exploitation: Exploit public',
        'You run it: Not known',
        'First not listed as affected: Tukaani · XZ 5.6.2',
        'Advisory: https://access.redhat.com/security/cve/CVE-2024-3094',
      ],
      affected: ['named github tukaani-project/xz: 5.6.0 or 5.6.1', 'named tukaani xz: >= 5.6.0, < 5.6.2 > 5.6.2'],
      exploits: [
        'https://github.com/amlweems/xzbot',
        'https://github.com/Horizon-Software-Development/CVE-2024-3094',
        'https://github.com/brinhosa/CVE-2024-3094-One-Liner',
      ],
    },
  ],
  [
    'CVE-2024-6387',
    {
      name: 'regreSSHion',
      strip: [
        'Exploitation: Exploit public',
        'You run it: Not known',
        'First not listed as affected: OpenBSD · OpenSSH 9.8',
        'Advisory: https://access.redhat.com/errata/RHSA-2024:4312',
      ],
      affected: [
        'named openbsd openssh: >= 8.5p1, < 9.8 > 9.8',
        'distribution rpm redhat/openssh: < 0:8.7p1-38.el9_4.1 on Red Hat Enterprise Linux 9 or < 0:8.7p1-12.el9_0.1 on Red Hat Enterprise Linux 9.0 Update Services for SAP Solutions or < 0:8.7p1-30.el9_2.4 on Red Hat Enterprise Linux 9.2 Extended Update Support or all versions on Red Hat Ceph Storage 6 or all versions on Red Hat Ceph Storage 7 > 0:8.7p1-38.el9_4.1, 0:8.7p1-12.el9_0.1, 0:8.7p1-30.el9_2.4',
        'distribution redhat ceph_storage: 6 or 7',
        'distribution redhat enterprise_linux: 9',
        'distribution redhat openshift: 4.13 or 4.14 or 4.15 or 4.16',
      ],
      exploits: [
        'https://github.com/zgzhang/cve-2024-6387-poc',
        'https://github.com/acrono/cve-2024-6387-poc',
        'https://github.com/lflare/cve-2024-6387-poc',
      ],
    },
  ],
  [
    'CVE-2023-4966',
    {
      name: 'Citrix Bleed',
      strip: [
        'Exploitation: Exploited, in ransomware campaigns',
        'You run it: Not known',
        'Fixed in: No source names a fixed version',
        'Due (CISA): 2023-11-08',
        'Advisory: https://support.citrix.com/article/CTX579459/netscaler-adc-and-netscaler-gateway-security-bulletin-for-cve20234966-and-cve20234967',
      ],
      affected: ['named citrix netscaler_gateway: ', 'named citrix netscaler_application_delivery_controller: '],
      exploits: [
        'https://www.rapid7.com/db/modules/auxiliary/scanner/http/citrix_bleed_cve_2023_4966/',
        'https://github.com/Chocapikk/CVE-2023-4966',
        'https://github.com/dinosn/citrix_cve-2023-4966',
      ],
    },
  ],
  [
    'CVE-2023-34362',
    {
      name: 'MOVEit',
      strip: [
        'Exploitation: Exploited, in ransomware campaigns',
        'You run it: Not known',
        'First not listed as affected: Progress · MOVEit Transfer 2021.0.7, 2021.1.5, 2022.0.5, 2022.1.6, 2023.0.2',
        'Due (CISA): 2023-06-23',
        'Advisory: https://community.progress.com/s/article/MOVEit-Transfer-Critical-Vulnerability-31May2023',
      ],
      affected: [
        'named progress moveit_transfer: <= 2020.1.6 or >= 2021.0, < 2021.0.7 or >= 2021.1.0, < 2021.1.5 or >= 2022.0.0, < 2022.0.5 or >= 2022.1.0, < 2022.1.6 or >= 2023.0.0, < 2023.0.2 > 2021.0.7, 2021.1.5, 2022.0.5, 2022.1.6, 2023.0.2 (disputed)',
        'named progress moveit_cloud: < 14.0.5.45 or >= 14.1.0.0, <= 14.1.6.97 or >= 15.0.0.0, < 15.0.2.39 or 14.0.5.45 > 15.0.2.39 (disputed)',
      ],
      exploits: [
        'https://www.rapid7.com/db/modules/exploit/windows/http/moveit_cve_2023_34362/',
        'https://github.com/horizon3ai/CVE-2023-34362',
        'https://github.com/sfewer-r7/CVE-2023-34362',
      ],
    },
  ],
  [
    'CVE-2024-3400',
    {
      name: 'Palo Alto Networks PAN-OS Command Injection Vulnerability',
      strip: [
        'Exploitation: Exploited, in ransomware campaigns',
        'You run it: Not known',
        'Fixed in: Palo Alto Networks · PAN-OS 10.2.9-h1, 11.0.4-h1, 11.1.2-h3',
        'Due (CISA): 2024-04-19',
        'Advisory: https://security.paloaltonetworks.com/CVE-2024-3400',
      ],
      affected: [
        'named paloaltonetworks pan-os: >= 10.2.0, < 10.2.9-h1 or >= 11.0.0, < 11.0.4-h1 or >= 11.1.0, < 11.1.2-h3 > 10.2.9-h1, 11.0.4-h1, 11.1.2-h3',
      ],
      exploits: [
        'https://www.rapid7.com/db/modules/exploit/linux/http/panos_telemetry_cmd_exec/',
        'https://github.com/0x0d3ad/CVE-2024-3400',
        'https://github.com/h4x0r-dz/CVE-2024-3400',
      ],
    },
  ],
]

test.each(golden)('%s is told as an analyst needs it at night', async (cveid, read) => {
  expect(await readAsAnalyst(cveid)).toEqual(read)
})

// An upgrade that others ask for depends on records that the cut lacks, and nothing runs here.
const isFromOthers = /^(?:Upgrade to|You run it): /

test.each(Object.entries(strips))('%s is named, and its strip says what is true', async (cveid, told) => {
  const vuln = await readVuln(cveid)
  expect([decide(vuln).name, ...readStrip(vuln).filter((line) => !isFromOthers.test(line))]).toEqual(told)
})

test('the census counts of the real records what the lists of its months show', async () => {
  type Month = { month: string; cves: number; by_name: number; sources: Record<string, number[]> }
  type Census = { months_total: number; months: Month[] }
  const read = () => client.get<Census>('/api/public/census')
  const countAll = async () => {
    await product.tick()
    const { months, months_total } = await read()
    return months_total - months.length
  }
  await expect.poll(countAll, { timeout: 120_000, interval: 200 }).toBe(0)
  const counted = (await read()).months.filter(({ cves }) => cves > 0)
  const listed = await Promise.all(
    counted.map(async ({ month }) => {
      const [year = 0, number = 0] = month.split('-').map(Number)
      const next = new Date(Date.UTC(year, number, 1)).toISOString().slice(0, 10)
      const q = encodeURIComponent(`published>=${month}-01 AND published<${next}`)
      return [month, (await client.get<{ count: number }>(`/api/vulns/?q=${q}`)).count]
    }),
  )
  expect(counted.map(({ month, cves }) => [month, cves])).toEqual(listed)
  const [log4shell] = counted.filter(({ month }) => month === '2021-12')
  expect(log4shell?.sources['any']?.some((count) => count > 0)).toBe(true)
}, 150_000)
