import * as z from 'zod'

export const searchTabs = ['vulns', 'exploits', 'threats', 'advisories', 'tools'] as const
export type SearchTab = (typeof searchTabs)[number]

export const searchSizes = [10, 25, 50, 100]
const score = z.coerce.number<number | string>().int().min(0).max(100)

export const SearchFilters = z.object({
  tab: z.enum(searchTabs).default('vulns'),
  page: z.coerce.number<number | string>().int().min(1).default(1),
  limit: z.coerce.number<number | string>().int().min(1).max(100).default(10),
  score__gte: score.optional(),
  score__lte: score.optional(),
  q: z.string().trim().max(2_000).optional(),
})
export type SearchFilters = z.output<typeof SearchFilters>
export type SearchFiltersInput = z.input<typeof SearchFilters>
