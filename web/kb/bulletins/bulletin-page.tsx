import { Skeleton, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { BulletinDetail } from '../../../worker/kb/bulletins/contract'
import { useIdParam } from '../../lib/id-param'
import { isNotFound } from '../../lib/not-found'
import { FailedState } from '../../ui/failed-state'
import { MissingState } from '../../ui/missing-state'
import { Page } from '../../ui/page'
import { ReferencesCard } from '../../vulns/references-card'
import { BulletinAbout } from './bulletin-about'
import { BulletinCves } from './bulletin-cves'
import { BulletinNotes } from './bulletin-notes'
import { BulletinProducts } from './bulletin-products'
import { BulletinRemedies } from './bulletin-remedies'
import { WatchToggle } from '../../watchlist/watch-toggle'
import classes from './bulletin.module.css'
import { bulletinQuery } from './api'
import { ensureWithId } from '../../lib/ensure'
import type { Place } from '../../lib/ensure'

const words = ['Monitored', 'Not monitored'] as const

export const startBulletin = (place: Place) => ensureWithId(place, bulletinQuery)

export function BulletinPage() {
  const id = useIdParam()
  return id === undefined ? <NoBulletin /> : <Bulletin id={id} />
}

const NoBulletin = () => <MissingState title="Bulletin not found" to="/kb/bulletins" label="All bulletins" />

function Bulletin({ id }: { id: number }) {
  const { data: bulletin, error, refetch } = useQuery(bulletinQuery(id))

  if (isNotFound(error)) return <NoBulletin />
  return (
    <Page
      title={bulletin ? `${bulletin.publicid} ${bulletin.title}` : 'Bulletin'}
      heading={bulletin?.title ?? 'Bulletin'}
      actions={
        bulletin ? (
          <WatchToggle kind="bulletin" item={bulletin} name={bulletin.publicid} words={words} />
        ) : (
          <Skeleton height={26} width={130} radius="xl" />
        )
      }
    >
      {error && !bulletin && (
        <FailedState title="Unable to get the bulletin" error={error} onRetry={() => void refetch()} />
      )}
      {bulletin ? <Contents bulletin={bulletin} /> : !error && <Waiting />}
    </Page>
  )
}

const Contents = ({ bulletin }: { bulletin: BulletinDetail }) => (
  <div className={classes.columns}>
    <div className={classes.column}>
      <BulletinNotes bulletin={bulletin} />
      <BulletinCves bulletin={bulletin} />
      <BulletinRemedies body={bulletin.body} />
      <BulletinProducts body={bulletin.body} />
    </div>
    <div className={classes.column}>
      <BulletinAbout bulletin={bulletin} />
      <ReferencesCard references={bulletin.body.references.map(toReference)} />
    </div>
  </div>
)

const toReference = ({ summary, url }: BulletinDetail['body']['references'][number]) => ({
  url,
  tags: summary !== url && summary.length <= 60 ? [summary] : [],
})

const Waiting = () => (
  <Stack gap="md" aria-busy>
    <Skeleton height={160} />
    <Skeleton height={240} />
  </Stack>
)
