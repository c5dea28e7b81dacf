import * as z from 'zod'
import type { CvssMetric, Ssvc } from '../../domain/words/record'
import type { Cve5Container } from './schema'
import { lenient } from '../source/fields'

type Metrics = NonNullable<Cve5Container['metrics']>
type CvssKey = 'cvssV2_0' | 'cvssV3_0' | 'cvssV3_1' | 'cvssV4_0'

/** The CNA's CVSS, else an ADP's, of 3.x the newer; CISA's SSVC. `by` is who gave the CVSS. */
export function readMetrics(cna: Cve5Container, adp: Cve5Container[], assigner = 'CNA') {
  const containers = [
    { by: assigner, metrics: cna.metrics ?? [] },
    ...adp.map(({ providerMetadata, title, metrics = [] }) => ({
      by: providerMetadata?.shortName ?? title ?? 'ADP',
      metrics,
    })),
  ]
  const cvss = best(containers, ['cvssV2_0'])
  const cvss3 = best(containers, ['cvssV3_1', 'cvssV3_0'])
  const cvss4 = best(containers, ['cvssV4_0'])
  // CISA's statement on exploitation counts before the CNA's.
  const ssvc = readSsvc([...adp, cna].flatMap(({ metrics = [] }) => metrics))
  return {
    ...(cvss && { cvss }),
    ...(cvss3 && { cvss3 }),
    ...(cvss4 && { cvss4 }),
    ...(ssvc && { ssvc }),
  }
}

function best(containers: { by: string; metrics: Metrics }[], keys: CvssKey[]): CvssMetric | undefined {
  for (const { by, metrics } of containers)
    for (const key of keys)
      for (const metric of metrics) {
        const cvss = metric[key]
        if (cvss) return { score: cvss.baseScore, vector: cvss.vectorString, by }
      }
  return undefined
}

const findContent = (metrics: Metrics, type: string) =>
  metrics.find(({ other }) => other?.type === type)?.other?.content

const word = z.string().transform((text) => text.toLowerCase())
const Decisions = z.object({
  options: z.array(
    z.object({
      Exploitation: lenient(word.pipe(z.enum(['none', 'poc', 'active']))),
      Automatable: lenient(word.pipe(z.enum(['yes', 'no']))),
      'Technical Impact': lenient(word.pipe(z.enum(['partial', 'total']))),
    }),
  ),
})

function readSsvc(metrics: Metrics): Ssvc | undefined {
  const decisions = Decisions.safeParse(findContent(metrics, 'ssvc'))
  if (!decisions.success) return undefined
  const { options } = decisions.data
  const automatable = options.find((one) => one.Automatable)?.Automatable
  return {
    exploitation: options.find((one) => one.Exploitation)?.Exploitation ?? null,
    automatable: automatable === undefined ? null : automatable === 'yes',
    technical_impact: options.find((one) => one['Technical Impact'])?.['Technical Impact'] ?? null,
  }
}
