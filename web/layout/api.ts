import { mutationOptions, queryOptions } from '@tanstack/react-query'
import { readUrgent, urgentNews, type UrgentNews } from '../../worker/alerts/urgent/contract'
import { setOrg } from '../../worker/auth/contract'
import { syncInfo } from '../../worker/feeds/contract'
import { stopActing } from '../../worker/orgs/contract'
import { askFor, change } from '../lib/ask'
import { call, callIfChanged } from '../lib/call'
import { enterOrg, goHome } from '../session/enter-org'
import { urgentPoll_ms } from './urgent-poll'

const freshness_ms = 60_000

export const freshnessQuery = { ...askFor(['feeds', 'info'], syncInfo, {}), refetchInterval: freshness_ms }

type HeldNews = UrgentNews & { etag: string }

/** Also asked while the tab is hidden, less often: the title and notices tell what its reader does not see. */
export const urgentQuery = queryOptions({
  queryKey: ['alerts', 'urgent'],
  queryFn: async ({ client, queryKey, signal }): Promise<HeldNews> => {
    const held = client.getQueryData<HeldNews>(queryKey)
    const answer = await callIfChanged(urgentNews, { signal, etag: held?.etag ?? '' })
    return answer ? { ...answer.reply, etag: answer.etag } : { unread: 0, results: [], etag: '', ...held }
  },
  refetchInterval: () => (document.hidden ? urgentPoll_ms.hidden : urgentPoll_ms.seen),
  refetchIntervalInBackground: true,
})

export const readUrgentMutation = change(
  [['alerts', 'urgent']],
  (body: { id: number; only?: boolean }) => call(readUrgent, { body }),
  { failure: 'Unable to mark them as read' },
)

export const switchOrgMutation = mutationOptions({
  mutationFn: (id: number) => call(setOrg, { params: { id } }),
  onSuccess: async (org) => {
    await enterOrg(org)
    location.reload()
  },
  meta: { failure: 'Unable to get organisation' },
})

export const stopActingMutation = mutationOptions({
  mutationFn: async () => enterOrg(await call(stopActing, { body: {} })),
  onSuccess: goHome,
  meta: { failure: 'Unable to leave the organization' },
})
