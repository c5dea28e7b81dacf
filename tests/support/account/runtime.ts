import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare, Response as RuntimeResponse } from 'miniflare'
import { unstable_splitSqlQuery } from 'wrangler'
import { currentVersion, type AccountState, type Binding, type Consumer, type Module, type Version } from './state.ts'
import type { V4WorkerOptions } from 'miniflare'

const moduleTypes = [
  ['application/javascript+module', 'ESModule'],
  ['application/wasm', 'CompiledWasm'],
  ['text/plain', 'Text'],
] as const

/** Runs what is deployed, with databases that outlive a deployment; a change takes effect when somebody calls next. */
export function openRuntime(state: AccountState, publisher: (url: string) => string | undefined) {
  const folder = mkdtempSync(join(tmpdir(), 'earshot-account-'))
  let running: Promise<Miniflare> | undefined
  let started: Miniflare | undefined

  async function start() {
    const options = convertV4MiniflareOptions({
      log: new Log(LogLevel.ERROR),
      resourcePersistencePath: folder,
      workers: [
        {
          name: 'account',
          modules: true,
          script: 'export default { fetch: () => new Response() }',
          d1Databases: [...state.databases.values()],
        },
        ...[...state.scripts].flatMap(([name, script]) => {
          const version = currentVersion(script)
          return version ? [toWorker(name, version)] : []
        }),
      ],
    })
    if (started) await started.setOptions(options)
    else started = new Miniflare(options)
    await started.ready
    return started
  }
  const open = () => (running ??= start())

  const toWorker = (name: string, { modules, bindings, compatibility, files }: Version): V4WorkerOptions => ({
    name,
    modules: modules.map(toModule),
    compatibilityDate: compatibility.date,
    compatibilityFlags: compatibility.flags,
    bindings: texts(bindings),
    d1Databases: named(bindings, 'd1', 'id'),
    r2Buckets: named(bindings, 'r2_bucket', 'bucket_name'),
    queueProducers: named(bindings, 'queue', 'queue_name'),
    queueConsumers: Object.fromEntries(
      [...state.queues].flatMap(([queue, consumers]) => toConsumer(queue, name, consumers)),
    ),
    email: { send_email: bindings.filter(({ type }) => type === 'send_email').map((one) => ({ name: one.name })) },
    serviceBindings: {
      ASSETS: (request: { url: string }) => {
        const path = new URL(request.url).pathname
        const bytes = state.assets.get(files.get(path === '/' ? '/index.html' : path) ?? '')
        return new RuntimeResponse(bytes ?? null, {
          status: bytes ? 200 : 404,
          headers: { 'content-type': 'text/html' },
        })
      },
    },
    outboundService: (request: { url: string }) => {
      const text = publisher(request.url)
      return new RuntimeResponse(text ?? 'down', { status: text === undefined ? 503 : 200 })
    },
  })

  return {
    /** The deployed version has changed. */
    forget: () => {
      running = undefined
    },
    query: async (uuid: string, sql: string) => {
      const database = await (await open()).getD1Database(uuid, 'account')
      const statements = unstable_splitSqlQuery(sql)
      return database.batch(statements.map((one) => database.prepare(one)))
    },
    visit: async (
      name: string,
      path: string,
      init: { method: string; headers: Record<string, string>; body?: Uint8Array },
    ) => {
      const script = state.scripts.get(name)
      if (currentVersion(script)?.isBroken) return new RuntimeResponse('broken', { status: 500 })
      const runtime = await open()
      const worker = await runtime.getWorker(name)
      for (const cron of script?.crons.splice(0) ?? []) await worker.scheduled({ cron })
      return worker.fetch(`http://worker${path}`, init)
    },
    close: async () => started?.dispose(),
  }
}
export type Runtime = ReturnType<typeof openRuntime>

const toModule = ({ name, type, bytes }: Module) => ({
  path: name,
  type: moduleTypes.find(([mime]) => type.startsWith(mime))?.[1] ?? ('Data' as const),
  contents: bytes,
})

const texts = (bindings: Binding[]) =>
  Object.fromEntries(bindings.flatMap(({ name, text }) => (text === undefined ? [] : [[name, text]])))

const named = (bindings: Binding[], type: string, key: string) =>
  Object.fromEntries(bindings.filter((one) => one.type === type).map((one) => [one.name, String(one[key])]))

const toConsumer = (queue: string, name: string, consumers: Consumer[]) =>
  consumers
    .filter(({ script_name }) => script_name === name)
    .map(({ settings, dead_letter_queue }) => [
      queue,
      {
        maxBatchSize: settings.batch_size,
        maxBatchTimeout: 0,
        maxRetries: settings.max_retries,
        deadLetterQueue: dead_letter_queue,
      },
    ])
