import type { Options } from './options.ts'

export type AdminCredentials = { username: string; password: string }
export type FeedProgress = {
  id: string
  name: string
  total: number | null
  records: number
  skipped: number
  last_success: string | null
  last_error: string | null
}

/** A token, or undefined if the credentials are wrong. */
export async function signInAdmin({ port }: Options, credentials: AdminCredentials): Promise<string | undefined> {
  const reply = await fetch(`http://127.0.0.1:${port}/api/public/jwt-auth/obtain-token/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(credentials),
    signal: AbortSignal.timeout(10_000),
  })
  if (!reply.ok) return undefined
  const { access } = (await reply.json()) as { access?: string }
  return access
}

export async function listFeeds({ port }: Options, token: string): Promise<FeedProgress[] | undefined> {
  const reply = await fetch(`http://127.0.0.1:${port}/api/data/sync/info`, {
    headers: { authorization: `JWT ${token}` },
    signal: AbortSignal.timeout(10_000),
  })
  if (!reply.ok) return undefined
  const { feeds } = (await reply.json()) as { feeds: FeedProgress[] }
  return feeds
}
