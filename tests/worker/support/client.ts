import { expect } from 'vitest'
import type { Encode } from '../../support/client-walk'
import { emptyOrg, signedInAs } from './victim'
import { rows } from './org'
import type { World } from './world'

type ClientAnswer = { status: number; body: unknown }
/** Ids that a call may name: rows of the organization before it. */
type ClientScene = {
  org_id: number
  exploit_id: number
  threat_id: number
  vuln_id: number
  /** The caller's, and that of a plain member of the organization. */
  user_id: number
  member_id: number
  /** Another organization of the admin of the first, where they are its admin, too; and one where nobody of these is a member. */
  second_org_id: number
  foreign_org_id: number
}
/** `boss` is the admin of the organization, `root` a global admin, and a `stale` client's credentials are over. */
export type Role = 'boss' | 'member' | 'root' | 'stale'
/** One request as a client sends it, and what must come back. */
export type Exchange = {
  call: string
  as?: Role
  headers?: Record<string, string>
  body?: Record<string, unknown> | ((scene: ClientScene) => Record<string, unknown>)
  status?: number
  reply: unknown
}

type Asking = { as?: Role; headers?: Record<string, string> }

type Style = {
  encode: Encode
  authorization: (world: World, who: { user_id: number; org_id: number }) => Promise<string>
}

/** An organization that monitors vulnerability 1, with a private exploit, threat activity and vulnerability, and its clients. */
async function aClient(world: World, style: Style) {
  const { org_id, aUser } = await emptyOrg(world, 'client')
  const [second, foreign] = [await emptyOrg(world, 'second'), await emptyOrg(world, 'foreign')]
  const boss = await aUser('boss', { is_org_admin: true })
  const member = await aUser('member')
  const root = await (await emptyOrg(world, 'root')).aUser('root', { is_admin: true })
  await world.sql`INSERT INTO members(org_id, user_id, is_admin) VALUES (${second.org_id}, ${boss.user_id}, 1)`
  async function ask(
    call: string,
    body?: Record<string, unknown>,
    { as = 'boss', headers = {} }: Asking = {},
  ): Promise<ClientAnswer> {
    const [method = '', path = ''] = call.split(' ')
    const sent = body && style.encode(body)
    const authorization =
      as === 'stale'
        ? (await style.authorization(world, boss)).replace(/.{9}$/, 'anything.')
        : await style.authorization(world, { boss, member, root }[as])
    const response = await world.request(path, {
      method,
      headers: { authorization, ...headers, ...(sent && { 'content-type': sent.type }) },
      ...(sent && { body: sent.text }),
    })
    const text = await response.text()
    return { status: response.status, body: text ? (JSON.parse(text) as unknown) : null }
  }
  const findId = async (call: string, body: Record<string, unknown>) => {
    const answer = await ask(call, body)
    if (answer.status !== 200) throw new Error(`${call} answered ${answer.status}: ${JSON.stringify(answer.body)}`)
    return (answer.body as { id: number }).id
  }
  await ask('PUT /api/vulns/1/toggle', { monitored: true })
  const scene: ClientScene = {
    org_id,
    user_id: boss.user_id,
    member_id: member.user_id,
    second_org_id: second.org_id,
    foreign_org_id: foreign.org_id,
    exploit_id: await findId('POST /api/vulns/1/exploits/add', { link: 'https://acme.example/exploit' }),
    threat_id: await findId('POST /api/vulns/1/threats/add', { link: 'https://acme.example/threat' }),
    vuln_id: await findId('POST /api/vulns/add', { summary: 'A flaw of ours', products: 'acme:widget' }),
  }
  return { ask, scene, boss }
}

/** Each exchange in an organization of its own; all that differ are told. */
export async function expectAnswers(world: World, style: Style, exchanges: Exchange[]) {
  for (const { call, body, status = 200, reply, ...asking } of exchanges) {
    const { ask, scene } = await aClient(world, style)
    const sent = typeof body === 'function' ? body(scene) : body
    const answer = await ask(fillIn(call, scene), sent, asking)
    expect.soft({ call, ...answer }).toEqual({ call, status, body: reply })
  }
}

const fillIn = (call: string, scene: ClientScene) =>
  call.replace(/\{(\w+)\}/g, (_, name: keyof ClientScene) => String(scene[name]))

export const jwt: Style['authorization'] = signedInAs

type Owner = { user_id: number; org_id: number }

/** An API token that may write in the organization; that of a global admin is a personal one, as no global right counts in another. */
export const apiToken = (world: World, owner: Owner) =>
  insertToken(
    world,
    owner,
    "CASE WHEN EXISTS (SELECT 1 FROM users WHERE id = ?1 AND is_admin) THEN 'all' ELSE 'organization' END",
  )

/** One for all organizations of its user. */
export const personalToken = (world: World, owner: Owner) => insertToken(world, owner, "'all'")

async function insertToken(world: World, { user_id, org_id }: Owner, reach: string) {
  const token = crypto.randomUUID()
  const { hashToken } = await import('../../../worker/auth/keys')
  await rows(
    world.env,
    `INSERT INTO api_tokens(user_id, org_id, name, prefix, token_hash, scope, reach, created_at)
     VALUES (?1, ?2, 'client', ?3, ?4, 'write', ${reach}, '2026-01-01T00:00:00Z')`,
    user_id,
    org_id,
    token.slice(0, 8),
    await hashToken(token),
  )
  return `Token ${token}`
}
