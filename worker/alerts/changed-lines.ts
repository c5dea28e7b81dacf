import { describeChange } from '../domain/alerts/change'
import type { VulnChange } from '../domain/alerts/change'
import { productLabel } from '../domain/names/product'
import { purlTypes } from '../domain/names/purl'

/** What changed, each line once, with the names that people read. */
export const changedLines = (changes: VulnChange[]) => [
  ...new Set(changes.map((change) => describeChange(withReadableNames(change)))),
]

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
