import * as z from 'zod'

export const account_id = 'acc0unt0123456789'

export const Binding = z.looseObject({ name: z.string(), type: z.string(), text: z.string().optional() })
export type Binding = z.output<typeof Binding>
export const Consumer = z.looseObject({
  script_name: z.string(),
  dead_letter_queue: z.string().optional(),
  settings: z.looseObject({
    batch_size: z.number().optional(),
    max_retries: z.number().optional(),
    max_wait_time_ms: z.number().optional(),
  }),
})
export type Consumer = z.output<typeof Consumer>
export type Module = { name: string; type: string; bytes: Uint8Array<ArrayBuffer> }
export type Version = {
  bindings: Binding[]
  modules: Module[]
  compatibility: { date: string; flags: string[] }
  /** Path → hash of its content. */
  files: Map<string, string>
  isBroken: boolean
}
export type Script = { versions: Map<string, Version>; deployed: string[]; crons: string[]; domains: string[] }

/** Faults that a test plants: an old database, or a version that fails. */
export type Planted = { isOld?: boolean; isBroken?: (version: number) => boolean }

export const newState = (planted: Planted) => ({
  planted,
  subdomain: '',
  databases: new Map<string, string>(),
  queues: new Map<string, Consumer[]>(),
  buckets: new Set<string>(),
  scripts: new Map<string, Script>(),
  assets: new Map<string, Uint8Array<ArrayBuffer>>(),
  /** By the token of their upload. */
  manifests: new Map<string, Map<string, string>>(),
})
export type AccountState = ReturnType<typeof newState>

export const currentVersion = (script?: Script) => script?.versions.get(script.deployed[0] ?? '')

export type ApiCall = { parts: string[]; query: URLSearchParams; request: Request }
export type ApiRoute = [method: string, pattern: RegExp, answer: (call: ApiCall) => unknown]

export class ApiRefusal extends Error {
  readonly status: number
  readonly code: number
  constructor(status: number, code: number, message: string) {
    super(message)
    this.status = status
    this.code = code
  }
}
export const missing = (code: number, what: string) => new ApiRefusal(404, code, `${what} was not found`)

export async function readNamed(request: Request, field: string) {
  return z
    .record(z.string(), z.unknown())
    .transform((body) => z.string().parse(body[field]))
    .parse(await request.json())
}
