import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import type { Statement } from '../../worker/domain/versions/affected'
import type { Records } from '../../worker/domain/words/merge'
import type { VulnRecord } from '../../worker/domain/words/record'
import { fromCve5 } from '../../worker/feeds/cve5/record'
import { Cve5 } from '../../worker/feeds/cve5/schema'
import { fromOverride, Override } from '../../worker/feeds/nvd/overrides-record'
import { fromNvd, NvdCve } from '../../worker/feeds/nvd/record'
import { fromRedhat, RedhatCve } from '../../worker/feeds/redhat/record'
import { realFeeds } from './real-data'

function unpack(path: string): unknown {
  const file = new URL(path, realFeeds)
  return existsSync(file) ? JSON.parse(gunzipSync(readFileSync(file)).toString()) : []
}

/** The CVEs of a file of the CVE list. */
export const listCveIds = (name: string) =>
  (unpack(`cve5/${name}`) as { cveMetadata: { cveId: string } }[]).map(({ cveMetadata }) => cveMetadata.cveId)

/** Those of the CVE list and of NVD. */
export const listMirrorIds = () =>
  ['cve5', 'nvd/2.0'].flatMap((folder) =>
    readdirSync(new URL(`${folder}/`, realFeeds))
      .filter((name) => /-\d{4}\.json\.gz$/.test(name))
      .flatMap((name) =>
        folder === 'cve5'
          ? listCveIds(name)
          : ((unpack(`${folder}/${name}`) as Nvd).vulnerabilities ?? []).map(({ cve }) => cve.id),
      ),
  )

/** Records of these CVEs from CVE list, NVD, overrides and Red Hat of the mirror, by id and source. */
export function readMirrorRecords(wanted: Set<string>) {
  const found = new Map([...wanted].map((id): [string, Records] => [id, {}]))
  const add = (source: string, id: string, read: () => VulnRecord) => {
    const records = found.get(id)
    if (records) records[source] = read()
  }
  const extra = new URL('cve5/extra/', realFeeds)
  for (const name of readdirSync(extra)) {
    const raw: unknown = JSON.parse(readFileSync(new URL(name, extra), 'utf8'))
    add('cve', name.replace('.json', ''), () => fromCve5(Cve5.parse(raw)))
  }
  for (const year of new Set([...wanted].map((id) => id.slice(4, 8)))) {
    for (const raw of unpack(`cve5/cves-${year}.json.gz`) as { cveMetadata: { cveId: string } }[])
      add('cve', raw.cveMetadata.cveId, () => fromCve5(Cve5.parse(raw)))
    for (const name of [year, 'supplement'])
      for (const { cve } of (unpack(`nvd/2.0/nvdcve-2.0-${name}.json.gz`) as Nvd).vulnerabilities ?? [])
        add('nvd', cve.id, () => fromNvd(NvdCve.parse(cve)))
    for (const raw of unpack(`nvd-overrides/overrides-${year}.json.gz`) as { _annotation: { cve_id: string } }[]) {
      const { _annotation: about } = raw
      add('overrides', about.cve_id, () => fromOverride(Override.parse(raw)))
    }
    for (const raw of unpack(`redhat/cve-${year}.json.gz`) as { name: string }[])
      add('redhat', raw.name, () => fromRedhat(RedhatCve.parse(raw)))
  }
  return found
}
type Nvd = { vulnerabilities?: { cve: { id: string } }[] }

/** By product or package. */
export function groupStatements(records: Records) {
  const named = new Map<string, Statement[]>()
  for (const [source, { affected = [], packages = [] } = {}] of Object.entries(records)) {
    const add = (name: string, { ranges }: Pick<Statement, 'ranges'>) =>
      named.set(name, [...(named.get(name) ?? []), { source, ranges }])
    for (const product of affected) add(`${product.vendor}:${product.product}`, product)
    for (const pkg of packages) add(`pkg:${pkg.type}/${pkg.name}`, pkg)
  }
  return named
}

/** 1.2.3 stands between 1.2.2 and 1.2.4. */
export function listNeighbours(version: string) {
  const [, start = '', last = ''] = /^(.*?)(\d{1,8})$/.exec(version) ?? []
  return last ? [...(Number(last) > 0 ? [`${start}${Number(last) - 1}`] : []), `${start}${Number(last) + 1}`] : []
}
