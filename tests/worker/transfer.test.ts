import { expect, test } from 'vitest'
import { editDecisionSettings } from '../../worker/decisions/contract'
import { editStatus } from '../../worker/triage/contract'
import { toggleVulns } from '../../worker/vulns/contract'
import { listAudit } from '../../worker/orgs/contract'
import { exportOrg, type TransferReply } from '../../worker/transfer/contract'
import { beforeWriting } from './support/before-writing'
import { aMember } from './support/member'
import { anotherWorld, anOwner, fillKnowledge, fillOrg, movedCves, parseFile, takeOut } from './support/transfer-scene'
import type { Moving } from './support/transfer-scene'
import { aWorld } from './support/world'

test('an admin takes out all that their organization watches and decided, without numbers and secrets', async () => {
  const world = aWorld()
  await fillKnowledge(world)
  const [org, other] = [await anOwner(world), await anOwner(world)]
  await fillOrg(other)
  const before = await takeOut(org)
  const { mate } = await fillOrg(org)
  const file = await takeOut(org)
  const lines = parseFile(file)
  expect(lines[0]).toMatchObject({ format: 'earshot-organization', version: 1, stays: expect.stringContaining('keys') })
  expect(lines.at(-1)).toEqual({ kind: 'end', records: lines.length - 2 })
  expect(new Set(lines.map(({ kind }) => kind)).size).toBe(13)
  for (const secret of ['SECRET', 'ORG-', '\u202e', other.username, `"id"`]) expect(file).not.toContain(secret)
  expect(file).toContain(mate.email)
  expect(parseFile(before).map(({ kind }) => kind)).toEqual([undefined, ...Array(6).fill('rules'), 'settings', 'end'])
  expect((await (await aMember(world, org.org_id)).answer(exportOrg)).status).toBe(403)
  expect((await org.call(listAudit)).results).toContainEqual(expect.objectContaining({ action: 'org.export' }))
})

const send = (org: Moving, file: BodyInit, from = 2) =>
  org.world.request(`/api/transfer/import?from=${from}`, {
    method: 'POST',
    headers: { authorization: `JWT ${org.access}` },
    body: file,
  })

/** All of it, call after call. */
async function bring(org: Moving, file: BodyInit) {
  const answers: TransferReply[] = []
  for (let next: number | null = 2; next !== null;) {
    const answer = await send(org, file, next)
    expect(answer.status).toBe(200)
    answers.push((await answer.json()) as TransferReply)
    next = answers.at(-1)?.next ?? null
  }
  const sum = (field: 'added' | 'already' | 'left_out') =>
    answers.flatMap(({ results }) => results).reduce((total, result) => total + result[field], 0)
  const left = answers.flatMap(({ left_out }) => left_out.map(({ kind, name, reason }) => `${kind} ${name}: ${reason}`))
  return { added: sum('added'), already: sum('already'), left, calls: answers.length }
}

/** Of two installations: without the time of the last change, and as an imported comment tells its author. */
const toComparable = (file: string) =>
  parseFile(file)
    .slice(1, -1)
    .map(({ kind, author, body, ...record }) => {
      const told = kind === 'comment' ? { body: author === null ? body : `Imported, by ${author}:\n${body}` } : {}
      const { owner } = record
      const person = typeof owner === 'string' ? { owner: owner.toLowerCase() } : {}
      return JSON.stringify({ kind, ...record, ...told, ...person, modified: undefined })
    })
    .toSorted()

test('an exported organization comes in elsewhere: the same is taken out there, and once more changes nothing', async () => {
  const world = aWorld()
  await fillKnowledge(world)
  const source = await anOwner(world)
  const { mate } = await fillOrg(source)
  const file = await takeOut(source)
  const [neighbour, elsewhere] = [await anOwner(world), await anOwner(await anotherWorld())]
  await world.sql`INSERT INTO members(org_id, user_id) VALUES (${neighbour.org_id}, ${mate.user_id})`
  const { user_id } = await aMember(elsewhere.world, elsewhere.org_id)
  const address = mate.email.toUpperCase()
  await elsewhere.world.sql`UPDATE users SET email = ${address} WHERE id = ${user_id}`
  for (const target of [neighbour, elsewhere]) {
    // As if it had more vulnerabilities than the import matches.
    await target.world.sql`UPDATE vendors SET vulns_count = 5000 WHERE name = 'moving'`
    // Five receivers have the usual rules in both.
    const first = await bring(target, file)
    expect(first).toMatchObject({ added: 26, already: 5, left: [] })
    const taken = await takeOut(target)
    expect(toComparable(taken)).toEqual(toComparable(file))
    expect(await bring(target, file)).toMatchObject({ added: 0, already: 31, left: [] })
    expect(toComparable(await takeOut(target))).toEqual(toComparable(taken))
    await target.world.tick()
    await target.world.drain()
    expect(await target.world.sql`SELECT * FROM alerts WHERE org_id = ${target.org_id}`).toEqual([])
    expect(target.world.mails.filter(({ to }) => to === target.email)).toEqual([])
  }
})

const line = (record: object) => `${JSON.stringify(record)}\n`
const head = (version = 1) => line({ format: 'earshot-organization', version })
const said = { decided_at: '2026-01-01', scope: 'vulnerability', decision: { status: 'fixed' } }
const watch = { kind: 'watch', type: 'vuln', groups: [], versions: [], monitored: true, publicly_exposed: null }
const document = { kind: 'inventory', format: 'x', subject: null, publicly_exposed: null, is_own_product: false }

test('a file of anybody reaches nothing but what its importer may add: each other record is left out with its reason', async () => {
  const world = aWorld()
  await fillKnowledge(world)
  const [other, org] = [await anOwner(world), await anOwner(world)]
  const { mate } = await fillOrg(other)
  const theirs = await takeOut(other)
  const own = String(parseFile(theirs).find(({ kind }) => kind === 'own_vulnerability')?.['key'])
  const decision = { kind: 'decision', vulnerability: movedCves[0], ...said }
  const vex = { status: 'fixed' }
  const accepted = { kind: 'accepted', until: '2098-01-02', reason: 'None' }
  await org.call(editDecisionSettings, { body: { needs_approver: true } })
  const comment = { kind: 'comment', vulnerability: movedCves[0], author: null, created_at: '2026-01-01' }
  const rules = { kind: 'rules', channel: 'slack', inventories: [], views: [] }
  const hostile: [record: object | string, reason: RegExp][] = [
    [{ ...decision, vulnerability: `own:${own}` }, /no vulnerability of this id/],
    [{ ...decision, vulnerability: `ORG-${other.org_id}-${own}` }, /number of an installation/],
    [{ ...decision, vulnerability: 'PH-1' }, /number of an installation/],
    [{ ...decision, vulnerability: 'CVE-2099-12345' }, /no vulnerability of this id/],
    [decision, /Not monitored here/],
    [{ ...decision, scope: 'assignee', owner: mate.email }, /Not monitored here/],
    [
      { ...decision, scope: 'component', inventory: 'shop', component: 'pkg:npm/boxed@1.1.0', decision: vex },
      /No inventory shop/,
    ],
    [{ ...decision, scope: 'alerts', decision: { kind: 'snoozed', until: '2026-01-02' } }, /is over/],
    [{ ...decision, scope: 'request', decision: { kind: 'snoozed', until: '2098-01-02' } }, /Only accepting/],
    [{ ...decision, scope: 'alerts', decision: accepted }, /needs an approver here/],
    [{ ...watch, value: '1' }, /number of an installation/],
    [{ ...watch, value: 'ph-1' }, /number of an installation/],
    [{ ...watch, type: 'vendor', value: 'a\u202eb' }, /one line/],
    [{ ...watch, type: 'product', value: 'nocolon' }, /vendor:product/],
    [{ ...comment, body: 'x'.repeat(10_001) }, /longer/],
    [{ kind: 'view', name: 'Theirs', query: 'vendor=1' }, /number of one installation/],
    [{ kind: 'view', name: 'Broken', query: 'q=%28' }, /./],
    [{ ...rules, inventories: ['shop'] }, /no inventory shop/],
    [{ ...rules, views: ['Ours'] }, /no shared view Ours/],
    [{ ...document, name: 'a/b', components: [] }, /slash/],
    [{ ...document, name: 'deep', components: [{ name: 'x'.repeat(501) }] }, /components/],
    [{ kind: 'constructor' }, /Not a record/],
    [{ kind: '__proto__' }, /Not a record/],
    ['[]', /Not a record/],
    ['{', /Not a record/],
    ['['.repeat(100_000), /Not a record/],
    [`{"kind":"group","label":"dense","publicly_exposed":true,"x":[${'{},'.repeat(1_000_001)}1]}`, /Not a record/],
    [`{"kind":"group","label":"${'x'.repeat(41)}","publicly_exposed":true}`, /up to 40/],
  ]
  const before = await takeOut(org)
  const body = hostile.map(([record]) => (typeof record === 'string' ? `${record}\n` : line(record))).join('')
  const { added, left } = await bring(org, `${head()}${body}`)
  expect(added).toBe(0)
  expect(left).toHaveLength(hostile.length)
  for (const [at, [, reason]] of hostile.entries()) expect(left[at]).toMatch(reason)
  expect(toComparable(await takeOut(org))).toEqual(toComparable(before))
  expect(toComparable(await takeOut(other))).toEqual(toComparable(theirs))

  // Fields that no record has are passed over, also where they name another tenant or a property of every object.
  const group = `{"kind":"group","org_id":${other.org_id},"__proto__":{"label":"x"},"label":"ours","publicly_exposed":true}`
  expect(await bring(org, `${head()}${group}\n`)).toMatchObject({ added: 1, left: [] })
  expect(await takeOut(org)).toContain('"label":"ours"')
  expect(toComparable(await takeOut(other))).toEqual(toComparable(theirs))
})

test('an import needs an admin, a fresh proof and a file of a known format that is not too large', async () => {
  const org = await anOwner(aWorld())
  const refused = async (body: BodyInit, who = org) => {
    const answer = await send(who, body)
    return [answer.status, ((await answer.json()) as { code: string }).code]
  }
  expect(await refused(head(2))).toEqual([400, 'newer_format'])
  for (const wrong of ['', '\n', '{}', 'type,value', head().replace('earshot', 'other')])
    expect(await refused(wrong)).toEqual([400, 'invalid_document'])
  expect(await refused(`${head()}${'x'.repeat(20_000_000)}`)).toEqual([400, 'invalid_document'])
  const member = { ...org, ...(await aMember(org.world, org.org_id, { manage_organization: true })) }
  expect(await refused(head(), member)).toEqual([403, 'forbidden'])
  const gzip = new Response(head()).body?.pipeThrough(new CompressionStream('gzip'))
  expect(await bring(org, await new Response(gzip).arrayBuffer())).toMatchObject({ added: 0, left: [], calls: 1 })
  await org.world.sql`UPDATE orgs SET trial_ends_at = '2026-01-01T00:00:00Z'`
  expect(await refused(head())).toEqual([403, 'trial_ended'])
  expect((await org.answer(exportOrg)).status).toBe(200)
  await org.world.sql`UPDATE orgs SET trial_ends_at = NULL`
  await org.world.sql`UPDATE sessions SET proved_at = '2026-01-01T00:00:00Z'`
  expect(await refused(head())).toEqual([403, 'password_needed'])
})

test('a decision of a colleague while a file comes in stands', async () => {
  const world = aWorld()
  await fillKnowledge(world)
  const [source, target] = [await anOwner(world), await anOwner(world)]
  await fillOrg(source)
  const lines = parseFile(await takeOut(source))
  const decided = lines.find((one) => one['scope'] === 'vulnerability' && one['vulnerability'] === movedCves[1]) ?? {}
  const [{ id = 0 } = {}] = await world.sql<{ id: number }>`SELECT id FROM vulns WHERE cveid = ${movedCves[1]}`
  await target.call(toggleVulns, { body: { ids: [id], monitored: true } })
  const before = world.env.DB
  world.env.DB = beforeWriting(before, 'INSERT INTO decision_changes', async () => {
    world.env.DB = before
    await target.call(editStatus, { params: { id }, body: { status: 'in_progress' } })
  })
  expect(await bring(target, head() + line(decided))).toMatchObject({ added: 0, already: 1 })
  expect(await world.sql`SELECT verdict FROM decisions WHERE org_id = ${target.org_id}`).toEqual([
    { verdict: 'in_progress' },
  ])
})

test('two imports at once make one of each, and a large file comes in by calls that each stay within bounds', async () => {
  const world = aWorld()
  await fillKnowledge(world)
  const source = await anOwner(world)
  const { mate } = await fillOrg(source)
  const more = Array.from({ length: 1_200 }, (_, at) => ({ ...watch, type: 'vendor', value: `vendor${at}` }))
  const owns = Array.from({ length: 30 }, (_, at) => ({
    kind: 'own_vulnerability',
    key: crypto.randomUUID(),
    summary: `Ours ${at}`,
    cpes: ['cpe:2.3:a:moving:van:1.5:*:*:*:*:*:*:*'],
  }))
  const lines = (await takeOut(source)).trimEnd().split('\n')
  const file = [...lines.slice(0, -1), ...[...more, ...owns].map((one) => JSON.stringify(one))].join('\n')
  const target = await anOwner(world)
  await world.sql`INSERT INTO members(org_id, user_id) VALUES (${target.org_id}, ${mate.user_id})`
  const [one] = await Promise.all([bring(target, file), bring(target, file)])
  expect(one.calls).toBeGreaterThan(4)
  await bring(target, file)
  expect(await bring(target, file)).toMatchObject({ added: 0, left: [] })
  const taken = toComparable(await takeOut(target))
  expect(taken).toHaveLength(lines.length - 2 + more.length + owns.length)
  expect(new Set(taken).size).toBe(taken.length)
  const views = Array.from({ length: 50 }, (_, at) => line({ kind: 'view', name: `View ${at}`, query: 'q=kev' }))
  const { added, left } = await bring(target, head() + views.join(''))
  expect([added, left]).toEqual([48, Array(2).fill(expect.stringContaining('You have 50 views'))])
})
