import { toSeconds } from '../../../worker/db/time'
import { rows } from './org'
import type { World } from './world'

export const at = '2026-11-10T10:00:00Z'
let made = 0

type Columns = Record<string, string | number | null>

export async function insert({ env }: World, table: string, columns: Columns) {
  const names = Object.keys(columns)
  const sql = `INSERT INTO ${table}(${names.join()}) VALUES (${names.map((_, i) => `?${i + 1}`).join()}) RETURNING id`
  const [row] = await rows<{ id: number }>(env, sql, ...Object.values(columns))
  return row?.id ?? 0
}

/** A vulnerability that is found by its own word. */
export async function insertVuln(world: World, columns: Columns = {}) {
  const word = `quux${++made}`
  const cveid = `CVE-2026-${80_000 + made}`
  const given = {
    cveid,
    state: 'published',
    summary: `A flaw in ${word}.`,
    published: toSeconds(at),
    cvss3: 9.8,
    cvss3_vector: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H',
    score: 75,
    created_at: toSeconds(at),
    updated_at: toSeconds(at),
  }
  const id = await insert(world, 'vulns', { ...given, ...columns })
  return { id, cveid, word }
}

const anActivity = { source: 'manual', trust_level: 'high', tlp_level: 'white', modified: at }
const anExploit = { ...anActivity, availability: 'public', maturity: 'poc' }
export const insertExploit = (world: World, vuln_id: number, columns: Columns = {}) =>
  insert(world, 'exploits', {
    ...anExploit,
    vuln_id,
    key: `k${++made}`,
    link: `https://exploit.example/${made}`,
    ...columns,
  })
export const insertThreat = (world: World, vuln_id: number, columns: Columns = {}) =>
  insert(world, 'threats', {
    ...anActivity,
    vuln_id,
    key: `k${++made}`,
    link: `https://threat.example/${made}`,
    ...columns,
  })

export const ask = (world: World, path: string) => world.request(path)
export const pageAt = async (world: World, path: string) => {
  const response = await ask(world, path)
  return { status: response.status, headers: response.headers, text: await response.text() }
}
