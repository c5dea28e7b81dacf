import { listProducts, listVendors } from '../../../worker/kb/contract'
import type { anOrg } from './org'
import { firstLoad } from './load-once'
import { fakeOrigins, originSettings } from './origins'
import { aCve, affecting, aMatch, aMetric } from '../../support/records'
import { aWorld } from './world'

export const listNames = ({ results }: { results: { name: string }[] }) => results.map(({ name }) => name)
export const productNames = ({ results }: { results: { vendor: string; name: string }[] }) =>
  results.map(({ vendor, name }) => `${vendor} ${name}`)

export type Ask = (query: Record<string, unknown>) => Promise<Response>
export const byText = (a: unknown, b: unknown) =>
  a === b ? 0 : (typeof a === 'string' ? a < String(b) : Number(a) < Number(b)) ? -1 : 1

type Org = Awaited<ReturnType<typeof anOrg>>
export async function vendorNamed({ call }: Org, name: string) {
  const [vendor] = (await call(listVendors, { query: { name } })).results
  if (!vendor) throw new Error(`No vendor ${name}`)
  return vendor
}
export async function productNamed({ call }: Org, name: string) {
  const [product] = (await call(listProducts, { query: { name } })).results
  if (!product) throw new Error(`No product ${name}`)
  return product
}

/** Three vulnerabilities and a rejected one, of products of three vendors. */
export async function aKbScene() {
  const origins = fakeOrigins()
  const world = aWorld(originSettings)
  origins.files.set(2024, [
    aCve('CVE-2024-20001', {
      published: '2024-01-01T00:00:00.000',
      lastModified: '2024-01-02T00:00:00.000',
      descriptions: [{ lang: 'en', value: 'A heap overflow in the widget.' }],
      metrics: { cvssMetricV2: [aMetric('2.0', 4.3, 'AV:N/AC:M/Au:N/C:P/I:N/A:N')] },
      configurations: affecting(aMatch('acme', 'widget'), aMatch('acme', 'widget_server')),
    }),
    aCve('CVE-2024-20002', {
      published: '2024-02-01T00:00:00.000',
      lastModified: '2024-05-02T00:00:00.000',
      configurations: affecting(aMatch('acme', 'widget')),
    }),
    aCve('CVE-2024-20003', {
      published: '2024-03-01T00:00:00.000',
      lastModified: '2024-03-02T00:00:00.000',
      configurations: affecting(aMatch('widget', 'frame'), aMatch('beta', 'gadget')),
    }),
    aCve('CVE-2024-20004', { vulnStatus: 'Rejected', lastModified: '2024-06-01T00:00:00.000' }),
  ])
  await firstLoad(world, origins)

  const restore = () => origins.restore()

  return { origins, world, restore }
}
