import type { ApiClient } from '../support/product.ts'
import { measureMemory } from './memory.ts'
import type { MeasuredLine } from './latency.ts'

/** An export of 10,000 rows: the time to the first byte and to the last, and the memory that it adds. */
export async function measureExport(url: string, client: ApiClient): Promise<MeasuredLine[]> {
  const lines: MeasuredLine[] = []
  for (const format of ['csv', 'json']) {
    const memory = measureMemory()
    const before = memory.now()
    const began = performance.now()
    const response = await fetch(`${url}/api/vulns/export/${format}?sorted_by=-score`, {
      headers: { authorization: client.authorization },
    })
    if (!response.ok || !response.body) throw new Error(`The export answered ${response.status}`)
    let [bytes, first_ms] = [0, 0]
    for await (const piece of response.body) {
      first_ms ||= performance.now() - began
      bytes += piece.byteLength
    }
    const grown = Math.max(0, memory.stop() - before)
    lines.push([
      `export of 10,000 rows as ${format}`,
      `${(performance.now() - began).toFixed(0)} ms, ${(bytes / 1e6).toFixed(1)} MB, first byte after ${first_ms.toFixed(0)} ms, memory +${Math.round(grown / 1e6)} MB`,
    ])
  }
  return lines
}
