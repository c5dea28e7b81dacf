import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { resourceRoutes } from './resources.ts'
import { openRuntime } from './runtime.ts'
import { account_id, newState, ApiRefusal, type Planted, type ApiRoute } from './state.ts'
import { workerRoutes } from './workers.ts'

const zones = [{ id: 'zone-1', name: 'example.com' }]
const senders = [
  { name: 'example.com', enabled: true, tag: 'sender-1' },
  { name: '*.news.example.com', enabled: true, tag: 'sender-2' },
  { name: 'earshot.example.com', enabled: false, tag: 'sender-3' },
]

/** An account of Cloudflare on this machine: as much of its API as a deployment uses, every call recorded, and deployed Workers run. */
export async function startAccount(planted: Planted, publisher: (url: string) => string | undefined) {
  const state = newState(planted)
  const runtime = openRuntime(state, publisher)
  const calls: string[] = []
  const routes: ApiRoute[] = [
    ['GET', /^\/accounts$/, () => [{ id: account_id, name: 'Trial' }]],
    ['GET', /^\/zones$/, ({ query }) => zones.filter(({ name }) => name === query.get('name'))],
    ['GET', /^\/zones\/zone-1\/email\/sending\/subdomains$/, () => senders],
    ...resourceRoutes(state, runtime),
    ...workerRoutes(state, runtime),
  ]

  async function serve(request: IncomingMessage, response: ServerResponse) {
    const { url = '', method = 'GET', headers } = request
    const given = { method, headers: plain(headers), ...(method !== 'GET' && { body: await readAll(request) }) }
    const [, name, path] = /^\/at\/([\w-]+)(\/.*)$/.exec(url) ?? []
    if (name && path) {
      const reply = await runtime.visit(name, path, given)
      response.writeHead(reply.status, Object.fromEntries(reply.headers)).end(Buffer.from(await reply.arrayBuffer()))
      return
    }
    const within = new URL(url, 'http://account').pathname
      .replace('/client/v4', '')
      .replace(`/accounts/${account_id}`, '')
    calls.push(`${method} ${within}`)
    const { status, body } = await answer(routes, within, new Request(new URL(url, 'http://account'), given))
    if (status >= 500) calls.push(`failed: ${JSON.stringify(body)}`)
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  }

  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => {
      calls.push(`failed: ${String(error)}`)
      response.writeHead(500).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    calls,
    state,
    api: `http://127.0.0.1:${port}/client/v4`,
    /** Address of a deployed Worker. */
    at: (name: string) => `http://127.0.0.1:${port}/at/${name}`,
    close: async () => {
      server.close()
      await runtime.close()
    },
  }
}

async function answer(routes: ApiRoute[], path: string, request: Request) {
  const [, pattern, act] = routes.find(([method, one]) => method === request.method && one.test(path)) ?? []
  const refused = (status: number, code: number, message: string) => ({
    status,
    body: { success: false, errors: [{ code, message }], messages: [], result: null },
  })
  if (!pattern || !act) return refused(501, 1, `${request.method} ${path} is not emulated`)
  try {
    const parts = (pattern.exec(path) ?? []).slice(1).map(decodeURIComponent)
    const result = await act({ parts, query: new URL(request.url).searchParams, request })
    const result_info = { page: 1, per_page: 100, count: 1, total_count: 1, total_pages: 1 }
    return { status: 200, body: { success: true, errors: [], messages: [], result, result_info } }
  } catch (error) {
    if (error instanceof ApiRefusal) return refused(error.status, error.code, error.message)
    return refused(500, 1, String(error))
  }
}

const plain = (headers: IncomingMessage['headers']) =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  )

async function readAll(request: IncomingMessage) {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return new Uint8Array(Buffer.concat(chunks))
}
