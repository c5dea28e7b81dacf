import * as z from 'zod'

/** SPDX 2, and the lock file of npm. */
const Named = z.object({ name: z.string() })
const CycloneDx = z.object({
  bomFormat: z.literal('CycloneDX'),
  metadata: z.object({ component: Named }),
})
const Graph = z.object({ '@graph': z.array(z.looseObject({ type: z.string().optional() })) })

/** `shop-1.2.3` and `shop 1.2.3-rc1` are shop: the next version replaces the one before it. */
const withoutVersion = (name: string) =>
  name.trim().replace(/[-_ @:]v?\d+(?:\.\d+)+(?:[-+.]?(?:alpha|beta|rc|snapshot)[-.\d]*)?$/i, '')

/** How the document names what it is about, without a version; empty where it does not, or is packed. */
export function nameInDocument(text: string) {
  const start = text.trimStart()[0]
  if (start === '{') return nameInJson(text)
  if (start === '<') return nameInXml(text)
  return withoutVersion(text.match(/^DocumentName:(.+)$/m)?.[1] ?? '')
}

function nameInJson(text: string) {
  const document = parseJson(text)
  const bom = CycloneDx.safeParse(document).data?.metadata.component
  if (bom) return bom.name
  const whole = Graph.safeParse(document).data?.['@graph'].find(({ type }) => type === 'SpdxDocument')
  return withoutVersion(Named.safeParse(whole ?? document).data?.name ?? '')
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
  return document.querySelector('metadata > component > name')?.textContent.trim() ?? ''
}

/** `shop-1.0.cdx.json.gz` is the inventory shop. */
export const nameInFile = (file: string) =>
  toName(withoutVersion(file.replace(/\.(?:gz|json|xml|txt|spdx|cdx|bom|lock|yaml)(?=\.|$)/gi, '')))

export const toName = (text: string) =>
  text
    .replace(/[/\\]/g, '-')
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .slice(0, 100)
