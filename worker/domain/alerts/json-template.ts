/** Fields that a template may name. */
export const templateFields = [
  'id',
  'alert_id',
  'cve',
  'name',
  'title',
  'headline',
  'summary',
  'severity',
  'score',
  'cvss',
  'epss',
  'kev',
  'exploits',
  'link',
  'organization',
  'rule',
  'at',
  'changes',
  'fixes',
  'concerns',
]
type TemplateField = (typeof templateFields)[number]
export type TemplateValues = Record<TemplateField, string | number | null | string[]>

const maxLength = 10_000
const maxDepth = 20
const placeholder = /\{\{([^{}]{0,60})\}\}/g
const names = new Set<string>(templateFields)
const isField = (name: string): name is TemplateField => names.has(name)

/** Fault of a template, in words; null when it can be filled. */
export function findTemplateFault(template: string) {
  if (template.length > maxLength) return `A template has at most ${maxLength.toLocaleString('en-US')} characters`
  try {
    const parsed: unknown = JSON.parse(template)
    if (parsed === null || typeof parsed !== 'object') return 'A template is a JSON object or list'
    if (isDeeper(parsed, maxDepth)) return `A template has at most ${maxDepth} levels`
  } catch (error) {
    return `This is no JSON: ${error instanceof Error ? error.message.slice(0, 200) : ''}`
  }
  const unknown = [...template.matchAll(placeholder)].map(([, name = '']) => name.trim()).find((name) => !isField(name))
  return unknown === undefined ? null : `There is no field "${unknown}". Fields: ${templateFields.join(', ')}`
}

const isDeeper = (part: unknown, levels: number): boolean =>
  part !== null &&
  typeof part === 'object' &&
  (levels === 0 || Object.values(part).some((one) => isDeeper(one, levels - 1)))

/** Fills the texts of a template that was accepted; a text that is one field alone becomes its value, as a number or a list. */
export const fillTemplate = (template: string, values: TemplateValues) => fill(JSON.parse(template), values)

function fill(part: unknown, values: TemplateValues): unknown {
  if (typeof part === 'string') return fillText(part, values)
  if (Array.isArray(part)) return part.map((item) => fill(item, values))
  if (part === null || typeof part !== 'object') return part
  return Object.fromEntries(Object.entries(part).map(([key, value]) => [key, fill(value, values)]))
}

function fillText(text: string, values: TemplateValues) {
  const alone = /^\{\{([^{}]{0,60})\}\}$/.exec(text)?.[1]?.trim()
  if (alone !== undefined && isField(alone)) return values[alone]
  return text.replace(placeholder, (_, name: string) => showValue(values, name.trim()))
}

function showValue(values: TemplateValues, name: string) {
  const value = isField(name) ? values[name] : ''
  return Array.isArray(value) ? value.join('; ') : String(value ?? '')
}
