import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { admin, signInByApi, type Product } from '../support/product.ts'
import { aCve, affecting, aMatch } from '../support/records.ts'
import type { Figure } from './figures.ts'
import { openInspector, watchPeak } from './inspector.ts'
import { kernelAt } from './inventories.ts'
import { quantile } from './latency.ts'
import { sizes, type RunningBase } from './running-base.ts'

const fairOrgs = 20
const [rounds, kernels] = [5, 4 * sizes.components]
/** Existing organizations have lower numbers. */
const first = 50_000
const attacker = `fair${fairOrgs}`
const at = '2026-01-01T00:00:00Z'
const watched = { vendor: 'vendor9', product: 'product8' }

/** Twenty organizations and an attacker with a user each. */
export function plantFairness({ file }: RunningBase) {
  const db = new DatabaseSync(file, { timeout: 60_000 })
  const numbers = (to: number) => `WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${to - 1})`
  for (const sql of [
    `${numbers(fairOrgs + 1)} INSERT INTO orgs(id, name, slug, created_at) SELECT ${first} + i, 'fair' || i, 'fair' || i, '${at}' FROM n`,
    `${numbers(fairOrgs + 1)} INSERT INTO users(id, username, email, password_hash, created_at, email_verified_at)
     SELECT ${first} + i, 'fair' || i, 'fair' || i || '@example.org', u.password_hash, '${at}', '${at}' FROM n CROSS JOIN users u WHERE u.username = '${admin.username}'`,
    `${numbers(fairOrgs + 1)} INSERT INTO members(org_id, user_id, is_admin) SELECT ${first} + i, ${first} + i, 1 FROM n`,
  ])
    db.exec(sql)
  db.close()
}

/** Alerts and pages of twenty organizations, quiet and beside one that uploads, edits and sends again in a loop. */
export async function measureFairness(product: Product, base: RunningBase, inspectorPort: number): Promise<Figure[]> {
  const db = new DatabaseSync(base.file, { readOnly: true, timeout: 10_000 })
  const users = await Promise.all(
    Array.from({ length: fairOrgs }, (_, index) => signInByApi(product.url, { ...admin, username: `fair${index}` })),
  )
  for (const { authorization } of users)
    await sendBom(product.url, 'shop', authorization, [
      `cpe:2.3:a:${watched.vendor}:${watched.product}:1.0.1:*:*:*:*:*:*:*`,
    ])
  const scene = { product, base, db, users: users.map(({ authorization }) => authorization) }
  await observe(scene, 1, 0)
  const quiet = await observe(scene, rounds, 1)
  const inspector = await openInspector(inspectorPort)
  const attack = startAttack(product.url)
  const peak = watchPeak(inspector)
  const beside = await observe(scene, rounds, rounds + 1)
  const taken = await peak.stop()
  const done = await attack.stop()
  inspector.close()
  db.close()
  const compare = (calm: number[], loud: number[], quantileAt: number) =>
    `${quantile(calm, quantileAt).toFixed(0)} ms, ${quantile(loud, quantileAt).toFixed(0)} ms = ${(quantile(loud, quantileAt) / quantile(calm, quantileAt)).toFixed(2)} times`
  const failures = quiet.failures + beside.failures + done.failures
  return [
    { what: `alerts of ${fairOrgs}, p95`, figure: compare(quiet.alerts, beside.alerts, 0.95), bound: '2 times' },
    { what: 'their pages, p99', figure: compare(quiet.pages, beside.pages, 0.99), bound: '2 times' },
    { what: 'answers of 5xx', figure: `${failures}; ${beside.pages.length} pages`, bound: '0' },
    { what: 'heap of the isolate', figure: `${(taken / 1e6).toFixed(0)} MB`, bound: '100 MB' },
    {
      what: 'the attacker',
      figure: `${done.sent} documents of ${kernels} kernels, ${done.edits} edits, ${done.refused} refused`,
    },
  ]
}

const pages = [
  '/api/vulns/?monitored=true&limit=20',
  '/api/inventories/',
  '/api/inventories/shop/findings',
  '/api/alerts/',
]
type Scene = { product: Product; base: RunningBase; db: DatabaseSync; users: string[] }

/** Each round a feed brings news of what all run: milliseconds from its writing to each organization's alert. */
async function observe({ product, base, db, users }: Scene, count: number, from: number) {
  const [alerts, waits]: [number[], number[]] = [[], []]
  const state = { isOver: false, failures: 0 }
  const browse = async (authorization: string) => {
    for (let turn = 0; !state.isOver; turn++) {
      const began = performance.now()
      const response = await fetch(product.url + pages[turn % pages.length], { headers: { authorization } })
      await response.arrayBuffer()
      if (response.status >= 500) state.failures++
      else waits.push(performance.now() - began)
      await sleep(400)
    }
  }
  const browsing = users.map(browse)
  const client = await signInByApi(product.url)
  for (let round = from; round < from + count; round++) {
    const cveid = `CVE-2026-${300_000 + round}`
    const now = new Date().toISOString().slice(0, 19)
    const configurations = affecting(aMatch(watched.vendor, watched.product, { versionEndExcluding: '2.0' }))
    base.arrive([aCve(cveid, { published: now, lastModified: now, configurations })])
    const written = () => db.prepare('SELECT 1 FROM vulns WHERE cveid = ?').get(cveid) !== undefined
    for (let turn = 0; !written(); turn++) {
      if (turn % 500 === 0) await client.post('/api/data/sync/run?feed=nvd')
      await sleep(10)
    }
    const began = performance.now()
    const alerted = db.prepare(
      'SELECT count(*) AS found FROM alerts a JOIN vulns v ON v.id = a.vuln_id WHERE v.cveid = ? AND a.org_id BETWEEN ? AND ?',
    )
    for (let known = 0; known < fairOrgs; await sleep(10)) {
      const { found } = alerted.get(cveid, first, first + fairOrgs - 1) as { found: number }
      for (; known < found; known++) alerts.push(performance.now() - began)
      if (performance.now() - began > 180_000) throw new Error(`${fairOrgs - known} organizations were not alerted`)
    }
  }
  state.isOver = true
  await Promise.all(browsing)
  return { alerts, pages: waits, failures: state.failures }
}

function startAttack(url: string) {
  const done = { sent: 0, edits: 0, refused: 0, failures: 0, isOver: false }
  const count = (kind: 'sent' | 'edits', status: number) => {
    if (status >= 500) done.failures++
    else if (status >= 400) done.refused++
    else done[kind]++
  }
  const client = signInByApi(url, { ...admin, username: attacker })
  const send = async () => {
    const { authorization } = await client
    for (let round = 0; !done.isOver; round++) {
      const names = Array.from({ length: kernels }, (_, index) => kernelAt(index, round * 7))
      count('sent', await sendBom(url, `heap${round % 3}`, authorization, names))
    }
  }
  const edit = async () => {
    const { authorization } = await client
    const headers = { authorization, 'content-type': 'application/json' }
    const write = async (path: string, more: object) => {
      const products = [{ vendor: 'linux', name: 'linux_kernel' }]
      const response = await fetch(`${url}/api/vulns/${path}`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ products, ...more }),
      })
      count('edits', response.status)
      const text = await response.text()
      return response.ok ? (JSON.parse(text) as { id: number }).id : undefined
    }
    for (let round = 0; !done.isOver; round++) {
      const id = await write('add', { summary: `Ours ${round}`, monitored: true })
      if (id !== undefined) await write('edit', { id, summary: `Ours ${round}, edited` })
      await sleep(500)
    }
  }
  const working = [send(), edit()]
  return {
    stop: async () => {
      done.isOver = true
      await Promise.all(working)
      return done
    },
  }
}

async function sendBom(url: string, name: string, authorization: string, cpes: string[]) {
  const components = cpes.map((cpe, index) => ({ type: 'library', name: `part${index}`, cpe }))
  const response = await fetch(`${url}/api/inventories/${name}`, {
    method: 'PUT',
    headers: { authorization },
    body: JSON.stringify({ bomFormat: 'CycloneDX', specVersion: '1.6', components }),
  })
  await response.arrayBuffer()
  return response.status
}
