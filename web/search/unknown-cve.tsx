import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { IconEyePlus } from '@tabler/icons-react'
import { EmptyState } from '../ui/empty-state'
import { awaitCveMutation } from './api'

/** An id may be in the news before any source has a record of it. */
export function UnknownCve({ cveid }: { cveid: string }) {
  const { isPending, isSuccess, mutate } = useMutation(awaitCveMutation)
  return (
    <EmptyState
      title={`${cveid} is not known yet`}
      text={
        isSuccess
          ? 'You monitor it as soon as a source names it. It stands under Monitoring, among the awaited names.'
          : 'No source has a record of it. Earshot can monitor it for you from the moment that one does.'
      }
    >
      {!isSuccess && (
        <Button
          size="xs"
          loading={isPending}
          leftSection={<IconEyePlus size={16} aria-hidden />}
          onClick={() => mutate(cveid)}
        >
          Watch for it
        </Button>
      )}
    </EmptyState>
  )
}
