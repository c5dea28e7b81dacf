import type { BulletinBody } from '../../../worker/kb/bulletins/contract'
import { formatCount, plural } from '../../lib/format'
import { OutLink } from '../../ui/app-link'
import { Card } from '../../ui/card'
import { Mark } from '../../ui/mark'
import { LongText } from '../../vulns/long-text'
import classes from './bulletin.module.css'
import { productWords } from './product-words'

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

export function BulletinRemedies({ body }: { body: BulletinBody }) {
  const { remediations, remediations_count, vulns_count } = body
  if (remediations.length === 0) return null
  const sorted = remediations.toSorted((a, b) => position(a.category) - position(b.category))
  const missing = remediations_count - remediations.length
  return (
    <Card title={`Remediations (${formatCount(remediations_count)})`}>
      <ul className={classes.remedies}>
        {sorted.map((remedy) => (
          <li key={JSON.stringify(remedy)}>
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
            {remedy.cveids.length > 0 && remedy.cveids.length < vulns_count && (
              <p className={classes.note}>
                {remedy.cveids.length <= 5
                  ? `For ${remedy.cveids.join(', ')}`
                  : `For ${plural(remedy.cveids.length, 'CVE')}`}
              </p>
            )}
            <Products words={productWords(remedy, body)} />
          </li>
        ))}
      </ul>
      {missing > 0 && <p className={classes.note}>{formatCount(missing)} more in the document.</p>}
    </Card>
  )
}

const Products = ({ words }: { words: string | null }) => words && <p className={classes.note}>{words}</p>
