// `npm run restore -- --at 2026-11-20T08:00:00Z [--org 7] [--url https://…]`: brings back from the nightly backups what is missing.
import { signInAdmin } from './start/api.ts'
import { readArguments } from './start/arguments.ts'
import { describeError, StartFailure } from './start/failure.ts'

const usage =
  'npm run restore -- --at 2026-11-20T08:00:00Z [--org 7] [--url https://…]   (ADMIN_USERNAME and ADMIN_PASSWORD are those of a global admin)'
const { ADMIN_USERNAME: username = 'admin', ADMIN_PASSWORD: password = '' } = process.env

try {
  await restore()
} catch (error) {
  console.error(describeError(error))
  process.exitCode = 1
}

async function restore() {
  const { values } = readArguments(usage, {
    options: {
      at: { type: 'string' },
      org: { type: 'string', multiple: true },
      url: { type: 'string', default: 'http://localhost:8787' },
    },
  })
  const { at, url } = values
  if (!at || Number.isNaN(Date.parse(at)))
    throw new StartFailure('--at takes the time to go back to: 2026-11-20T08:00:00Z')
  const token = await signInAdmin({ url }, { username, password })
  if (!token)
    throw new StartFailure(`${username} cannot sign in: ADMIN_USERNAME and ADMIN_PASSWORD are those of a global admin`)
  const call = async <Reply>(path: string, body?: unknown) => {
    const reply = await fetch(url + path, {
      method: body ? 'POST' : 'GET',
      headers: { authorization: `JWT ${token}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(300_000),
    })
    const answer = (await reply.json()) as Reply & { message?: string }
    return reply.ok ? answer : new StartFailure(answer.message ?? `${reply.status}`)
  }
  const known = await call<{ org_ids: number[] }>('/api/backups/')
  if (known instanceof StartFailure) throw known
  const wanted = values.org?.map(Number) ?? known.org_ids
  if (!wanted.length) throw new StartFailure('There is no backup of any organization')
  for (const org_id of wanted) {
    const answer = await call<Restored>(`/api/backups/${org_id}/restore`, { at })
    const isFailure = answer instanceof StartFailure
    if (isFailure || answer.left_out) process.exitCode = 1
    console.log(`${isFailure ? '✗' : '✓'} organization ${org_id}: ${isFailure ? answer.message : describe(answer)}`)
  }
}

type Restored = { at: string; restored: number; left_out: number; missing: string[]; behind: string[] }

function describe({ at, restored, left_out, missing, behind }: Restored) {
  const feeds = behind.length ? `, and these feeds are not yet where they were: ${behind.join(', ')}` : ''
  const names = missing.length ? `; not here: ${missing.join(', ')}${feeds}` : ''
  const rest = left_out ? `. ${left_out} more wait: ask again once the feeds have been read` : ''
  return `${restored} rows came back from the backup of ${at}${names}${rest}`
}
