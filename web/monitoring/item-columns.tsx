import { VisuallyHidden, ActionIcon, Group, Text, Tooltip } from '@mantine/core'
import type { ItemKind, ItemQuery, MonitoredItem } from '../../worker/monitoring/contract'
import { formatCount, nameVuln } from '../lib/format'
import { AppLink } from '../ui/app-link'
import type { Column } from '../ui/column'
import { KevMark } from '../ui/kev-mark'
import { ScoreBadge } from '../ui/score-badge'
import { selectColumn, type Selection } from '../ui/select-column'
import { ProductLabel } from '../ui/product-name'
import { SupportMark } from '../ui/support-mark'
import { Timestamp } from '../ui/timestamp'
import { FamousNames } from '../vulns/vuln-cells'
import { tellExposure } from '../watchlist/exposure-select'
import { Labels } from './labels'
import { itemLabel, lists } from './lists'
import classes from './monitoring.module.css'
import { IconEyeOff, IconPencil } from '@tabler/icons-react'
import { useDisclosure } from '@mantine/hooks'
import { ViewButton } from '../ui/view-button'
import { ItemDialog } from './item-dialog'
import { useRemoval } from './selected-items'
import { useReadOnly } from '../session/known-org'

type ItemColumn = Column<MonitoredItem, ItemQuery['sorted_by']>

const groupsColumn: ItemColumn = {
  label: 'Groups',
  width: 90,
  cell: ({ groups, publicly_exposed }) => (
    <>
      <Labels labels={groups} href={(label) => `/vulns?group=${encodeURIComponent(label)}`} />
      {publicly_exposed !== null && <div className={classes.date}>{tellExposure(publicly_exposed)}</div>}
    </>
  ),
}
const versionsColumn: ItemColumn = {
  label: 'Versions that you run',
  width: 150,
  cell: ({ versions, end_of_life, is_comparing }) => {
    const known = end_of_life.flatMap(({ version, support }) => (support ? [{ version, ...support }] : []))
    const others = versions.filter((version) => known.every((run) => run.version !== version))
    return (
      <>
        {known.map(({ version, release }) => (
          <Group key={version} gap={4}>
            {version} <SupportMark {...release} />
          </Group>
        ))}
        {(others.length > 0 || !versions.length) && <Labels labels={others} none="any" />}
        {others.length > 0 && <div className={classes.date}>support not known</div>}
        {is_comparing && <div className={classes.date}>comparing…</div>}
      </>
    )
  },
}
const concerningColumn = (list: ItemKind): ItemColumn => ({
  label: 'Concern you',
  width: 140,
  cell: ({ id, concerning: { count, is_exact }, open }) => (
    <>
      {count > 0 || !is_exact ? (
        <AppLink to={`/vulns?${lists[list].kind}=${id}&monitored=true`}>
          {formatCount(count, is_exact)} {count === 1 && is_exact ? 'vulnerability' : 'vulnerabilities'}
        </AppLink>
      ) : (
        'none'
      )}
      <Urgent open={open} to={`${lists[list].view}/${id}`} />
    </>
  ),
})
const newestColumn: ItemColumn = {
  label: 'Newest finding',
  width: 150,
  cell: ({ newest }) =>
    newest ? (
      <>
        <AppLink to={`/vulns/${newest.id}`}>
          <span title={newest.summary}>{nameVuln(newest.id, newest.cveid)}</span>
        </AppLink>{' '}
        {newest.kev_added_at !== null && <KevMark />}{' '}
        <span className={classes.date}>
          <Timestamp at={newest.updated_at} />
        </span>
      </>
    ) : (
      'none'
    ),
}

export function itemColumns(list: ItemKind, selection: Selection): ItemColumn[] {
  const { view, one, hasVersions } = lists[list]
  return [
    selectColumn<MonitoredItem>(selection, itemLabel),
    {
      label: one[0]?.toUpperCase() + one.slice(1),
      sort: ['name', '-name'],
      inCard: 'lead',
      cell: (item) => (
        <>
          <AppLink to={`${view}/${item.id}`} fw={600} underline="hover" style={{ overflowWrap: 'anywhere' }}>
            {list === 'products' && item.vendor !== null && <ProductLabel vendor={item.vendor} name={item.name} />}
            {list === 'vendors' && <ProductLabel name={item.name} />}
            {(list === 'packages' || list === 'vulns') && itemLabel(item)}
          </AppLink>
          {list === 'vulns' && item.newest && <AboutVuln {...item.newest} />}
        </>
      ),
    },
    groupsColumn,
    ...(hasVersions ? [versionsColumn] : []),
    ...(list === 'vulns' ? [] : [concerningColumn(list), newestColumn]),
    {
      label: list === 'vulns' ? 'Open score' : 'Worst open score',
      width: 130,
      cell: ({ id, worst, is_pending, open }) => (
        <>
          <Worst worst={worst} isPending={is_pending} />
          {list === 'vulns' && <Urgent open={open} to={`${view}/${id}`} />}
        </>
      ),
    },
    {
      label: 'Actions',
      width: 120,
      cell: (item) => <ItemActions list={list} item={item} />,
    },
  ]
}

const AboutVuln = ({ cveid, summary, kev_added_at }: NonNullable<MonitoredItem['newest']>) => (
  <>
    {' '}
    <FamousNames cveid={cveid} /> {kev_added_at !== null && <KevMark />}
    <Text size="sm" c="dimmed" lineClamp={1} title={summary}>
      {summary}
    </Text>
  </>
)

function Worst({ worst, isPending }: { worst: MonitoredItem['worst']; isPending: boolean }) {
  if (isPending) return 'counting…'
  if (!worst) return 'none'
  if (worst.id === null) return `at most ${worst.score}`
  return (
    <AppLink to={`/vulns/${worst.id}`}>
      <ScoreBadge of={worst} />
      <VisuallyHidden> of PH-{worst.id}</VisuallyHidden>
    </AppLink>
  )
}

function Urgent({ open, to }: { open: MonitoredItem['open']; to: string }) {
  const { exploited, affecting, overdue, overdue_is_exact } = open
  return (
    <>
      {exploited > 0 && (
        <AppLink to={to} size="xs" display="block">
          {formatCount(exploited)} exploited{affecting > 0 && `, ${formatCount(affecting)} surely or likely`}
        </AppLink>
      )}
      {overdue > 0 && (
        <AppLink to={to} size="xs" display="block">
          {formatCount(overdue, overdue_is_exact)} overdue
        </AppLink>
      )}
    </>
  )
}

function ItemActions({ list, item }: { list: ItemKind; item: MonitoredItem }) {
  const [isOpen, { open, close }] = useDisclosure(false)
  const { remove, isPending } = useRemoval(list)
  const { view, hasVersions } = lists[list]
  const label = itemLabel(item)
  const readOnly = useReadOnly()
  const edit = hasVersions ? `Groups and versions of ${label}` : `Groups of ${label}`
  return (
    <Group gap={4} wrap="nowrap">
      <ViewButton to={`${view}/${item.id}`} name={label} />
      <Tooltip label={edit}>
        <ActionIcon variant="subtle" color="gray" aria-label={edit} onClick={open} {...readOnly}>
          <IconPencil size={18} aria-hidden />
        </ActionIcon>
      </Tooltip>
      <Tooltip label={`Stop monitoring ${label}`}>
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={`Stop monitoring ${label}`}
          loading={isPending}
          onClick={() => remove([item])}
          {...readOnly}
        >
          <IconEyeOff size={18} aria-hidden />
        </ActionIcon>
      </Tooltip>
      {isOpen && <ItemDialog list={list} item={item} onClose={close} />}
    </Group>
  )
}
