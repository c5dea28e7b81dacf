import type { BulletinBody } from '../../../worker/kb/bulletins/contract'
import { formatCount, plural } from '../../lib/format'
import { OutLink } from '../../ui/app-link'
import { Card } from '../../ui/card'
import { Mark } from '../../ui/mark'
import { LongText } from '../../vulns/long-text'
import classes from './bulletin.module.css'

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

export function BulletinRemedies({
  body: { remediations, products, products_count, vulns_count },
}: {
  body: BulletinBody
}) {
  if (remediations.length === 0) return null
  const sorted = remediations.toSorted((a, b) => position(a.category) - position(b.category))
  return (
    <Card title={`Remediations (${formatCount(remediations.length)})`}>
      <ul className={classes.remedies}>
        {sorted.map(({ category, details, url, cveids, products: places }) => (
          <li key={`${category} ${url} ${details}`}>
            <Mark tone={kinds[category]?.tone ?? 'plain'}>
              {kinds[category]?.words ?? category.replaceAll('_', ' ')}
            </Mark>
            <LongText text={details} />
            {url && (
              <p className={classes.text}>
                <OutLink href={url}>{url}</OutLink>
              </p>
            )}
            {cveids.length > 0 && cveids.length < vulns_count && (
              <p className={classes.note}>
                {cveids.length <= 5 ? `For ${cveids.join(', ')}` : `For ${plural(cveids.length, 'CVE')}`}
              </p>
            )}
            {places.length > 0 && places.length < products_count && (
              <p className={classes.note}>
                {places.length <= 3
                  ? `For ${places.flatMap((at) => (products[at] ? `${products[at].product} ${products[at].version}`.trim() : [])).join(', ')}`
                  : `For ${plural(places.length, 'product')}`}
              </p>
            )}
          </li>
        ))}
      </ul>
    </Card>
  )
}
