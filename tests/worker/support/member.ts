import { expect } from 'vitest'
import { hashPassword } from '../../../worker/auth/password/password'
import { anOrg, session } from './org'
import type { World } from './world'
import { password } from '../../support/credentials'

let hash: Promise<string> | undefined
let made = 0

type Given = { is_org_admin?: boolean; manage_organization?: boolean; is_admin?: boolean }

/** Another user, a member of the organization, signed in to it. */
export async function aMember(world: World, org_id: number, given: Given = {}) {
  const username = `member${++made}`
  const email = `${username}@example.org`
  const [user] = await world.sql<{
    id: number
  }>`INSERT INTO users(username, email, password_hash, is_admin, created_at, email_verified_at)
     VALUES (${username}, ${email}, ${await (hash ??= hashPassword(password))}, ${Number(given.is_admin ?? false)}, '2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z') RETURNING id`
  const user_id = user?.id ?? 0
  await world.sql`INSERT INTO members(org_id, user_id, is_admin, manage_organization)
    VALUES (${org_id}, ${user_id}, ${Number(given.is_org_admin ?? false)}, ${Number(given.manage_organization ?? false)})`
  return { user_id, username, email, ...(await session(world, { user_id, org_id })) }
}

/** The token of the newest mail to an address, once all mails are sent. */
export async function tokenMailedTo(world: World, email: string) {
  await world.drain()
  const mail = world.mails.findLast(({ to }) => to === email)
  const token = /(?:\?token=|\/trial\/)([\w-]+)/.exec(mail?.text ?? '')?.[1]
  if (!token) throw new Error(`No mail with a link went to ${email}`)
  return token
}

/** A new organization with its admin and a plain member. */
export async function anAdminedOrg() {
  const org = await anOrg({ is_org_admin: true })
  return { ...org, member: await aMember(org.world, org.org_id) }
}

/** A global admin, and an organization with its admin. */
export async function aRootedOrg() {
  const root = await anOrg({ is_admin: true })
  const { world } = root
  return { world, root, ours: await anOrg({ world, is_org_admin: true }) }
}

/** With a true status, and what older clients read. */
export async function expectRefused(answer: Promise<Response> | undefined, status: number, reason: unknown) {
  const response = await answer
  const body = expect.objectContaining({ status: 'error', reason, detail: expect.any(String) })
  expect([response?.status, await response?.json()]).toEqual([status, body])
}
