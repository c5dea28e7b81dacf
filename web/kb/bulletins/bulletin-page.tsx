import { Skeleton, Stack } from '@mantine/core'
import { getBulletin, type BulletinDetail } from '../../../worker/kb/bulletins/contract'
import { askFor } from '../../lib/ask'
import { useNamedRow } from '../../lib/id-param'
import { Loaded } from '../../ui/loaded'
import { MissingState } from '../../ui/missing-state'
import { Page } from '../../ui/page'
import { ReferencesCard } from '../../vulns/references-card'
import { BulletinCves } from './bulletin-cves'
import { BulletinProducts } from './bulletin-products'
import { BulletinRemedies } from './bulletin-remedies'
import { WatchToggle } from '../../watchlist/watch-toggle'
import layout from '../../vulns/vuln-detail.module.css'
import classes from './bulletin.module.css'
import { ensureWithId, type Place } from '../../lib/ensure'
import { AppLink, OutLink } from '../../ui/app-link'
import { Card } from '../../ui/card'
import { Fact, Facts } from '../../ui/facts'
import { Timestamp } from '../../ui/timestamp'
import { BulletinSeverity } from './bulletin-columns'
import { LongText } from '../../vulns/long-text'

const bulletinQuery = (id: number) => askFor(['bulletins', 'detail', id], getBulletin, { params: { id } })

export const startBulletin = (place: Place) => ensureWithId(place, bulletinQuery)

export function BulletinPage() {
  const { found, isMissing } = useNamedRow(bulletinQuery)
  const { data: bulletin } = found
  if (isMissing) return <MissingState title="Bulletin not found" to="/kb/bulletins" label="All bulletins" />
  return (
    <Page
      title={bulletin ? `${bulletin.publicid} ${bulletin.title}` : 'Bulletin'}
      heading={bulletin?.title ?? 'Bulletin'}
      actions={
        bulletin ? (
          <WatchToggle kind="bulletin" item={bulletin} name={bulletin.publicid} inWords />
        ) : (
          <Skeleton height={26} width={130} radius="xl" />
        )
      }
    >
      <Loaded query={found} failed="Unable to get the bulletin" waiting={waiting}>
        {(loaded) => <Contents bulletin={loaded} />}
      </Loaded>
    </Page>
  )
}

const Contents = ({ bulletin }: { bulletin: BulletinDetail }) => (
  <div className={layout.columns}>
    <div className={layout.column}>
      <BulletinNotes bulletin={bulletin} />
      <BulletinCves bulletin={bulletin} />
      <BulletinRemedies body={bulletin.body} />
      <BulletinProducts body={bulletin.body} />
    </div>
    <div className={layout.column}>
      <BulletinAbout bulletin={bulletin} />
      <ReferencesCard references={bulletin.body.references.map(toReference)} />
    </div>
  </div>
)

const toReference = ({ summary, url }: BulletinDetail['body']['references'][number]) => ({
  url,
  tags: summary !== url && summary.length <= 60 ? [summary] : [],
})

const waiting = (
  <Stack gap="md" aria-busy>
    <Skeleton height={160} />
    <Skeleton height={240} />
  </Stack>
)

const categories: Record<string, string> = {
  csaf_security_advisory: 'Security advisory',
  csaf_vex: 'VEX',
  csaf_informational_advisory: 'Informational advisory',
  csaf_security_incident_response: 'Security incident response',
}

function BulletinAbout({ bulletin }: { bulletin: BulletinDetail }) {
  const { publicid, vendor, severity, published, modified, link, body } = bulletin
  return (
    <Card title="Bulletin">
      <Facts>
        <Fact label="ID">{publicid}</Fact>
        <Fact label="Vendor">
          <AppLink to={`/kb/bulletins?${new URLSearchParams({ vendor })}`}>{vendor}</AppLink>
        </Fact>
        <Fact label="Severity">
          <BulletinSeverity severity={severity} />
        </Fact>
        <Fact label="Published">
          <Timestamp at={published} />
        </Fact>
        <Fact label="Modified">
          <Timestamp at={modified} />
        </Fact>
        <Fact label="Kind">{categories[body.category] ?? body.category}</Fact>
        <Fact label="Publisher">{body.publisher}</Fact>
        <Fact label="Version">
          {body.version} ({body.status})
        </Fact>
        <Fact label="Source">
          <OutLink href={link}>Open it at the publisher</OutLink>
        </Fact>
        {body.acknowledgments.length > 0 && <Fact label="Thanks to">{body.acknowledgments.join('; ')}</Fact>}
      </Facts>
    </Card>
  )
}

type Note = BulletinDetail['body']['notes'][number]

/** Notes of a word or two, like sectors and countries, stand in one list. */
const isFact = ({ category, title, text }: Note) => category === 'other' && title !== null && text.length <= 120
const isSummary = ({ category }: Note) => category === 'summary' || category === 'description' || category === 'details'

function BulletinNotes({ bulletin: { impact, body } }: { bulletin: BulletinDetail }) {
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
