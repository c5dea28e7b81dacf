import { Group } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useAccess } from '../session/access'
import { useSession } from '../session/session'
import { settleMutation } from './api'
import { WriteButton } from '../session/write-button'

type Props = { vuln_id: number; asked_by: number | null; asked_at: string }

/** The requester may withdraw the request, and not approve it. */
export function RequestButtons({ vuln_id, asked_by, asked_at }: Props) {
  const { user } = useSession()
  const mayDecide = useAccess()('manageMetadata')
  const { isPending, mutate } = useMutation(settleMutation)
  if (!mayDecide) return null
  const isOwn = user?.id === asked_by
  const settle = (approved: boolean) => mutate({ id: vuln_id, approved, asked_at })
  return (
    <Group gap={6} mt={4}>
      {!isOwn && (
        <WriteButton size="compact-xs" loading={isPending} onClick={() => settle(true)}>
          Approve
        </WriteButton>
      )}
      <WriteButton size="compact-xs" loading={isPending} onClick={() => settle(false)}>
        {isOwn ? 'Withdraw' : 'Refuse'}
      </WriteButton>
    </Group>
  )
}
