import * as z from 'zod'

const CycloneDx = z.object({
  bomFormat: z.literal('CycloneDX'),
  metadata: z.object({ component: z.object({ name: z.string(), version: z.string().optional() }) }),
})
const Graph = z.object({ '@graph': z.array(z.looseObject({ type: z.string().optional() })) })
/** SPDX 2, and the lock file of npm. */
const Named = z.object({ name: z.string() })

/** How the document names what it is about; empty where it does not, or is packed. */
export function nameInDocument(text: string) {
  const start = text.trimStart()[0]
  if (start === '{') return nameInJson(text)
  if (start === '<') return nameInXml(text)
  return text.match(/^DocumentName:(.+)$/m)?.[1]?.trim() ?? ''
}

function nameInJson(text: string) {
  const document = parseJson(text)
  const bom = CycloneDx.safeParse(document).data?.metadata.component
  if (bom) return [bom.name, bom.version].filter(Boolean).join(' ')
  const whole = Graph.safeParse(document).data?.['@graph'].find(({ type }) => type === 'SpdxDocument')
  return Named.safeParse(whole ?? document).data?.name ?? ''
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

function nameInXml(text: string) {
  const document = new DOMParser().parseFromString(text, 'text/xml')
  const find = (field: string) => document.querySelector(`metadata > component > ${field}`)?.textContent.trim()
  return [find('name'), find('version')].filter(Boolean).join(' ')
}

/** `shop-1.0.cdx.json.gz` is the inventory shop-1.0. */
export const nameInFile = (file: string) =>
  toName(file.replace(/\.(?:gz|json|xml|txt|spdx|cdx|bom|lock|yaml)(?=\.|$)/gi, ''))

export const toName = (text: string) =>
  text
    .replace(/[/\\]/g, '-')
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .slice(0, 100)
