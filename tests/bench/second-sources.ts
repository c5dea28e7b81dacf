import { readdirSync, readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { comparePlain, isPlain } from '../support/plain-judge.ts'
import { realFeeds } from '../support/real-data.ts'

type Branch = { category: string; name: string; product?: { product_id: string }; branches?: Branch[] }
type Advisory = {
  product_tree?: { branches?: Branch[] }
  vulnerabilities?: { cve?: string; product_status?: { known_affected?: string[] } }[]
}
/** The end of what a vendor calls affected; `holds_end` where its last version is named. */
type End = { name: string; end: string; holds_end: boolean }

const plainName = (text: string) => text.toLowerCase().replace(/[^a-z0-9]/g, '')
const withoutV = (text: string) => text.trim().replace(/^v(?=\d)/i, '')

/** By product id, as vendors write them in advisories of CISA: `<V14.3.0.6`, `<=1.2`. */
function listEnds(branches: Branch[] = [], product = ''): [string, End][] {
  return branches.flatMap((branch) => {
    const named = branch.category === 'product_name' ? branch.name : product
    const [, sign = '', text = ''] = /^(<=?)\s*([^<>|]+)$/.exec(branch.name) ?? []
    const end = withoutV(text)
    const isEnd = branch.category === 'product_version_range' && isPlain(end)
    const own: End = { name: plainName(named), end, holds_end: sign === '<=' }
    const below = listEnds(branch.branches, named)
    return isEnd && branch.product ? [[branch.product.product_id, own], ...below] : below
  })
}

function listEndsByCve({ product_tree, vulnerabilities = [] }: Advisory) {
  const ends = new Map(listEnds(product_tree?.branches))
  return vulnerabilities.flatMap(({ cve = '', product_status }) =>
    (product_status?.known_affected ?? []).flatMap((id) => {
      const end = ends.get(id)
      return end ? [{ cve, end }] : []
    }),
  )
}

function readAdvisories(place: string) {
  const folder = new URL(`csaf/cisa/${place}/white/`, realFeeds)
  const files = readdirSync(folder).filter((name) => /^\d{4}\.json\.gz$/.test(name))
  return files.flatMap((file) => JSON.parse(gunzipSync(readFileSync(new URL(file, folder))).toString()) as Advisory[])
}

/** Asks the advisories of vendors in CSAF, which are no source of products here; undefined where they do not tell of a version. */
export function readSecondSource() {
  const byCve = Map.groupBy(['OT', 'IT'].flatMap(readAdvisories).flatMap(listEndsByCve), ({ cve }) => cve)
  return (cve: string, product: string, version: string) => {
    const own = (byCve.get(cve) ?? []).filter(({ end }) => end.name === plainName(product))
    const asked = withoutV(version)
    if (!own.length || !isPlain(asked)) return undefined
    // Of several ends of a product, each is the fix of its branch.
    if (own.some(({ end: { end, holds_end } }) => !holds_end && comparePlain(asked, end) === 0)) return false
    return own.some(({ end: { end, holds_end } }) => comparePlain(asked, end) < Number(holds_end))
  }
}
