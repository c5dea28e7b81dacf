import * as z from 'zod'
import { parseCpe } from '../../domain/names/cpe'
import type { PhaseEnd, Release } from '../../domain/versions/end-of-life'
import { resolveAlias } from '../../domain/names/product-names'
import { parsePurl } from '../../domain/names/purl'
import { completeCpe } from '../../domain/query/values'

const day = z.iso.date().nullish()
const isOver = z.boolean().nullish()

const EolRelease = z
  .object({
    name: z.string().min(1).max(100),
    label: z.string().max(200).catch(''),
    isEoas: isOver,
    eoasFrom: day,
    isEol: z.boolean(),
    eolFrom: day,
    isEoes: isOver,
    eoesFrom: day,
    latest: z
      .object({ name: z.string().max(100) })
      .nullish()
      .catch(null),
  })
  .transform((one): Release => ({
    name: one.name,
    label: one.label || one.name,
    active: toEnd(one.isEoas, one.eoasFrom),
    security: toEnd(one.isEol, one.eolFrom),
    extended: toEnd(one.isEoes, one.eoesFrom),
    latest: one.latest?.name ?? null,
  }))

const toEnd = (over: boolean | null | undefined, from: string | null | undefined): PhaseEnd =>
  over === undefined || over === null ? null : (from ?? over)

type LifecycleName = ['product' | 'package', string, string]

/** Of endoflife.date, API v1: names that we know products and packages by; those of distributions (repology) only help people to find ours. */
export const EolProduct = z
  .object({
    name: z.string().min(1).max(200),
    label: z.string().min(1).max(200),
    aliases: z.array(z.string().max(200)).max(100).catch([]),
    identifiers: z.array(z.object({ type: z.string(), id: z.string().max(500) })).max(1_000),
    releases: z.array(EolRelease).max(2_000),
  })
  .transform(({ name, label, aliases, identifiers, releases }) => ({
    id: name,
    label,
    releases,
    aliases,
    words: [...aliases, ...identifiers.flatMap(({ type, id }) => (type === 'repology' ? [readRepology(id)] : []))],
    names: new Map(identifiers.flatMap(({ type, id }) => findName(type, id)).map((one) => [JSON.stringify(one), one])),
  }))

/** `php:twig` and `notepad%2B%2B`. */
const readRepology = (id: string) => id.replace(/^.*:/, '').replaceAll('%2B', '+')

function findName(type: string, id: string): LifecycleName[] {
  const purl = type === 'purl' ? parsePurl(id) : null
  // A distribution's build of a package lives as long as the distribution, not as the release upstream.
  if (purl) return ['rpm', 'deb', 'apk'].includes(purl.type) ? [] : [['package', purl.type, purl.name]]
  const cpe = type === 'cpe' ? parseCpe(completeCpe(id)) : null
  if (!cpe) return []
  const { vendor, product } = resolveAlias(cpe)
  return [['product', vendor, product]]
}
