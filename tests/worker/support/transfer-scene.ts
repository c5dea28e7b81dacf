import { applyD1Migrations, type D1Migration } from 'cloudflare:test'
import { env as bindings } from 'cloudflare:workers'
import { updateChannel } from '../../../worker/alerts/channels/contract'
import { updateOrgSettings } from '../../../worker/alerts/settings/contract'
import { editDecisionSettings } from '../../../worker/decisions/contract'
import { makeDecisions } from '../../../worker/decisions/decide-contract'
import { editDuePolicy } from '../../../worker/decisions/due-contract'
import { addVuln } from '../../../worker/editing/contract'
import { addExploit, addThreat } from '../../../worker/exploits/contract'
import { listFindings } from '../../../worker/inventories/finding-contract'
import { exposeInventory, setOwnProduct } from '../../../worker/inventories/contract'
import { importMonitored } from '../../../worker/monitoring/import-contract'
import { setExposed } from '../../../worker/monitoring/contract'
import type { Env } from '../../../worker/env'
import { exportOrg } from '../../../worker/transfer/contract'
import { addComment } from '../../../worker/triage/contract'
import { createView } from '../../../worker/views/contract'
import { merge, send } from './inventory-scene'
import { aMember } from './member'
import { anOrg } from './org'
import { aWorld, type World } from './world'

const { UPGRADE, TEST_MIGRATIONS } = bindings as unknown as { UPGRADE: D1Database; TEST_MIGRATIONS: D1Migration[] }

export type Moving = Awaited<ReturnType<typeof anOrg>>
export const anOwner = (world: World) => anOrg({ world, is_org_admin: true })

export const movedCves = ['CVE-2033-10001', 'CVE-2033-10002', 'CVE-2033-10003', 'CVE-2033-10004'] as const
const ranges = [{ order: 'semver' as const, lt: '2.0.0' }]

/** The same knowledge in each database, under other numbers where something was there before. */
export async function fillKnowledge(world: World) {
  const [first, second, third, fourth] = movedCves
  const load = (record: Parameters<typeof merge>[1], source?: string) => merge(world, record, source, true)
  await load({ cveid: first, packages: [{ type: 'npm', name: 'moved', ranges }] })
  await load({ cveid: second, affected: [{ vendor: 'moving', product: 'van', ranges: ['a:1.5'] }] }, 'nvd')
  await load({ cveid: third, affected: [{ vendor: 'moving', product: 'crate', ranges: ['a:1.5'] }] }, 'nvd')
  await load({ cveid: fourth, packages: [{ type: 'npm', name: 'boxed', ranges }] })
}

/** Another installation that knew other things before: its numbers are others. */
export async function anotherWorld(settings: Partial<Env> = {}) {
  await applyD1Migrations(UPGRADE, TEST_MIGRATIONS)
  const world = aWorld({ ...settings, DB: UPGRADE })
  for (let at = 1; at < 8; at++)
    await merge(world, {
      cveid: `CVE-2032-${10_000 + at}`,
      packages: [{ type: 'npm', name: `before${at}`, ranges: [{ order: 'semver', lt: '9.0.0' }] }],
    })
  await anOwner(world)
  await fillKnowledge(world)
  return world
}

/** Each kind of thing that an organization may take along. */
export async function fillOrg(org: Moving) {
  const { call, world } = org
  const [first, second, third, fourth] = await findIds(world)
  const mate = await aMember(world, org.org_id)
  const added = await call(addVuln, {
    body: {
      summary: 'A flaw of our own',
      cve_id: 'CVE-2033-99999',
      cvss3_vector: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H',
      cvss2: 5,
      cpes: ['cpe:2.3:a:moving:van:1.5:*:*:*:*:*:*:*'],
      references: ['https://acme.example/ours'],
      is_confirmed: true,
      scope: 'private',
      monitored: true,
    },
  })
  await send(org, 'shop', ['pkg:npm/moved@1.0.0', 'pkg:npm/boxed@1.1.0'])
  await call(setOwnProduct, { params: { name: 'shop' }, body: { is_own_product: true } })
  await call(exposeInventory, { params: { name: 'shop' }, body: { publicly_exposed: true } })
  const list = [
    'type,value,groups,versions,monitored,publicly_exposed',
    'vendor,moving,dmz;core,,yes,yes',
    'product,moving:crate,,,no,',
    'package,npm:boxed,core,1.2.3;1.2.4,yes,no',
    `vuln,${movedCves[2]},late,,yes,`,
    'vendor,unheard,core,,yes,',
  ]
  await call(importMonitored, { body: { file: list.join('\n') } })
  await call(setExposed, { body: { kind: 'group', label: 'dmz', publicly_exposed: true } as never })
  const { results } = await call(listFindings, { params: { name: 'shop' } })
  const found = results.find(({ vuln_id }) => vuln_id === fourth)
  const made = await call(makeDecisions, {
    body: {
      decisions: [
        { scope: 'vulnerability', ids: [second, added.id], decision: { status: 'fixed', note: 'Rolled out' } },
        {
          scope: 'vulnerability',
          ids: [third],
          decision: { status: 'not_interesting', justification: 'component_not_present', expires_at: '2098-01-01' },
        },
        { scope: 'assignee', ids: [first], decision: { user_id: mate.user_id } },
        { scope: 'alerts', ids: [second], decision: { kind: 'snoozed', on_kev: true, epss_above: 0.5 } },
        {
          scope: 'alerts',
          ids: [third],
          decision: { kind: 'accepted', until: '2098-01-01', reason: 'It goes', owner_id: mate.user_id },
        },
        {
          scope: 'component',
          inventory: 'shop',
          findings: [{ vuln_id: fourth, component_id: found?.component_id ?? 0 }],
          decision: { status: 'not_affected', justification: 'component_not_present', owner: 'Platform' },
        },
      ],
    },
  })
  const refused = made.results.filter(({ refusal, skipped }) => refusal !== null || skipped.length)
  if (refused.length) throw new Error(JSON.stringify(refused))
  for (const id of [first, added.id]) {
    await mate.call(addComment, { params: { id }, body: { body: 'We patch it\non \u202eMonday' } })
    await call(addExploit, { params: { id }, body: { link: 'https://acme.example/exploit', maturity: 'poc' } })
    await call(addThreat, { params: { id }, body: { link: 'https://acme.example/threat', is_in_the_wild: true } })
  }
  const [vendor] = await world.sql<{ id: number }>`SELECT id FROM vendors WHERE name = 'moving'`
  await call(createView, { body: { name: 'Mine', query: `vendor=${vendor?.id}&q=kev` } })
  const shared = await call(createView, { body: { name: 'Ours', query: 'q=wild', is_shared: true } })
  const rules = { on_kev: true, min_score: 40, groups: ['dmz'], views: [shared.id], inventories: [1], pace: 'daily' }
  await call(updateChannel, {
    params: { channel: 'slack' },
    body: { ...rules, url: 'https://8.8.8.8/SECRET' } as never,
  })
  await call(updateOrgSettings, {
    body: { org_id: org.org_id, enable_weekly_email_report: true, reports_hour: 6, reports_time_zone: 'Europe/Berlin' },
  })
  await call(editDuePolicy, { body: { due_policy: 'bod_26_04' } })
  await call(editDecisionSettings, { body: { needs_approver: true } })
  return { mate }
}

export const findIds = async (world: World) => {
  const found = await world.sql<{
    id: number
  }>`SELECT v.id FROM json_each(${JSON.stringify(movedCves)}) j JOIN vulns v ON v.cveid = j.value ORDER BY j.key`
  return found.map(({ id }) => id) as [number, number, number, number]
}

export const takeOut = async (org: Moving) => (await org.answer(exportOrg)).text()
export const parseFile = (file: string) =>
  file
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
