import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { gunzipSync, gzipSync } from 'node:zlib'
import { databaseFile } from '../support/database.ts'
import { signInByApi, startProduct, type ApiClient } from '../support/product.ts'
import { readPublished, writeRecords, type PublishedCve, warmCveList } from './mirrored.ts'
import type { Figure } from './figures.ts'
import { env, runAll } from './load.ts'
import type { BenchPlace } from './place.ts'

const changedRecords = 500
const changedScores = 20_000
const vendorProducts = 1_000

type Cna = PublishedCve['containers']['cna']
const vector = (letters: string, baseScore: number) => ({
  cvssV3_1: { version: '3.1', baseScore, baseSeverity: 'MEDIUM', vectorString: `CVSS:3.1/${letters}` },
})
/** One kind of change each; `at` makes each change different. */
const changes: Record<string, (cna: Cna, at: number) => void> = {
  'another summary': (cna, at) =>
    void (cna.descriptions = [{ lang: 'en', value: `Said otherwise for the ${at}th time.` }]),
  'another score': (cna) => void (cna.metrics = [vector('AV:P/AC:H/PR:H/UI:R/S:U/C:L/I:N/A:N', 1.6)]),
  'another product': (cna, at) =>
    void (cna.affected = [...(cna.affected ?? []), { vendor: 'bench', product: `thing ${at % 20}`, versions: [] }]),
}

/** Rows written per kind of change as D1 bills them, indexes and full text included, with their bounds. */
export async function measureWrites({ feeds, state }: BenchPlace, port: number): Promise<Figure[]> {
  const figures: Figure[] = []
  const started = async () => {
    const product = await startProduct({ feeds, state, env, port })
    return { product, client: await signInByApi(product.url) }
  }
  for (const [at, [what, change]] of Object.entries(changes).entries()) {
    const cveids = changeRecords(feeds, at, change)
    await warmCveList(feeds, join(state, 'mirror'))
    const { product, client } = await started()
    await runAll(product.url, client, ['cve'])
    await product.kill()
    const { written, changed } = lastRun(databaseFile(state), 'cve')
    const bound = 30 + 4 * linksPerVuln(databaseFile(state), cveids)
    figures.push({ what: `a vulnerability with ${what}`, figure: perChange(written, changed), bound: bound.toFixed(0) })
  }
  changeScores(feeds)
  const { product, client } = await started()
  await runAll(product.url, client, ['epss'])
  const { written, changed } = lastRun(databaseFile(state), 'epss')
  figures.push({ what: 'an EPSS value of the daily file', figure: perChange(written, changed), bound: '4' })
  await runAll(product.url, client, ['epss'])
  const again = lastRun(databaseFile(state), 'epss')
  figures.push({ what: 'the same file once more', figure: `${again.written} rows` })
  figures.push(...(await toggleVendor(product.url, client, databaseFile(state))))
  await product.kill()
  return figures
}

const perChange = (written: number, changed: number) =>
  `${(written / Math.max(changed, 1)).toFixed(1)} rows (${written} for ${changed})`

function changeRecords(feeds: string, at: number, change: (cna: Cna, at: number) => void) {
  const all = readPublished(feeds).filter(({ containers }) => containers.cna.descriptions?.length)
  const records = all.slice(at * changedRecords, (at + 1) * changedRecords)
  for (const [index, { cveMetadata, containers }] of records.entries()) {
    cveMetadata.dateUpdated = new Date().toISOString()
    change(containers.cna, index)
  }
  writeRecords(feeds, records)
  return records.map(({ cveMetadata }) => cveMetadata.cveId)
}

/** Changes some values of the daily file. */
function changeScores(feeds: string) {
  const file = join(feeds, 'epss/epss_scores-current.csv.gz')
  const [about = '', ...lines] = gunzipSync(readFileSync(file)).toString().split('\n')
  const tomorrow = (day: string) => new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10)
  const changed = lines.map((line, at) => {
    const [cveid, score, percentile] = line.split(',')
    const isChanged = at > 0 && at <= changedScores && score !== undefined
    return isChanged ? `${cveid},${Math.abs(Number(score) - 0.02).toFixed(5)},${percentile}` : line
  })
  const dated = about.replace(/(?<=score_date:)\d{4}-\d{2}-\d{2}/, tomorrow)
  rmSync(file)
  writeFileSync(file, gzipSync([dated, ...changed].join('\n')))
}

function lastRun(file: string, feed: string) {
  const db = new DatabaseSync(file, { readOnly: true })
  const run = db
    .prepare('SELECT rows_written AS written, changed, error FROM feed_runs WHERE feed_id = ? ORDER BY id DESC')
    .get(feed)
  db.close()
  if (run?.error) throw new Error(`${feed} failed: ${String(run.error)}`)
  return { written: Number(run?.written), changed: Number(run?.changed) }
}

function linksPerVuln(file: string, cveids: string[]) {
  const db = new DatabaseSync(file, { readOnly: true })
  const row = db
    .prepare(
      `SELECT count(*) AS links FROM json_each(?) j JOIN vulns v ON v.cveid = j.value JOIN (
         SELECT vuln_id FROM vuln_products UNION ALL SELECT vuln_id FROM vuln_packages) l ON l.vuln_id = v.id`,
    )
    .get(JSON.stringify(cveids))
  db.close()
  return Number(row?.links) / cveids.length
}

async function toggleVendor(url: string, client: ApiClient, file: string): Promise<Figure[]> {
  const db = new DatabaseSync(file, { readOnly: true })
  const vendor = db
    .prepare('SELECT id, name, products_count, vulns_count FROM vendors ORDER BY abs(products_count - ?) LIMIT 1')
    .get(vendorProducts)
  db.close()
  const figures: Figure[] = []
  for (const monitored of [true, false]) {
    const response = await fetch(`${url}/api/monitor/vendor/toggle`, {
      method: 'POST',
      headers: { authorization: client.authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ vendor_id: vendor?.id, monitored }),
    })
    const cost = /desc="([^"]+)"/.exec(response.headers.get('server-timing') ?? '')?.[1] ?? ''
    const written = /written=(\d+)/.exec(cost)?.[1]
    figures.push({
      what: `${monitored ? 'monitoring' : 'leaving'} a vendor of ${String(vendor?.products_count)} products`,
      figure: `${written} rows, ${String(vendor?.vulns_count)} vulnerabilities`,
    })
  }
  return figures
}
