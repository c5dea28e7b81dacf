import { Title } from '@mantine/core'
import { getPackage } from '../../../worker/packages/contract'
import { askFor } from '../../lib/ask'
import { ensureWithId, type Place } from '../../lib/ensure'
import { formatCount } from '../../lib/format'
import { AppLink } from '../../ui/app-link'
import { Fact, Facts } from '../../ui/facts'
import { Later } from '../../ui/later'
import { Timestamp } from '../../ui/timestamp'
import { CatalogPage } from '../catalog-page'
import { PackageType } from './package-type'
import { LookAlikes, PackageVulns } from './package-vulns'
import classes from './package.module.css'

const packageQuery = (id: number) =>
  askFor(['packages', 'detail', id], getPackage, { params: { id } }, 'Unable to get package details')

export const startPackage = (place: Place) => ensureWithId(place, packageQuery)

export const PackagePage = () => (
  <CatalogPage
    kind="package"
    title="Package"
    query={packageQuery}
    failed="Unable to get package details"
    watchedAs={({ type, name }) => `${type} ${name}`}
    renderDetails={(id, found) => (
      <>
        <Facts>
          <Fact label="Type" width={60}>
            {found && <PackageType type={found.type} />}
          </Fact>
          <Fact label="Name" width={160}>
            {found && <span className={classes.name}>{found.name}</span>}
          </Fact>
          <Fact label="purl" width={200}>
            {found && <code className={classes.name}>{found.purl}</code>}
          </Fact>
          <Fact label="Vulnerabilities" width={48}>
            {found && <AppLink to={`/vulns?package=${id}`}>{formatCount(found.vulns_cnt)}</AppLink>}
          </Fact>
          <Fact label="Last update" width={80}>
            {found && <Timestamp at={found.updated_at} />}
          </Fact>
        </Facts>
        <Later when={found !== undefined}>
          {found && <LookAlikes found={found} />}
          <Title order={2}>Is a version affected?</Title>
          <PackageVulns id={id} found={found} />
        </Later>
      </>
    )}
  />
)
