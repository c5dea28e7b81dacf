import { useMutation, useQuery } from '@tanstack/react-query'
import { plural } from '../lib/format'
import { useAccess } from '../session/access'
import { RemovedCard } from '../ui/removed-card'
import { removedListsQuery, restoreListMutation } from './api'

export function RemovedLists() {
  const { data: rows = [] } = useQuery(removedListsQuery)
  const mayRestore = useAccess()('manageMetadata')
  const restoring = useMutation(restoreListMutation)
  const isFree = mayRestore && !restoring.isPending
  return (
    <RemovedCard
      title="No longer monitored"
      rows={rows}
      nameOf={({ count }) => plural(count, 'item')}
      onRestore={isFree ? ({ key }) => restoring.mutate(key) : undefined}
    />
  )
}
