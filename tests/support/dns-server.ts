import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A DNS-over-HTTPS resolver (served over plain HTTP) that answers the given TXT records. */
export async function startDnsServer(records: Map<string, string>) {
  const server = createServer((request, response) => {
    const name = new URL(request.url ?? '', 'http://localhost').searchParams.get('name') ?? ''
    const text = records.get(name)
    const answer = { Status: text ? 0 : 3, Answer: text ? [{ name, type: 16, TTL: 1, data: `"${text}"` }] : [] }
    response.setHeader('content-type', 'application/dns-json').end(JSON.stringify(answer))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  server.unref()
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/dns-query`,
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
}
