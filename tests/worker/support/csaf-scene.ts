import { runSync, syncInfo } from '../../../worker/feeds/contract'
import { getBulletin, listBulletins } from '../../../worker/kb/bulletins/contract'
import { aCsaf } from '../../support/csaf'
import { anOrg } from './org'
import { fakeOrigins } from './origins'
import { aWorld } from './world'

export const cert = 'https://raw.test/certgov/CSAF/develop/csaf_files/OT/white'
export const vendor = 'https://vendor.test/csaf/v2/advisories'

export type ListedDocument = [path: string, date: string, document?: unknown]

/** Two providers of advisories, which a test fills, and an admin who has them read. */
export async function aCsafScene() {
  const origins = fakeOrigins()
  origins.instead = (url) => files.get(url.href)?.() ?? null
  const world = aWorld({ CSAF_URL: `${cert} ${vendor}/` })
  const files = new Map<string, () => Response>()
  publish(cert, [])
  publish(vendor, [
    ['2026/other-1.json', '2026-11-01T00:00:00Z', aCsaf({ id: 'OTHER-1', title: 'Other', vendor: 'Other' })],
  ])
  const admin = await anOrg({ world, is_admin: true })

  function publish(
    folder: string,
    listed: ListedDocument[],
    line = ([path, date]: ListedDocument) => `"${path}","${date}"`,
  ) {
    const first: ListedDocument = ['2020/first.json', '2020-01-01T00:00:00Z', aCsaf({ id: 'FIRST', title: 'First' })]
    const all = folder === cert ? [...listed, first] : listed
    files.set(`${folder}/changes.csv`, () => new Response(all.map(line).join('\n')))
    for (const [path, , document] of all) {
      const url = `${folder}/${path.replace('csaf_files/OT/white/', '')}`
      if (document) files.set(url, () => Response.json(document))
    }
  }

  async function sync() {
    await admin.call(runSync, { query: { feed: 'csaf' } })
    await world.drain()
    return (await admin.call(syncInfo)).feeds.find(({ id }) => id === 'csaf')
  }
  const list = (query: Record<string, string> = {}) => admin.call(listBulletins, { query })
  const titles = async (query?: Record<string, string>) => (await list(query)).results.map(({ title }) => title)
  const asked = () =>
    origins.requests.map(({ href }) => href).filter((href) => /^https:..(raw|vendor)\.test.*json$/.test(href))
  const findDetail = async (publicid: string) => {
    const found = (await list()).results.find((one) => one.publicid === publicid)
    return admin.call(getBulletin, { params: { id: found?.id ?? 0 } })
  }

  const restore = () => origins.restore()

  return { origins, world, files, admin, publish, sync, list, titles, asked, findDetail, restore }
}
