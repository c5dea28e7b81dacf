import type { BulletinBody } from '../../../worker/kb/bulletins/contract'
import { formatCount, plural } from '../../lib/format'
import { OutLink } from '../../ui/app-link'
import { Card } from '../../ui/card'
import { Mark } from '../../ui/mark'
import { LongText } from '../../vulns/long-text'
import classes from './bulletin.module.css'

const maxNamed = 3

type About = { products: number[]; count: number }

/** "Widget 1.0, Gadget" or "7 products"; nothing where it is about all of them. */
export function productWords({ products: places, count }: About, { products, products_count }: BulletinBody) {
  if (count === 0 || count >= products_count) return null
  const names = places.flatMap((at) => (products[at] ? `${products[at].product} ${products[at].version}`.trim() : []))
  return count <= maxNamed && names.length === count ? names.join(', ') : plural(count, 'product')
}

const kinds: Record<string, { words: string; tone: 'calm' | 'warning' | 'plain' }> = {
  vendor_fix: { words: 'Vendor fix', tone: 'calm' },
  optional_patch: { words: 'Optional patch', tone: 'calm' },
  mitigation: { words: 'Mitigation', tone: 'plain' },
  workaround: { words: 'Workaround', tone: 'plain' },
  fix_planned: { words: 'Fix planned', tone: 'warning' },
  none_available: { words: 'No fix available', tone: 'warning' },
  no_fix_planned: { words: 'No fix planned', tone: 'warning' },
}
const order = Object.keys(kinds)
const position = (category: string) => (order.indexOf(category) + order.length + 1) % (order.length + 1)

type Remedy = BulletinBody['remediations'][number]

export function BulletinRemedies({ body }: { body: BulletinBody }) {
  const { remediations, remediations_count } = body
  if (remediations.length === 0) return null
  const groups = groupByText(remediations.toSorted((a, b) => position(a.category) - position(b.category)))
  const missing = remediations_count - remediations.length
  return (
    <Card title={`Remediations (${formatCount(groups.length + missing)})`}>
      <ul className={classes.remedies}>
        {groups.map(([remedy, ...others]) => (
          <li key={textKey(remedy)}>
            <Mark tone={kinds[remedy.category]?.tone ?? 'plain'}>
              {kinds[remedy.category]?.words ?? remedy.category.replaceAll('_', ' ')}
            </Mark>
            <LongText text={remedy.details} />
            {remedy.url && (
              <p className={classes.text}>
                <OutLink href={remedy.url}>{remedy.url}</OutLink>
              </p>
            )}
            {remedy.restart && <p className={classes.note}>Restart: {remedy.restart.replaceAll('_', ' ')}</p>}
            {[remedy, ...others].flatMap((member) => {
              const words = scopeWords(member, body)
              return words
                ? [
                    <p key={words} className={classes.note}>
                      {words}
                    </p>,
                  ]
                : []
            })}
          </li>
        ))}
      </ul>
      {missing > 0 && <p className={classes.note}>{formatCount(missing)} more in the document.</p>}
    </Card>
  )
}

const textKey = ({ category, details, url, restart }: Remedy) => JSON.stringify([category, details, url, restart])

/** The same words for several products or CVEs stand once. */
function groupByText(remedies: Remedy[]) {
  const groups = new Map<string, [Remedy, ...Remedy[]]>()
  for (const remedy of remedies) {
    const group = groups.get(textKey(remedy))
    if (group) group.push(remedy)
    else groups.set(textKey(remedy), [remedy])
  }
  return [...groups.values()]
}

const namedCves = 5

/** "For CVE-2026-1, CVE-2026-2 · Widget 1.0" */
function scopeWords(remedy: Remedy, body: BulletinBody) {
  const { cveids } = remedy
  const cves = cveids.length <= namedCves ? cveids.join(', ') : plural(cveids.length, 'CVE')
  const parts = [cveids.length < body.vulns_count ? cves : '', productWords(remedy, body)].filter(Boolean)
  return parts.length ? `For ${parts.join(' · ')}` : null
}
