import '@mantine/core/styles/Progress.css'
import { Group, Menu, Progress, Skeleton, Switch, Text } from '@mantine/core'
import { IconPencil, IconTrash } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useNavigate, useParams } from 'react-router-dom'
import type { InventoryDetail } from '../../worker/inventories/contract'
import { useAccess } from '../session/access'
import { ExportMenu } from '../ui/export-menu'
import { UrlTabs } from '../ui/url-tabs'
import { PagingQuery } from '../lib/filters'
import { formatCount } from '../lib/format'
import { isNotFound } from '../lib/not-found'
import { AppLink } from '../ui/app-link'
import { Card } from '../ui/card'
import { ConfirmButton } from '../ui/confirm-dialog'
import { FailedState } from '../ui/failed-state'
import { Fact, Facts } from '../ui/facts'
import { Later } from '../ui/later'
import { MissingState } from '../ui/missing-state'
import { Page } from '../ui/page'
import { Timestamp } from '../ui/timestamp'
import { ExposureSelect } from '../watchlist/exposure-select'
import {
  exportFindingsMutation,
  exportVexMutation,
  exposeInventoryMutation,
  inventoryQuery,
  ownProductMutation,
  removeInventoryMutation,
  upgradesQuery,
} from './api'
import { ComponentTab } from './component-tab'
import { DayChart, sumBands } from './day-chart'
import { DropZone } from './drop-zone'
import { FindingTab } from './finding-tab'
import { countNotCompared, inventoryPath, KevCounts, OpenCounts } from './open-counts'
import { RenameDialog } from './name-dialogs'
import { SupportTab } from './support-tab'
import { UpgradeTab } from './upgrade-tab'
import { VexButton } from './vex-button'
import { VulnTab } from './vuln-tab'
import { type Place, ensure, filtersIn, tabIn } from '../lib/ensure'
import { WriteButton } from '../session/write-button'
import { useReadOnly } from '../session/known-org'

export function startInventory(place: Place) {
  const { name = '' } = place.params
  return Promise.all([
    ensure(inventoryQuery(name)),
    tabIn(place) ? undefined : ensure(upgradesQuery(name, filtersIn(place, PagingQuery))),
  ])
}

export function InventoryPage() {
  const { name = '' } = useParams()
  const { data: found, error, refetch } = useQuery(inventoryQuery(name))

  if (isNotFound(error))
    return (
      <MissingState
        title="Inventory not found"
        text="It may have been renamed or removed, or the link is wrong."
        to="/monitoring/inventories"
        label="All inventories"
      />
    )
  if (error && !found)
    return (
      <Page title={name}>
        <FailedState title="Unable to get the inventory" query={{ error, refetch }} />
      </Page>
    )
  return (
    <Page title={name} actions={<Actions name={name} />}>
      <About found={found} name={name} />
      <Later when={found !== undefined}>
        <UrlTabs
          tabs={[
            { key: 'fix', label: 'Fix first', content: <UpgradeTab name={name} /> },
            { key: 'findings', label: 'Findings', content: <FindingTab name={name} /> },
            { key: 'vulns', label: 'Vulnerabilities', content: <VulnTab name={name} /> },
            { key: 'components', label: 'Components', content: <ComponentTab name={name} /> },
            { key: 'support', label: 'Support', content: <SupportTab name={name} /> },
            { key: 'send', label: 'Send again', content: <DropZone name={name} /> },
          ]}
        />
      </Later>
    </Page>
  )
}

function About({ found, name }: { found: InventoryDetail | undefined; name: string }) {
  if (!found) return <Skeleton height={180} radius="md" />
  return (
    <Card title="Open findings">
      <Facts>
        <Fact label="Open">
          <AppLink to={`${inventoryPath(name)}?tab=findings`}>
            <OpenCounts inventory={found} />
          </AppLink>
        </Fact>
        <Fact label="Known to be exploited">
          <KevCounts inventory={found} />
        </Fact>
        <Fact label="Components">
          <AppLink to={`${inventoryPath(name)}?tab=components`}>{formatCount(found.components_count)}</AppLink>
        </Fact>
        <Fact label="Closed by decisions">
          <AppLink to={`${inventoryPath(name)}?tab=findings&status=closed`}>{formatCount(found.closed)}</AppLink>
        </Fact>
        <Fact label="Not compared">
          <AppLink to={`${inventoryPath(name)}?tab=components&compared=false`}>
            {formatCount(countNotCompared(found))}
          </AppLink>
          <NotCompared found={found} />
        </Fact>
        <Fact label="Publicly exposed">
          <InventoryExposure name={name} value={found.publicly_exposed} />
        </Fact>
        <Fact label="Made by you">
          <OwnProduct name={name} isOwn={found.is_own_product} />
        </Fact>
        <Fact label="Document">
          {found.format}
          {found.subject && `, ${found.subject}`}
        </Fact>
        <Fact label="Sent">
          <Timestamp at={found.updated_at} withTime />
        </Fact>
      </Facts>
      <Comparing found={found} />
      {/* Zeros would look safe where nothing could be compared. */}
      {found.days.some(sumBands) && <DayChart days={found.days} />}
    </Card>
  )
}

function InventoryExposure({ name, value }: { name: string; value: boolean | null }) {
  const { isPending, mutate } = useMutation(exposeInventoryMutation)
  return (
    <ExposureSelect
      isBare
      value={value}
      disabled={isPending}
      onChange={(publicly_exposed) => mutate({ name, publicly_exposed })}
    />
  )
}

function OwnProduct({ name, isOwn }: { name: string; isOwn: boolean }) {
  const { isPending, mutate } = useMutation(ownProductMutation)
  return (
    <>
      <Switch
        aria-label="We make this"
        checked={isOwn}
        disabled={isPending}
        {...useReadOnly()}
        onChange={({ currentTarget: { checked } }) => mutate({ name, is_own_product: checked })}
      />
      {isOwn && (
        <AppLink to="/cra" size="xs">
          CRA clocks
        </AppLink>
      )}
    </>
  )
}

/** Why, as far as there is anything. */
function NotCompared({ found }: { found: InventoryDetail }) {
  const { unmatched_count, uncompared_count } = found
  const parts = [
    unmatched_count && `${formatCount(unmatched_count)} not matched`,
    uncompared_count && `${formatCount(uncompared_count)} without a version`,
  ].filter(Boolean)
  return (
    parts.length > 0 && (
      <Text size="xs" c="dimmed">
        {parts.join(', ')}
      </Text>
    )
  )
}

function Comparing({ found: { components_count, pending_count } }: { found: InventoryDetail }) {
  if (!pending_count) return null
  const done = components_count - pending_count
  const words = `Comparing: ${formatCount(done)} of ${formatCount(components_count)} components`
  return (
    <div role="status">
      <Text size="sm" mt="sm">
        {words}. The others may be affected.
      </Text>
      <Progress value={(100 * done) / components_count} aria-label={words} mt={4} mb="sm" />
    </div>
  )
}

function Actions({ name }: { name: string }) {
  const navigate = useNavigate()
  const mayEdit = useAccess()('manageMetadata')
  const [isRenaming, setIsRenaming] = useState(false)
  const exporting = useMutation(exportFindingsMutation)
  const writing = useMutation(exportVexMutation)
  return (
    <Group>
      <VexButton name={name} />
      <ExportMenu isPending={exporting.isPending || writing.isPending}>
        <Menu.Label>Findings</Menu.Label>
        <Menu.Item onClick={() => exporting.mutate({ name, format: 'csv', by: 'finding' })}>CSV</Menu.Item>
        <Menu.Item onClick={() => exporting.mutate({ name, format: 'json', by: 'finding' })}>JSON</Menu.Item>
        <Menu.Label>Vulnerabilities</Menu.Label>
        <Menu.Item onClick={() => exporting.mutate({ name, format: 'csv', by: 'vulnerability' })}>
          Vulnerabilities as CSV
        </Menu.Item>
        <Menu.Item onClick={() => exporting.mutate({ name, format: 'json', by: 'vulnerability' })}>
          Vulnerabilities as JSON
        </Menu.Item>
        <Menu.Label>VEX</Menu.Label>
        <Menu.Item onClick={() => writing.mutate({ name, format: 'cyclonedx' })}>CycloneDX</Menu.Item>
        <Menu.Item onClick={() => writing.mutate({ name, format: 'openvex' })}>OpenVEX</Menu.Item>
        <Menu.Item onClick={() => writing.mutate({ name, format: 'csaf' })}>CSAF 2.0</Menu.Item>
      </ExportMenu>
      {mayEdit && (
        <WriteButton leftSection={<IconPencil size={16} aria-hidden />} onClick={() => setIsRenaming(true)}>
          Rename
        </WriteButton>
      )}
      {isRenaming && <RenameDialog name={name} onClose={() => setIsRenaming(false)} />}
      {mayEdit && (
        <ConfirmButton
          label="Remove"
          look={{ leftSection: <IconTrash size={16} aria-hidden /> }}
          title="Remove the inventory?"
          action="Remove"
          change={removeInventoryMutation}
          given={name}
          onDone={() => void navigate('/monitoring/inventories')}
        >
          {name} leaves with its components, findings and decisions. Vulnerabilities that you monitored only because of
          it are no longer monitored. For 30 days you can restore it from the list of inventories.
        </ConfirmButton>
      )}
    </Group>
  )
}
