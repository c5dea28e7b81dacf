import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { IconEyePlus } from '@tabler/icons-react'
import { canBeAwaited } from '../../worker/domain/names/cve'
import { EmptyState } from '../ui/empty-state'
import { awaitIdMutation } from './api'

/** People may search for an id before any source has a record of it. */
export function UnknownId({ id }: { id: string }) {
  const { isPending, isSuccess, mutate } = useMutation(awaitIdMutation)
  if (!canBeAwaited(id))
    return (
      <EmptyState
        title={`${id} is not known here`}
        text="No record has this id, and its publisher is not among the sources. Its vulnerabilities may be known by their CVE ids: search for one, and monitor it before it appears."
      />
    )
  return (
    <EmptyState
      title={`${id} is not known yet`}
      text={
        isSuccess
          ? 'You will monitor it as soon as a source names it. Until then it is listed under Monitoring → Waiting.'
          : 'No source has a record of it yet. Earshot can monitor it for you as soon as one does.'
      }
    >
      {!isSuccess && (
        <Button
          size="xs"
          loading={isPending}
          leftSection={<IconEyePlus size={16} aria-hidden />}
          onClick={() => mutate(id)}
        >
          Monitor it when it appears
        </Button>
      )}
    </EmptyState>
  )
}
