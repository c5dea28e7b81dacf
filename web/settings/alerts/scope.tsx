import { MultiSelect } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import type { ComponentProps } from 'react'
import { maxChannelViews } from '../../../worker/alerts/channels/contract'
import { FailedLine } from '../../ui/failed-line'
import { viewsQuery } from '../../views/api'
import { groupsQuery } from '../../watchlist/api'
import { inventoryNamesQuery } from './api'

type ScopeValues = { groups: string[]; inventories: string[]; views: string[] }
type Props<Values> = { form: UseFormReturnType<Values> }

/** Of what a channel tells: of everything, or of some of it. */
export function ScopeFields<Values extends ScopeValues>({ form }: Props<Values>) {
  const groups = useQuery(groupsQuery)
  const inventories = useQuery(inventoryNamesQuery)
  const views = useQuery(viewsQuery())
  const shared = views.data?.filter(({ is_shared }) => is_shared)
  return (
    <>
      <Among
        label="Only these groups"
        description="Groups of monitored items."
        nothing="No groups yet"
        failed="The groups could not be loaded."
        query={groups}
        choices={groups.data?.map((label) => ({ value: label, label }))}
        {...form.getInputProps('groups')}
      />
      <Among
        label="Only these inventories"
        description="Only vulnerabilities that one of them brings."
        nothing="No inventories yet"
        failed="The inventories could not be loaded."
        query={inventories}
        choices={inventories.data?.results.map(toChoice)}
        {...form.getInputProps('inventories')}
      />
      <Among
        label="Only these views"
        description="Only vulnerabilities that a shared view of the list shows."
        nothing="No shared views yet"
        failed="The saved views could not be loaded."
        query={views}
        choices={shared?.map(toChoice)}
        maxValues={maxChannelViews}
        {...form.getInputProps('views')}
      />
    </>
  )
}

type Choice = { value: string; label: string }
const toChoice = ({ id, name }: { id: number; name: string }): Choice => ({ value: String(id), label: name })

type AmongProps = {
  label: string
  description: string
  nothing: string
  failed: string
  query: ComponentProps<typeof FailedLine>['query']
  choices: Choice[] | undefined
  value?: string[]
  maxValues?: number
}

/** A choice removed since stays in the list, so that people can take it out. */
function Among({ choices, nothing, failed, query, value = [], description, ...input }: AmongProps) {
  const known = choices?.map((choice) => choice.value) ?? []
  const gone = value
    .filter((name) => !known.includes(name))
    .map((name) => ({ value: name, label: `${name} (removed)` }))
  const data = choices ? [...choices, ...gone] : value
  return (
    <>
      <MultiSelect
        description={`${description} Leave empty for everything.`}
        data={data}
        disabled={!data.length}
        placeholder={value.length ? undefined : choices?.length === 0 ? nothing : 'All'}
        clearable
        searchable
        value={value}
        {...input}
      />
      <FailedLine text={failed} query={query} />
    </>
  )
}
