import { setTimeout as sleep } from 'node:timers/promises'
import type { ApiClient } from '../support/product.ts'

/** As a screen asks: one that asks more often is itself what is measured. */
const [soon_ms, often_ms] = [20, 1_000]

/** Sends a document and waits until all of it is judged. */
export async function judgeDocument(
  url: string,
  { authorization, get }: ApiClient,
  name: string,
  components: object[],
) {
  const began = performance.now()
  const response = await fetch(`${url}/api/inventories/${name}`, {
    method: 'PUT',
    headers: { authorization },
    body: JSON.stringify({ bomFormat: 'CycloneDX', specVersion: '1.6', components }),
  })
  if (!response.ok) throw new Error(`The inventory answered ${response.status}: ${await response.text()}`)
  const answered = performance.now()
  const read = () => get<{ pending_count: number; open: Record<string, number> }>(`/api/inventories/${name}`)
  let state = await read()
  for (; state.pending_count > 0; state = await read())
    await sleep(Math.min(often_ms, Math.max(soon_ms, (performance.now() - began) / 10)))
  const [total, first] = [performance.now() - began, answered - began].map((ms) => (ms / 1000).toFixed(2))
  const open = Object.values(state.open).reduce((sum, count) => sum + count, 0)
  return {
    told: `${total} s, answered after ${first} s, ${open} vulnerabilities`,
    meter: response.headers.get('server-timing'),
  }
}
