import type { Found } from '../../http/page'
import { VulnRow } from '../contract'

/** The page as it is or, where `fields` names some of a row's fields, with only these; names of nothing are passed over. */
export function sparse<Page extends Found<VulnRow>>(fields: string | undefined, page: Page): Page | Response {
  const names = new Set(fields?.split(',').map((name) => name.trim()))
  if (!names.size || !fields) return page
  const results = page.results.map((row) =>
    Object.fromEntries(Object.entries(VulnRow.parse(row)).filter(([name]) => names.has(name))),
  )
  return Response.json({ ...page, results })
}
