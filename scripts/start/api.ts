export type AdminCredentials = { username: string; password: string }
export type FeedProgress = {
  id: string
  name: string
  state: string
  total: number | null
  records: number
  skipped: number
  finished_at: string | null
  last_success: string | null
  last_error: string | null
}

/** A token, or undefined if the credentials are wrong. */
export async function signInAdmin(
  { url }: { url: string },
  credentials: AdminCredentials,
): Promise<string | undefined> {
  const reply = await fetch(`${url}/api/public/jwt-auth/obtain-token/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(credentials),
    signal: AbortSignal.timeout(10_000),
  })
  if (!reply.ok) return undefined
  const { access } = (await reply.json()) as { access?: string }
  return access
}

export async function listFeeds({ url }: { url: string }, token: string): Promise<FeedProgress[] | undefined> {
  const reply = await fetch(`${url}/api/data/sync/info`, {
    headers: { authorization: `JWT ${token}` },
    signal: AbortSignal.timeout(10_000),
  })
  if (!reply.ok) return undefined
  const { feeds } = (await reply.json()) as { feeds: FeedProgress[] }
  return feeds
}
