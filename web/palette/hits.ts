import { useQuery } from '@tanstack/react-query'
import { famousNames } from '../../worker/domain/names/famous'
import { productLabel, rawProduct, readableName } from '../../worker/domain/names/product'
import type { VulnRow } from '../../worker/vulns/contract'
import { productsQuery, vendorsQuery } from '../catalog/api'
import { vulnsQuery } from '../vulns/api'

export type PaletteHit = {
  kind: 'vuln' | 'vendor' | 'product'
  id: number
  label: string
  hint: string
  to: string
  monitored: boolean
}

const limit = 4
const minCharacters = 2
const maxHint = 60

export function usePaletteHits(words: string): { found: PaletteHit[]; isWaiting: boolean } {
  const silent = { enabled: words.length >= minCharacters, meta: {}, placeholderData: undefined }
  const vulns = useQuery({ ...vulnsQuery({ search: words, sorted_by: 'relevance', limit }), ...silent })
  const products = useQuery({ ...productsQuery({ search: words, limit }), ...silent })
  const vendors = useQuery({ ...vendorsQuery({ search: words, limit }), ...silent })
  const found: PaletteHit[] = [
    ...(vulns.data?.results ?? []).map(({ id, known_as, monitored, ...vuln }): PaletteHit => {
      return { kind: 'vuln', id, monitored, label: known_as, hint: describeVuln(vuln), to: `/vulns/${id}` }
    }),
    ...(products.data?.results ?? []).map(({ id, vendor, name, monitored }): PaletteHit => {
      const label = productLabel(vendor, name)
      const hint = `Product ${rawProduct(vendor, name)}`
      return { kind: 'product', id, monitored, label, hint, to: `/product/${id}` }
    }),
    ...(vendors.data?.results ?? []).map(({ id, name, monitored }): PaletteHit => {
      return { kind: 'vendor', id, monitored, label: readableName(name), hint: `Vendor ${name}`, to: `/vendor/${id}` }
    }),
  ]
  return { found, isWaiting: [vulns, products, vendors].some(({ isFetching }) => isFetching) }
}

/** By which somebody knows it again: nickname, KEV, score, the first words. */
function describeVuln({ cveid, kev, score, summary }: Pick<VulnRow, 'cveid' | 'kev' | 'score' | 'summary'>) {
  const [nickname] = famousNames(cveid)
  const words = [nickname, kev && 'KEV', score !== null && `${score}/100`, summary.slice(0, maxHint)]
  return words.filter(Boolean).join(' · ')
}
