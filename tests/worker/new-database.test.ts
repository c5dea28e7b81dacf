import { env as bindings } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import { restoreBackup } from '../../worker/backups/contract'
import { plusSeconds, stamp } from '../../worker/db/time'
import type { Env } from '../../worker/env'
import { toggleVendor } from '../../worker/monitoring/contract'
import { listAudit } from '../../worker/orgs/contract'
import { createView, listViews } from '../../worker/views/contract'
import { catchUp } from './support/catch-up'
import { merge } from './support/inventory-scene'
import { aMember } from './support/member'
import { anOrg, rows, signInByPassword, sqlIn } from './support/org'
import { anOwner, anotherWorld, fillKnowledge, fillOrg, movedCves, takeOut } from './support/transfer-scene'
import { aWorld, type World } from './support/world'

const { BACKUPS: bucket } = bindings as unknown as { BACKUPS: R2Bucket }
const withBackups = { BACKUPS: bucket } as Partial<Env>
const now = new Date()
const night = new Date(`${stamp(plusSeconds(now, 86_400)).slice(0, 10)}T02:00:00Z`)
const soon = stamp(plusSeconds(night, 86_400))

const late = { cveid: 'CVE-2034-10001', affected: [{ vendor: 'late', product: 'riser', ranges: ['a:1'] }] }

/** All that an export has, without the time at which it was made. */
const toLines = (file: string) => file.trimEnd().split('\n').slice(1).toSorted()

const findTold = async ({ env }: World) =>
  (
    await sqlIn(env)<{ org_id: number; cveid: string }>`SELECT a.org_id, v.cveid FROM alerts a
      JOIN vulns v ON v.id = a.vuln_id`
  )
    .map(({ org_id, cveid }) => `${org_id} ${cveid}`)
    .toSorted()

const fill = async (world: World) => {
  const org = await anOwner(world)
  return { org, ...(await fillOrg(org)) }
}

test(
  'organizations of a database that is lost come back in a new one, with people, decisions and ledger, whatever numbers are taken there',
  { timeout: 120_000 },
  async () => {
    const world = aWorld(withBackups)
    await fillKnowledge(world)
    for (let at = 0; at < 5; at++) await anOwner(world)
    const filled = [await fill(world), await fill(world)]
    const [{ org, mate }] = filled as [(typeof filled)[0]]
    await merge(world, late, 'nvd', true)
    await org.call(toggleVendor, { body: { vendor_name: 'late', monitored: true } })
    await world.sql`INSERT INTO alerts(org_id, vuln_id, change_seq, last_seq, rule, fired, created_at, updated_at)
     SELECT ${org.org_id}, id, 1, 1, 'new', 1, '2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z' FROM vulns WHERE cveid = ${movedCves[1]}`
    await catchUp(world)
    const before = await Promise.all(filled.map((one) => takeOut(one.org)))
    expect(await org.call(listAudit)).toMatchObject({ is_intact: true })
    for (let minute = 0; minute < 3; minute++) await world.tick(plusSeconds(night, minute * 60))

    const told = await findTold(world)

    const other = await anotherWorld(withBackups)
    const root = await anOrg({ world: other, is_admin: true })
    const restore = (org_id: number) => root.answer(restoreBackup, { params: { org_id }, body: { at: soon } })
    expect(await (await restore(1)).json()).toMatchObject({ code: 'taken' })
    for (const { org: one } of filled) {
      const isFirst = one === org
      expect(await (await restore(one.org_id)).json()).toMatchObject({
        status: 'success',
        left_out: Number(isFirst),
        missing: isFirst ? ['late', late.cveid] : [],
      })
    }
    await catchUp(other)
    await other.tick(plusSeconds(night, 3_600))
    await other.drain()
    const back = await Promise.all(
      filled.map(async ({ org: { username } }) => ({ ...(await signInByPassword(other, username)), world: other })),
    )
    const [first] = back as [(typeof back)[0]]
    const withoutLate = (line: string) => !line.includes('"late"')
    const compare = async (fits: (line: string) => boolean) => {
      for (const [at, one] of back.entries())
        expect(toLines(await takeOut(one as never)).filter(fits)).toEqual(toLines(before[at] ?? '').filter(fits))
    }
    await compare(withoutLate)
    expect(await first.call(listAudit)).toMatchObject({ is_intact: true })
    expect((await signInByPassword(other, mate.username)).access).toBeTruthy()
    const [vendor] = await rows<{ id: number }>(other.env, "SELECT id FROM vendors WHERE name = 'moving'")
    expect((await first.call(listViews)).map(({ query }) => query)).toContain(`vendor=${vendor?.id}&q=kev`)
    expect(told.length).toBeGreaterThan(2)
    expect(await findTold(other)).toEqual(told)

    await other.tick(plusSeconds(night, 86_400), '17 3 * * *')
    const proofs = await rows<{ body: string }>(other.env, 'SELECT body FROM alert_proofs')
    for (const { body } of proofs) expect(JSON.parse(body)).toMatchObject({ lost: 0, doubled: 0, unasked: 0 })
    expect(proofs.length).toBeGreaterThan(0)

    // A source tells of the last name: it is watched at once, and what waited for it comes when it is asked for again.
    await merge(other, late, 'nvd', true)
    expect(await (await restore(org.org_id)).json()).toMatchObject({ left_out: 0, missing: [] })
    await compare(() => true)
    await merge(other, { cveid: 'CVE-2034-10002', affected: late.affected }, 'nvd')
    for (let at = 0; at < 2; at++) {
      await other.tick(plusSeconds(night, 7_200 + at * 60))
      await other.drain()
    }
    expect(await findTold(other)).toEqual([...told, `${org.org_id} CVE-2034-10002`].toSorted())
  },
)

test('nobody takes the place of a person or an organization by being in the new database first', async () => {
  const world = aWorld(withBackups)
  for (let at = 0; at < 5; at++) await anOwner(world)
  const org = await anOwner(world)
  const mate = await aMember(world, org.org_id)
  const view = await mate.call(createView, { body: { name: 'Ours', query: 'q=kev', is_shared: true } })
  await rows(
    world.env,
    "INSERT INTO feeds(id, state, cursor, next_run_at, last_success, newest_at) VALUES ('nvd', 'idle', '{}', ?1, ?1, ?1)",
    stamp(now),
  )
  await world.tick(night)

  const other = await anotherWorld(withBackups)
  const root = await anOrg({ world: other, is_admin: true })
  const restore = () => root.answer(restoreBackup, { params: { org_id: org.org_id }, body: { at: soon } })
  await sqlIn(other.env)`INSERT INTO users(username, email, password_hash, created_at)
    VALUES ('first', ${mate.email}, 'theirs', '2026-01-01T00:00:00Z')`
  await sqlIn(other.env)`INSERT INTO saved_views(id, org_id, user_id, name, query, created_at, updated_at)
    VALUES (${view.id}, 1, 1, 'x', '', '', '')`
  expect(await (await restore()).json()).toMatchObject({ code: 'in_use' })
  // Somebody else had that number here.
  await rows(other.env, "INSERT INTO left_users VALUES (?1, '2026-01-01T00:00:00Z')", org.user_id)
  await rows(other.env, 'DELETE FROM saved_views')
  const answer = await (await restore()).json()
  expect(answer).toMatchObject({ missing: [mate.email], behind: ['nvd'] })
  const members = 'SELECT u.username FROM members m JOIN users u ON u.id = m.user_id WHERE m.org_id = ?1'
  expect(await rows(other.env, members, org.org_id)).toEqual([{ username: org.username }])
  expect(await rows(other.env, 'SELECT is_active FROM orgs WHERE id = ?1', org.org_id)).toEqual([{ is_active: 1 }])
})
