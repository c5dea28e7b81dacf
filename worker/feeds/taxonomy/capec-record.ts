import * as z from 'zod'

const Reference = z.object({ source_name: z.string(), external_id: z.string().optional() })

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
