import type { About, CsafDocument } from './document'
import { readProducts } from './products'
import type { BulletinBody } from '../../kb/bulletins/contract'

/** Products that all groups of a document may name together, as often as they are named; hostile ones name more. */
const maxInGroups = 500_000

/** The products that a document speaks of, once each, and their places in this list. */
export type Placed = {
  products: BulletinBody['products']
  findPlaces: (ids: string[]) => number[]
  /** `count` is 0 where it is about all. */
  findAbout: (about: About) => { products: number[]; count: number }
}

// One package for five architectures is one product here.
export function placeProducts(csaf: CsafDocument): Placed {
  const listIds = newIdLister(csaf)
  const products: Placed['products'] = []
  const places = new Map<string, number>()
  const placeByKey = new Map<string, number>()
  const mentioned = new Set(csaf.vulnerabilities.flatMap((one) => listMentioned(one, listIds)))
  for (const [id, product] of readProducts(csaf)) {
    if (mentioned.size > 0 && !mentioned.has(id)) continue
    const name = JSON.stringify(product)
    const place = places.get(name) ?? products.push(product) - 1
    places.set(name, place)
    placeByKey.set(id, place)
  }
  const findPlaces = (ids: string[]) => [...new Set(ids.flatMap((id) => placeByKey.get(id) ?? []))]
  return {
    products,
    findPlaces,
    findAbout(about) {
      const ids = listIds(about)
      const found = findPlaces(ids)
      return { products: found, count: found.length || new Set(ids).size }
    },
  }
}

const listMentioned = (
  { product_status, remediations }: CsafDocument['vulnerabilities'][number],
  listIds: (about: About) => string[],
) => [...Object.values(product_status).flat(), ...remediations.flatMap(listIds)]

function newIdLister({ product_tree }: CsafDocument) {
  const groups = new Map((product_tree?.product_groups ?? []).map((one) => [one.group_id, one.product_ids]))
  let named = 0
  return ({ product_ids, group_ids }: About) => {
    const inGroups = group_ids.flatMap((id) => {
      const ids = groups.get(id) ?? []
      named += ids.length
      if (named > maxInGroups) throw new Error(`Groups name more than ${maxInGroups} products`)
      return ids
    })
    return [...product_ids, ...inGroups]
  }
}
