import { describeChange } from '../domain/alerts/change'
import type { VulnChange } from '../domain/alerts/change'
import { productLabel } from '../domain/names/product'
import { purlTypes } from '../domain/names/purl'
import { cisaKevName } from '../domain/words/kev-claim'

/** Changes, each event in one line, with the names that people read. */
export const changedLines = (changes: VulnChange[]) => [
  ...new Set(changes.filter(isToldAlone(changes)).map((change) => describeChange(withReadableNames(change)))),
]

/** That CISA lists it says that CISA calls it exploited, and the first claim that it is exploited in the wild. */
function isToldAlone(changes: VulnChange[]) {
  const isListed = changes.some((change) => change.field === 'kev_added_at' && change.to !== null)
  const isClaimed = isListed || changes.some((change) => change.field === 'exploited_by' && change.is_first)
  return (change: VulnChange) => {
    if (change.field === 'is_in_the_wild') return !(change.to && isClaimed)
    if (change.field !== 'exploited_by' || !isListed) return true
    const { added, removed, denied } = change
    return [...added, ...removed, ...denied].some((name) => name !== cisaKevName)
  }
}

function withReadableNames(change: VulnChange): VulnChange {
  switch (change.field) {
    case 'products':
    case 'packages':
    case 'fixes':
      return { ...change, added: change.added.map(readableItem) }
    case 'versions':
      return { ...change, products: change.products.map(readableItem) }
    default:
      return change
  }
}

/** `vendor:product 1.2` or `type:name 1.2`, as the change log has it; packages are written as their ecosystem does. */
function readableItem(text: string) {
  const [, owner = '', name = '', version = ''] = /^([^:]+):(\S+)(.*)$/.exec(text) ?? []
  if (!name) return text
  return `${purlTypes.has(owner) ? `${owner} · ${name}` : productLabel(owner, name)}${version}`
}
