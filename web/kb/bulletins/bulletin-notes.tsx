import type { BulletinDetail } from '../../../worker/kb/bulletins/contract'
import { Card } from '../../ui/card'
import { Fact, Facts } from '../../ui/facts'
import { LongText } from '../../vulns/long-text'
import classes from './bulletin.module.css'

type Note = BulletinDetail['body']['notes'][number]

/** Notes of a word or two, like sectors and countries, stand in one list. */
const isFact = ({ category, title, text }: Note) => category === 'other' && title !== null && text.length <= 120
const isSummary = ({ category }: Note) => category === 'summary' || category === 'description' || category === 'details'

export function BulletinNotes({ bulletin: { impact, body } }: { bulletin: BulletinDetail }) {
  const { notes } = body
  const facts = notes.filter(isFact)
  // The impact is one of them, and stands above.
  const summaries = notes.filter((note) => isSummary(note) && note.text.slice(0, 200) !== impact?.slice(0, 200))
  const others = notes.filter((note) => !isFact(note) && !isSummary(note))
  return (
    <Card title="Summary">
      <LongText text={impact ?? summaries[0]?.text ?? 'This bulletin has no summary.'} />
      {(impact ? summaries : summaries.slice(1)).map(({ title, text }) => (
        <LongText key={text} text={title ? `${title}\n${text}` : text} />
      ))}
      {facts.length > 0 && (
        <Facts>
          {facts.map(({ title, text }) => (
            <Fact key={`${title} ${text}`} label={title ?? 'Note'}>
              {text}
            </Fact>
          ))}
        </Facts>
      )}
      {others.map(({ title, text }) => (
        <details key={`${title} ${text}`} className={classes.details}>
          <summary>{title ?? 'More'}</summary>
          <p className={classes.text}>{text}</p>
        </details>
      ))}
    </Card>
  )
}
