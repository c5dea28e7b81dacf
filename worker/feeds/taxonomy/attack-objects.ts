import * as z from 'zod'
import { jsonElements } from '../read/json-elements'
import { jsonIn, readRecord, type Skip } from '../source/read-records'

export async function readAttackPatterns<Pattern>(body: ReadableStream<Uint8Array>, schema: z.ZodType<Pattern>) {
  const patterns: Pattern[] = []
  const skipped: Skip[] = []
  for await (const text of jsonElements(body, 'objects')) {
    // Saves parsing the other objects.
    if (!text.includes('"attack-pattern"') || isOther(text)) continue
    const one = readRecord(text, schema, (pattern) => pattern, { id: idIn(text) })
    if ('record' in one) patterns.push(one.record)
    else skipped.push({ ...one.skip, reason: one.skip.reason.replace(/^: /, '') })
  }
  return { patterns, skipped }
}

function isOther(text: string) {
  const json = jsonIn(text)
  return json !== undefined && z.object({ type: z.string() }).safeParse(json).data?.type !== 'attack-pattern'
}

const idIn = (text: string) => /"(CAPEC-\d+|T\d{4}(\.\d{3})?)"/.exec(text)?.[1] ?? text.slice(0, 60)

const Reference = z.object({ source_name: z.string(), external_id: z.string().optional(), url: z.string().optional() })

/** MITRE calls a domain `enterprise-attack`, we call it `enterprise`. */
const parseDomain = (name: string) => name.replace(/-attack$/, '')

export const AttackTechnique = z
  .object({
    name: z.string().min(1),
    description: z.string().default(''),
    external_references: z.array(Reference),
    revoked: z.boolean().optional(),
    x_mitre_deprecated: z.boolean().optional(),
    x_mitre_domains: z.array(z.string()).default([]),
  })
  .transform((technique, context) => {
    // The source is mitre-attack, and mitre-mobile-attack or mitre-ics-attack in older objects.
    const own = technique.external_references.find(
      ({ source_name, external_id = '' }) => /^mitre-(\w+-)?attack$/.test(source_name) && idPattern.test(external_id),
    )
    if (!own?.external_id) {
      context.addIssue({ code: 'custom', message: 'names no ATT&CK id' })
      return z.NEVER
    }
    return {
      external_id: own.external_id,
      name: technique.name,
      url: own.url ?? `https://attack.mitre.org/techniques/${own.external_id.replace('.', '/')}`,
      description: attackText(technique.description),
      is_shown: !technique.revoked && !technique.x_mitre_deprecated,
      domains: technique.x_mitre_domains.map(parseDomain),
    }
  })
export type AttackTechnique = z.output<typeof AttackTechnique>

const idPattern = /^T\d{4}(\.\d{3})?$/

/** ATT&CK's Markdown as plain text: without citations, links as their words. */
const attackText = (markdown: string) =>
  markdown
    .replace(/\s*\(Citation:[^)]*\)/g, '')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/<\/?(code|br|p|b|i|em|strong)\s*\/?>/gi, '')
    .replace(/[ \t]+/g, ' ')
    .replace(/\s*\n\s*/g, '\n')
    .trim()

export const CapecPattern = z
  .object({
    name: z.string().min(1),
    description: z.string().default(''),
    external_references: z.array(Reference),
    revoked: z.boolean().optional(),
    x_capec_status: z.string().optional(),
    x_capec_likelihood_of_attack: z.string().optional(),
    x_capec_typical_severity: z.string().optional(),
  })
  .transform((pattern, context) => {
    const findIds = (source: string, id: RegExp) =>
      pattern.external_references.flatMap(({ source_name, external_id = '' }) =>
        source_name === source ? (id.exec(external_id)?.[1] ?? []) : [],
      )
    const [id] = findIds('capec', /^CAPEC-(\d+)$/)
    if (id === undefined) {
      context.addIssue({ code: 'custom', message: 'names no CAPEC id' })
      return z.NEVER
    }
    return {
      id: Number(id),
      name: pattern.name,
      description: pattern.description,
      likelihood: pattern.x_capec_likelihood_of_attack ?? null,
      severity: pattern.x_capec_typical_severity ?? null,
      is_shown: !pattern.revoked && pattern.x_capec_status !== 'Deprecated',
      cwe_ids: [...new Set(findIds('cwe', /^CWE-(\d+)$/).map(Number))],
      technique_ids: [...new Set(findIds('ATTACK', /^(T\d{4}(?:\.\d{3})?)$/))],
    }
  })
