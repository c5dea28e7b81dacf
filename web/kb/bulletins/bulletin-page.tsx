import { Skeleton, Stack } from '@mantine/core'
import { getBulletin } from '../../../worker/kb/bulletins/contract'
import type { BulletinDetail } from '../../../worker/kb/bulletins/contract'
import { askFor } from '../../lib/ask'
import { useNamedRow } from '../../lib/id-param'
import { Loaded } from '../../ui/loaded'
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
import { ensureWithId } from '../../lib/ensure'
import type { Place } from '../../lib/ensure'

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

const waiting = (
  <Stack gap="md" aria-busy>
    <Skeleton height={160} />
    <Skeleton height={240} />
  </Stack>
)
