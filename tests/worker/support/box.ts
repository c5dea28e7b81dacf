import { env as bindings } from 'cloudflare:workers'
import type { Behaviour, BoxState } from '../../support/receivers'

const { RECEIVERS_URL } = bindings as unknown as { RECEIVERS_URL: string }
const realFetch = globalThis.fetch
let made = 0

/** Receivers of one test: real servers, reached past whatever is faked at fetch. */
export function aBox() {
  const url = `${RECEIVERS_URL}/box${Date.now()}-${++made}`
  return {
    url,
    host: new URL(url).host,
    behave: (behaviour: Behaviour) => realFetch(`${url}/behave`, { method: 'PUT', body: JSON.stringify(behaviour) }),
    /** An analyst changes the alerts and events that it holds. */
    analyse: (change: { alert?: object; event?: object }) =>
      realFetch(`${url}/analyse`, { method: 'PUT', body: JSON.stringify(change) }),
    state: async () => (await (await realFetch(`${url}/state`)).json()) as BoxState,
    /** Messages that one of its receivers took. */
    taken: async (kind: string) => {
      const { requests } = (await (await realFetch(`${url}/state`)).json()) as BoxState
      return requests.filter(({ taken, path }) => taken && path.startsWith(`/${kind}`))
    },
  }
}
export type Box = ReturnType<typeof aBox>

/** Goes on when it holds; otherwise the test ends by its own time. */
export async function until(holds: () => boolean | Promise<boolean>) {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 50))
}
