import { useMutation } from '@tanstack/react-query'
import { IconEyePlus } from '@tabler/icons-react'
import { EmptyState } from '../ui/empty-state'
import { awaitMutation } from './api'
import type { WatchLine } from './watch-line'
import { WriteButton } from '../session/write-button'

/** People may search for a name before any source has it. */
export function UnknownName({ line }: { line: WatchLine }) {
  const { isPending, isSuccess, mutate } = useMutation(awaitMutation)
  const { kind, value, version, canCome } = line
  if (!canCome)
    return (
      <EmptyState
        title={`${value} is not known here`}
        text="No record has this id, and its publisher is not among the sources. Its vulnerabilities may be known by their CVE ids: search for one, and monitor it before it appears."
      />
    )
  return (
    <EmptyState
      title={`${value} is not known yet`}
      text={
        isSuccess
          ? 'You will monitor it as soon as a source names it. Until then it is listed under Monitoring → Waiting.'
          : `No source ${kind === 'vuln' ? 'has a record of' : 'names a vulnerability of'} it yet. Earshot can monitor ${version === null ? 'it' : `its version ${version}`} for you as soon as one does.`
      }
    >
      {!isSuccess && (
        <WriteButton
          size="xs"
          loading={isPending}
          leftSection={<IconEyePlus size={16} aria-hidden />}
          onClick={() => mutate(line)}
        >
          Monitor it when it appears
        </WriteButton>
      )}
    </EmptyState>
  )
}
