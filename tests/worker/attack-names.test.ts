import { afterEach, expect, test } from 'vitest'
import type * as z from 'zod'
import { loadApi } from '../../worker/features'
import { createAlertFeed } from '../../worker/atom/contract'
import { createView, listViews, updateView } from '../../worker/views/contract'
import { addExploit, vulnExploits } from '../../worker/exploits/contract'
import { exportVulns, listVulns } from '../../worker/vulns/contract'
import { getVuln } from '../../worker/vulns/detail/contract'
import { aMatch, affecting } from '../support/records'
import { aScene, point, type AlertingScene } from './support/alerting'
import { anOrg } from './support/org'

let scene: AlertingScene | undefined
afterEach(() => {
  scene?.origins.restore()
  scene = undefined
})

const turns = ['\u061c', '\u200e', '\u200f', '\u202a', '\u202d', '\u202e', '\u2066', '\u2068', '\u2069']
const hostileNames = [...turns, '\u0000', '\u0007', '\n', '\u0085', '\u2028', '\u007f'].map((sign) => `safe${sign}name`)

/** Fields with names that people give. */
const isName = /(^|_)(names?|labels?|titles?|owner|author|groups?)$/
/** Named so, but checked by what they must be. */
const exempt = new Map([
  ['username', 'signing in compares it with a stored one; a new one has letters, digits and underscore'],
])

type Def = { type: string; [part: string]: unknown }
/** Each field by its path, through unions, lists and optional parts. */
function collectNames(schema: unknown, path: string, found: [path: string, schema: z.ZodType][]) {
  const def = (schema as { def?: Def } | undefined)?.def
  if (!def) return
  for (const [name, field] of Object.entries((def.type === 'object' && (def['shape'] as object)) || {})) {
    if (isName.test(name)) found.push([`${path}.${name}`, field as z.ZodType])
    else collectNames(field, `${path}.${name}`, found)
  }
  for (const part of ['innerType', 'in', 'out', 'element']) collectNames(def[part], path, found)
  for (const option of (def['options'] as unknown[] | undefined) ?? []) collectNames(option, path, found)
}

test('no name that a contract takes holds control characters or marks that turn the direction of text', async () => {
  const found: [string, z.ZodType][] = []
  for (const { contract } of await loadApi()) {
    const at = `${contract.method} ${contract.path}`
    collectNames(contract.body, at, found)
    if (contract.method !== 'GET') collectNames(contract.params, at, found)
  }
  const names = found.filter(([path]) => !exempt.has(path.split('.').at(-1) ?? ''))
  expect(names.length).toBeGreaterThan(25)
  const taken = names.flatMap(([path, schema]) =>
    hostileNames
      .filter((name) => [name, [name], [{ name }]].some((value) => schema.safeParse(value).success))
      .map((name) => `${path}: ${JSON.stringify(name)}`),
  )
  expect(taken).toEqual([])
})

test('the name of a view is refused in a sentence that names the field, and nothing changes', async () => {
  const { call, answer } = await anOrg()
  const { id } = await call(createView, { body: { name: 'Urgent', query: 'q=kev' } })
  const message = 'name: Must be one line, without control characters and marks that turn the direction of text'
  for (const name of hostileNames) {
    const body = { name, query: '' }
    for (const refused of [await answer(createView, { body }), await answer(updateView, { params: { id }, body })])
      expect([name, refused.status, await refused.json()]).toMatchObject([name, 400, { message }])
  }
  expect(await call(listViews)).toMatchObject([{ name: 'Urgent', query: 'q=kev' }])
})

const evil = (word: string) => `${word} \u202Egnp.exe\u202C \u2066x\u2069 \u200Fy`
const clean = (word: string) => `${word} gnp.exe x y`
const aTurnedRecord = {
  descriptions: [{ lang: 'en', value: evil('Summary') }],
  references: [{ url: 'https://acme.example/a', source: 'acme' }],
  configurations: affecting(aMatch('acme', 'widget'), aMatch('acme', 'wid\u202Eget')),
}
const hasTurns = (text: string) => /\p{Bidi_C}/u.test(text)

test('texts of records and exploits are shown, exported and fed in the direction in which they are written', async () => {
  scene = await aScene()
  const org = await scene.watching()
  await scene.world.sql`UPDATE members SET manage_metadata = 1 WHERE org_id = ${org.org_id}`
  const { atom_url, json_url } = await org.call(createAlertFeed, { body: { view_id: 0 } })
  await scene.modify(['CVE-2026-20001', aTurnedRecord])
  const [vuln] = (await org.call(listVulns, { query: { search: 'CVE-2026-20001' } })).results
  expect(vuln?.summary).toBe(clean('Summary'))
  const params = { id: vuln?.id ?? 0 }
  await org.call(addExploit, { params, body: { link: 'https://acme.example/poc', notes: evil('Notes') } })
  expect(await org.call(vulnExploits, { params })).toMatchObject([{ notes: clean('Notes') }])

  const { world } = scene
  const publicly = async (url: string) => {
    const answer = await world.request(url)
    return [answer.status, await answer.text()] as const
  }
  const texts = [
    [200, await (await org.answer(getVuln, { params })).text()] as const,
    [200, await (await org.answer(exportVulns, { params: { format: 'csv' } })).text()] as const,
    [200, await (await org.answer(exportVulns, { params: { format: 'json' } })).text()] as const,
    await publicly(`/public/vulns/${params.id}`),
    await publicly(`/api/public/vulns/${params.id}`),
    await publicly(new URL(atom_url).pathname),
    [200, await (await org.answer(listVulns, { query: { fields: 'id,summary' } })).text()] as const,
    await publicly(new URL(json_url).pathname),
  ]
  for (const [status, text] of texts)
    expect([status, hasTurns(text), text.includes('gnp.exe')]).toEqual([200, false, true])
})

test('so it is at every channel and in every mail', async () => {
  scene = await aScene()
  const channels = ['slack', 'teams', 'thehive', 'misp', 'webhook']
  const org = await scene.watching({ emails: ['someone@example.org'] })
  for (const channel of channels) await point(scene, org, channel)
  await scene.modify(['CVE-2026-20001', aTurnedRecord])
  await scene.later(15)
  const { requests } = await scene.box.state()
  const bodies = requests.filter(({ taken, body }) => taken && body.includes('gnp.exe')).map(({ body }) => body)
  expect(bodies).toHaveLength(channels.length)
  const mails = scene.world.mails.filter(({ text }) => text.includes('gnp.exe'))
  expect(mails).toHaveLength(1)
  for (const text of [...bodies, JSON.stringify(mails)]) expect([text, hasTurns(text)]).toEqual([text, false])
})
