import { expect } from 'vitest'
import type { Call, Endpoint, Schema } from '../../../worker/http/endpoint'
import { Success } from '../../../worker/http/fields'
import { hashToken, newToken } from '../../../worker/auth/keys'
import { hashPassword } from '../../../worker/auth/password/password'
import { signAccess } from '../../../worker/auth/tokens'
import type { Env } from '../../../worker/env'
import { aWorld, type World } from './world'
import { password } from '../../support/credentials'

let hash: Promise<string> | undefined
let made = 0

type Given = { world?: World; is_admin?: boolean; is_org_admin?: boolean; emails?: string[] }

/** A new organization with one signed-in member, who calls the API by its contracts. */
export async function anOrg({ world = aWorld(), is_admin = false, is_org_admin = false, emails }: Given = {}) {
  const number = ++made
  const username = `user${number}`
  const { DB } = world.env
  const [org, user] = await DB.batch<{ id: number }>([
    DB.prepare("INSERT INTO orgs(name, slug, created_at) VALUES (?1, ?1, '2026-01-01T00:00:00Z') RETURNING id").bind(
      `org${number}`,
    ),
    DB.prepare(
      "INSERT INTO users(username, email, password_hash, is_admin, created_at, email_verified_at) VALUES (?1, ?2, ?3, ?4, '2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z') RETURNING id",
    ).bind(username, `${username}@example.org`, await (hash ??= hashPassword(password)), Number(is_admin)),
  ])
  const [org_id, user_id] = [findId(org), findId(user)]
  await DB.batch([
    DB.prepare('INSERT INTO members(org_id, user_id, is_admin) VALUES (?1, ?2, ?3)').bind(
      org_id,
      user_id,
      Number(is_org_admin),
    ),
    DB.prepare('INSERT INTO alert_settings(org_id, alerts_emails) VALUES (?1, ?2)').bind(
      org_id,
      JSON.stringify(emails ?? [`${username}@example.org`]),
    ),
    DB.prepare(
      "INSERT INTO alert_addresses(org_id, email, confirmed_at) SELECT DISTINCT ?1, lower(value), '' FROM json_each(?2)",
    ).bind(org_id, JSON.stringify(emails ?? [])),
  ])
  const signedIn = await session(world, { user_id, org_id })
  return { world, org_id, user_id, username, email: `${username}@example.org`, ...signedIn }
}

/** A signed-in device, without the way in: most tests are not about that. */
export async function session(world: World, { user_id, org_id }: { user_id: number; org_id: number }) {
  const { DB } = world.env
  const [at, refresh] = [`${new Date().toISOString().slice(0, 19)}Z`, newToken()]
  const [opened] = await DB.batch<{ id: number; secret: string }>([
    DB.prepare(
      `INSERT INTO sessions(user_id, org_id, user_agent, ip, created_at, last_seen, expires_at, proved_at)
       VALUES (?1, ?2, '', '', ?3, ?3, '2099-01-01T00:00:00Z', ?3) RETURNING id, secret`,
    ).bind(user_id, org_id, at),
    DB.prepare(
      'INSERT INTO refresh_tokens(token_hash, session_id, created_at) VALUES (?1, last_insert_rowid(), ?2)',
    ).bind(await hashToken(refresh), at),
    DB.prepare('UPDATE users SET last_login = ?2 WHERE id = ?1').bind(user_id, at),
  ])
  const session_secret = opened?.results[0]?.secret ?? ''
  const access = await signAccess(world.env, { user_id, session_id: findId(opened), session_secret }, new Date())
  return { access, refresh, ...caller(world, access) }
}

/** The way in by the password. */
export async function signInByPassword(world: World, username: string) {
  const tokens = await postJson(world, '/api/public/jwt-auth/obtain-token/', { username, password })
  const { access, refresh } = (await tokens.json()) as { access: string; refresh: string }
  return { access, refresh, ...caller(world, access) }
}

/** Calls by contract: `call` answers the reply and fails on any other status; `answer` hands out the response. */
export function caller(world: World, access: string | null) {
  async function answer<P extends Schema, Q extends Schema, B extends Schema, Reply>(
    contract: Endpoint<P, Q, B, Reply>,
    input: Partial<Record<'params' | 'query' | 'body', Record<string, unknown>>> = {},
  ) {
    const path = contract.path.replace(/:(\w+)/g, (_, name: string) => String(input.params?.[name]))
    const query = new URLSearchParams(Object.entries(input.query ?? {}).map(([name, value]) => [name, String(value)]))
    const headers: Record<string, string> = access ? { authorization: `JWT ${access}` } : {}
    const hasBody = contract.method !== 'GET'
    return world.request(`${path}?${query}`, {
      method: contract.method,
      headers: hasBody ? { ...headers, 'content-type': 'application/json' } : headers,
      ...(hasBody && { body: JSON.stringify(input.body ?? {}) }),
    })
  }
  async function call<P extends Schema, Q extends Schema, B extends Schema, Reply>(
    contract: Endpoint<P, Q, B, Reply>,
    ...[input]: Record<never, never> extends Call<P, Q, B> ? [Call<P, Q, B>?] : [Call<P, Q, B>]
  ): Promise<Reply> {
    const response = await answer(contract, input as Parameters<typeof answer>[1])
    const text = await response.text()
    if (!response.ok) throw new Error(`${contract.method} ${contract.path} answered ${response.status}: ${text}`)
    // Where it names none it tells its success.
    return contract.reply ? contract.reply.parse(JSON.parse(text)) : (Success.parse(JSON.parse(text)) as Reply)
  }
  return { answer, call }
}

/** With this status, and at least this in its body. */
export async function expectAnswer(answer: Response | Promise<Response>, status: number, body: object) {
  const response = await answer
  expect([response.status, await response.json()]).toEqual([status, expect.objectContaining(body)])
}

export const postJson = (world: World, path: string, body: unknown, headers: Record<string, string> = {}) =>
  world.request(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })

const findId = (result: D1Result<{ id: number }> | undefined) => result?.results[0]?.id ?? 0

/** As `world.sql`, of an environment. */
export const sqlIn =
  (env: Env) =>
  <Row>(text: TemplateStringsArray, ...values: unknown[]) =>
    rows<Row>(env, text.join('?'), ...values)

export const rows = async <Row>(env: Env, sql: string, ...values: unknown[]) =>
  (
    await env.DB.prepare(sql)
      .bind(...values)
      .all<Row>()
  ).results
