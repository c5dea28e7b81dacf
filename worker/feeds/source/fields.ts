import * as z from 'zod'
import type { AffectedPackage, Reference } from '../../domain/words/record'

/** Undefined where a source writes something else: one bad field drops no record. */
export const lenient = <Schema extends z.ZodType>(schema: Schema) => schema.optional().catch(undefined)

/** Undefined for what is no time. */
export const Time = lenient(z.string().refine((text) => !Number.isNaN(Date.parse(text))))

export const pickWeaknesses = (ids: string[]) => ids.filter((id) => /^CWE-\d{1,9}$/.test(id))

/** Each address once, with all of its tags. */
export function uniteReferences(references: { url: string; tags?: string[] | undefined }[]): Reference[] {
  const byUrl = new Map<string, Set<string>>()
  for (const { url, tags = [] } of references) {
    if (!/^(https?|ftp):\/\//i.test(url)) continue
    const known = byUrl.get(url) ?? new Set()
    for (const tag of tags) known.add(tag)
    byUrl.set(url, known)
  }
  return [...byUrl].map(([url, tags]) => ({ url, tags: [...tags].sort() }))
}

/** Each package once, with the ranges of all its entries. */
export function unitePackages(entries: AffectedPackage[]): AffectedPackage[] {
  const byName = new Map<string, AffectedPackage>()
  for (const { type, name, ranges } of entries) {
    const known = byName.get(`${type}:${name}`) ?? { type, name, ranges: [] }
    for (const range of ranges) known.ranges.push(range)
    byName.set(`${type}:${name}`, known)
  }
  return [...byName.values()]
}
