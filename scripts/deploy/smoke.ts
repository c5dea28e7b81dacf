import { setTimeout as sleep } from 'node:timers/promises'
import { listFeeds, signInAdmin, type AdminCredentials } from '../start/api.ts'
import { StartFailure } from '../start/failure.ts'

// The clock of a new Worker may begin a quarter of an hour after it was set.
const patience_ms = 20 * 60_000

/** Tries what must work on the deployed Worker: pages, sign-in, list, a step of a feed, a mail. Tells each; the first that fails is thrown. */
export async function smokeTest(
  url: string,
  credentials: AdminCredentials | undefined,
  canMail: boolean,
  isMade: () => Promise<boolean>,
) {
  const page = await until('The page', () => answered(ask(url, '/')))
  if (!(await page.text()).includes('<div id="root"')) throw new StartFailure('The page is not ours')
  told('the page opens')
  const list = await until('The public list', () => answered(ask(url, '/api/public/vulns/?limit=1')))
  await list.json()
  told('the public list answers')
  if (!credentials) return told('sign-in was not tried: set ADMIN_USERNAME and ADMIN_PASSWORD for that')

  // By the clock of the Worker; each failed sign-in would count.
  await until('The first minute', async () => (await isMade()) || undefined)
  const token = await signInAdmin({ url }, credentials)
  if (!token) throw new StartFailure(`${credentials.username} cannot sign in`)
  told(`${credentials.username} can sign in`)
  const headers = { authorization: `JWT ${token}` }
  await until('The list', () => answered(ask(url, '/api/vulns/?limit=1', { headers })))
  told('the list answers')
  await tryFeed(url, token)
  if (!canMail) return told('a mail was not tried, as none will leave')
  const mail = await ask(url, '/api/alerts/email/test', { method: 'POST', headers })
  const { status, reason } = (await mail.json()) as { status?: string; reason?: string }
  told(status === 'success' ? 'a mail to the contact addresses is on its way' : `mail: ${reason ?? mail.status}`)
}

/** A publisher that fails is no fault of ours: only the run must have ended. */
async function tryFeed(url: string, token: string) {
  await ask(url, '/api/data/sync/run?feed=kev', { method: 'POST', headers: { authorization: `JWT ${token}` } })
  const { records, last_error } = await until('A feed', async () => {
    const kev = (await listFeeds({ url }, token))?.find(({ id }) => id === 'kev')
    return kev?.state !== 'running' && kev?.finished_at ? kev : undefined
  })
  told(last_error ? `the feed of KEV ran: ${last_error}` : `the feed of KEV ran: ${records} records`)
}

const told = (what: string) => console.log(`  ✓ ${what}`)

const ask = (url: string, path: string, init: RequestInit = {}) =>
  fetch(url + path, { ...init, signal: AbortSignal.timeout(30_000) })

const answered = async (asked: Promise<Response>) => {
  const reply = await asked
  if (reply.ok) return reply
  if (reply.status >= 500 && reply.status !== 503) throw new StartFailure(`${reply.url} answered ${reply.status}`)
  return undefined
}

/** Tries again while there is no answer: a new address takes minutes to be known everywhere. */
async function until<Answer>(what: string, attempt: () => Promise<Answer | undefined>): Promise<Answer> {
  const end = Date.now() + patience_ms
  for (;;) {
    const answer = await attempt().catch((error: unknown) => {
      if (error instanceof StartFailure) throw error
      return undefined
    })
    if (answer !== undefined) return answer
    if (Date.now() > end) throw new StartFailure(`${what} gave no answer in ${patience_ms / 60_000} minutes`)
    await sleep(1000)
  }
}
