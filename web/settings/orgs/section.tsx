import { ActionIcon, Group, Menu, Stack, Title } from '@mantine/core'
import { IconBan, IconCheck, IconDotsVertical } from '@tabler/icons-react'
import type { ComponentProps, ReactNode } from 'react'
import { EmptyState } from '../../ui/empty-state'
import { Mark } from '../../ui/mark'
import { PagedTable } from '../../ui/paged-table'
import { SearchField } from '../../ui/search-field'

type SectionProps = { title: string; actions: ReactNode; children?: ReactNode }

export const TabSection = ({ title, actions, children }: SectionProps) => (
  <Stack>
    <Group justify="space-between" gap="sm">
      <Title order={2}>{title}</Title>
      <Group w={{ base: '100%', xs: 'auto' }}>{actions}</Group>
    </Group>
    {children}
  </Stack>
)

type Filters<Sort> = { page: number; limit: number; search?: string | undefined; sorted_by: Sort }
type ListProps<Row extends object, Sort extends string> = SectionProps & {
  paging: Filters<Sort>
  onChange: (patch: Partial<Filters<Sort>>, how?: { replace: boolean }) => void
  /** By what the search looks. */
  hint: string
} & Pick<ComponentProps<typeof PagedTable<Row, Sort>>, 'found' | 'columns' | 'rowId' | 'failed'>

/** A table with its search and pages, and what follows below. */
export function ListSection<Row extends object, Sort extends string>(props: ListProps<Row, Sort>) {
  const { title, actions, paging, onChange, hint, children, ...table } = props
  const of = title.toLowerCase()
  return (
    <TabSection
      title={title}
      actions={
        <>
          <SearchField
            label={`Search ${of}`}
            value={paging.search}
            onChange={(search) => onChange({ search }, { replace: true })}
          />
          {actions}
        </>
      }
    >
      <PagedTable
        of={of}
        paging={paging}
        onChange={onChange}
        empty={<EmptyState title={`No ${of.slice(0, -1)} matches`} text={hint} />}
        {...table}
      />
      {children}
    </TabSection>
  )
}

const marks = {
  on: { tone: 'calm', icon: IconCheck, children: 'Enabled' },
  off: { tone: 'quiet', icon: IconBan, children: 'Disabled' },
} as const

export const ActiveMark = ({ isActive }: { isActive: boolean }) => <Mark {...marks[isActive ? 'on' : 'off']} />

type MenuProps = { label: string; isPending: boolean; children: ReactNode }

export const RowMenu = ({ label, isPending, children }: MenuProps) => (
  <Menu width={230}>
    <Menu.Target>
      <ActionIcon
        variant="default"
        size={24}
        aria-label={label}
        title="Actions"
        loading={isPending}
        style={{ verticalAlign: 'middle' }}
      >
        <IconDotsVertical size={16} aria-hidden />
      </ActionIcon>
    </Menu.Target>
    <Menu.Dropdown>{children}</Menu.Dropdown>
  </Menu>
)
