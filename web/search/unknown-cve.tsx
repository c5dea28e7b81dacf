import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { IconEyePlus } from '@tabler/icons-react'
import { EmptyState } from '../ui/empty-state'
import { awaitCveMutation } from './api'

/** People may search for an id before any source has a record of it. */
export function UnknownCve({ cveid }: { cveid: string }) {
  const { isPending, isSuccess, mutate } = useMutation(awaitCveMutation)
  return (
    <EmptyState
      title={`${cveid} is not known yet`}
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
          onClick={() => mutate(cveid)}
        >
          Monitor it when it appears
        </Button>
      )}
    </EmptyState>
  )
}
