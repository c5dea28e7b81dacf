import { execFileSync } from 'node:child_process'
import * as z from 'zod'
import { root } from '../start/options.ts'
import { StartFailure } from '../start/failure.ts'

const Answer = z.object({
  success: z.boolean(),
  errors: z.array(z.object({ code: z.number(), message: z.string() })).default([]),
  result: z.unknown(),
})
type Asked = { method?: 'GET' | 'POST' | 'PUT'; body?: unknown }

class AccountError extends StartFailure {
  readonly status: number
  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** The API of the account that wrangler deploys to, for what wrangler has no command for. */
export async function openAccount(env: NodeJS.ProcessEnv) {
  const base = env.CLOUDFLARE_API_BASE_URL ?? 'https://api.cloudflare.com/client/v4'
  const token = env.CLOUDFLARE_API_TOKEN ?? loginToken()

  async function ask<Result>(path: string, result: z.ZodType<Result>, { method = 'GET', body }: Asked = {}) {
    const reply = await fetch(base + path, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: body === undefined ? undefined : JSON.stringify(body),
      signal: AbortSignal.timeout(60_000),
    })
    const answer = Answer.safeParse(await reply.json().catch(() => undefined)).data
    if (reply.ok && answer?.success) return result.parse(answer.result)
    const why = answer?.errors.map(({ code, message }) => `${message} [${code}]`).join('; ')
    throw new AccountError(
      reply.status,
      `The account's API answered ${reply.status} to ${method} ${path}: ${why ?? ''}`,
    )
  }

  const id = env.CLOUDFLARE_ACCOUNT_ID ?? (await onlyAccount())
  async function onlyAccount() {
    const accounts = await ask('/accounts', z.array(z.object({ id: z.string(), name: z.string() })))
    const [only, ...others] = accounts
    if (only && !others.length) return only.id
    const list = accounts.map((account) => `${account.name} ${account.id}`).join(', ')
    throw new StartFailure(`Say with CLOUDFLARE_ACCOUNT_ID which account: ${list || 'there is none'}`)
  }

  return {
    id,
    ask,
    /** `path` within the account. */
    own: <Result>(path: string, result: z.ZodType<Result>, asked?: Asked) =>
      ask(`/accounts/${id}${path}`, result, asked),
  }
}
export type AccountApi = Awaited<ReturnType<typeof openAccount>>

/** The answer, or undefined where there is none (404). */
export async function orNone<Result>(answer: Promise<Result>) {
  try {
    return await answer
  } catch (error) {
    if (error instanceof AccountError && error.status === 404) return undefined
    throw error
  }
}

function loginToken() {
  const args = ['node_modules/wrangler/bin/wrangler.js', 'auth', 'token', '--json']
  try {
    const answer = execFileSync(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'ignore'] })
    return z.object({ token: z.string() }).parse(JSON.parse(answer.toString())).token
  } catch {
    throw new StartFailure('Nobody is signed in: run npx wrangler login, or set CLOUDFLARE_API_TOKEN')
  }
}
