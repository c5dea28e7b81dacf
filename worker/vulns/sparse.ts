import type { Db } from '../db/open'
import { jsonResponse } from '../http/json'
import type { Found } from '../http/page'
import { VulnRow } from './contract'
import { VulnDetail } from './detail/contract'
import { findDetails } from './detail/find-details'

type Request = { org_id: number; now: Date; fields: string | undefined }

/** Keeps only the named `fields`, of the row or of the detail; ignores unknown names. */
export async function sparse<Page extends Found<VulnRow>>(
  db: Db,
  { org_id, now, fields }: Request,
  page: Page,
): Promise<Page | Response> {
  const names = new Set(fields?.split(',').map((name) => name.trim()))
  if (!names.size || !fields) return page
  const wantsMore = [...names].some((name) => !(name in VulnRow.shape) && name in VulnDetail.shape)
  const ids = page.results.map(({ id }) => id)
  const details = wantsMore ? await findDetails(db, org_id, ids, now) : new Map<number, VulnDetail>()
  const results = page.results.map((row) => {
    const detail = details.get(row.id)
    const whole = detail ? VulnDetail.parse(detail) : VulnRow.parse(row)
    return Object.fromEntries(Object.entries(whole).filter(([name]) => names.has(name)))
  })
  return jsonResponse({ ...page, results })
}
