import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import { signInByApi } from '../support/product.ts'

const changedRecords = 1_000
const unchangedRecords = 20_000
const year = 2024
const quiet_ms = 5_000

export type PublishedCve = {
  cveMetadata: { cveId: string; dateUpdated?: string }
  containers: { cna: { descriptions?: { lang: string; value: string }[]; metrics?: unknown[]; affected?: unknown[] } }
}

export const readPublished = (folder: string) =>
  JSON.parse(gunzipSync(readFileSync(join(folder, `cve5/cves-${year}.json.gz`))).toString()) as PublishedCve[]

export function writeRecords(folder: string, records: PublishedCve[]) {
  mkdirSync(join(folder, 'cve5/delta'), { recursive: true })
  writeFileSync(join(folder, 'cve5/delta/delta.json'), JSON.stringify(records))
}

/** An hour's delta of the CVE list with 21,000 known records, of which 1,000 have a new text. */
export function writeDelta(folder: string) {
  const published = readPublished(folder).filter(({ containers }) => containers.cna.descriptions?.length)
  const records = published.slice(0, changedRecords + unchangedRecords)
  for (const { cveMetadata, containers } of records.slice(0, changedRecords)) {
    cveMetadata.dateUpdated = new Date().toISOString()
    containers.cna.descriptions = [{ lang: 'en', value: `Said otherwise: ${cveMetadata.cveId}` }]
  }
  writeRecords(folder, records)
  const cveids = records.map(({ cveMetadata }) => cveMetadata.cveId)
  return { cveids, changed: new Set(cveids.slice(0, changedRecords)) }
}

/** Runs the feed of the CVE list; answers how long it took and how many records changed. */
export async function runCveList(url: string, file: string) {
  const client = await signInByApi(url)
  // Feeds give way to readers for some seconds, so we look for the end in the database file instead of asking the API.
  await sleep(quiet_ms)
  const db = new DatabaseSync(file, { readOnly: true })
  const last = Number(db.prepare('SELECT max(id) AS id FROM feed_runs').get()?.id)
  const ended = db.prepare(
    "SELECT records, changed, error FROM feed_runs WHERE feed_id = 'cve' AND id > ? AND finished_at IS NOT NULL",
  )
  const began = performance.now()
  await client.post('/api/data/sync/run?feed=cve')
  let run = ended.get(last)
  for (; !run; run = ended.get(last)) await sleep(20)
  const seconds = (performance.now() - began) / 1000
  db.close()
  if (run.error !== null) throw new Error(`The delta failed: ${String(run.error)}`)
  return { seconds, records: Number(run.records), changed: Number(run.changed) }
}
