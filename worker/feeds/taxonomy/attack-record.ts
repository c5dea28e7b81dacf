import * as z from 'zod'

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
