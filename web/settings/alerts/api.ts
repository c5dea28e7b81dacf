import { mutationOptions } from '@tanstack/react-query'
import type * as z from 'zod'
import { renewWebhookKey, testEmail, type ChannelChange } from '../../../worker/alerts/channels/contract'
import {
  createRoute,
  listRoutes,
  previewRoute,
  removeRoute,
  sendSample,
  testRoute,
  updateRoute,
} from '../../../worker/alerts/receivers/contract'
import { getRota, removeRota, setRota, type RotaView } from '../../../worker/alerts/rota/contract'
import { createAlertFeed, listAlertFeeds, removeAlertFeed } from '../../../worker/atom/contract'
import { backTest, type TriedRules } from '../../../worker/alerts/ledger/backtest-contract'
import { getOrgSettings, updateOrgSettings } from '../../../worker/alerts/settings/contract'
import type { OrgSettings, OrgSettingsChange } from '../../../worker/alerts/settings/contract'
import { listInventories } from '../../../worker/inventories/contract'
import { previewNewsletter, sendNewsletterSample } from '../../../worker/newsletter/contract'
import type { AlertRule, ChannelName, RouteName } from '../../../worker/domain/alerts/alert-rules'
import { swapFor } from '../../../worker/domain/alerts/rota'
import { act, askFor, change } from '../../lib/ask'
import { call } from '../../lib/call'
import { joinEdited } from '../../lib/saving'
import { Refusal, requireAccepted, type Acceptance } from '../../lib/outcome'

export type AlertSettings = z.output<typeof OrgSettings>
type AlertChange = z.input<typeof OrgSettingsChange>
/** Addresses that stood in a form before they were changed there. */
type Listed = { listed?: string[] }

const settingsMeta = {
  success: 'Organization settings updated !',
  failure: 'Unable to update organization settings :/',
}

export const orgSettingsQuery = (org_id: number) =>
  askFor(['orgs', 'settings', org_id], getOrgSettings, { params: { org_id } }, 'Unable to get org settings profile')

export const updateOrgSettingsMutation = mutationOptions({
  mutationFn: async ({ listed, ...body }: AlertChange & Listed) => {
    const { org_id, alerts_emails: after } = body
    if (!listed || !Array.isArray(after)) return call(updateOrgSettings, { body })
    const { alerts_emails } = await call(getOrgSettings, { params: { org_id } })
    const joined = joinEdited(alerts_emails, { before: listed, after })
    return call(updateOrgSettings, { body: { ...body, alerts_emails: joined } })
  },
  onSuccess: (settings, _change, _result, { client }) =>
    client.setQueryData(orgSettingsQuery(settings.org_id).queryKey, settings),
  // The organization's time zone stands in its info, too.
  meta: { ...settingsMeta, changes: [['orgs', 'info']] },
})

export const channelsQuery = askFor(['alerts', 'channels'], listRoutes, {}, 'Unable to get the alert channels')

export const inventoryNamesQuery = askFor(
  ['inventories', 'names'],
  listInventories,
  { query: { limit: 100 } },
  'Unable to get inventories',
)

/** A failure, too, changes what is known of the channel. */
const tryOut = <Given = void>(send: (given: Given) => Promise<Acceptance>, success: string, failure: string) =>
  mutationOptions({
    mutationFn: async (given: Given) => requireAccepted(await send(given)),
    onSettled: (...[, , , , { client }]) => client.invalidateQueries({ queryKey: channelsQuery.queryKey }),
    meta: {
      success,
      failure: (error: Error) =>
        `${failure}: ${error instanceof Refusal ? error.message : 'the server did not answer'}`,
    },
  })

export const testEmailMutation = tryOut(
  () => call(testEmail),
  'Test sent. Check your mailbox !',
  'Unable to send test email',
)

export const testChannelMutation = tryOut(
  (route: RouteName) => call(testRoute, { params: { route } }),
  'Test sent.',
  'Unable to send the test',
)

export const sampleMutation = tryOut(
  ({ route, rule }: { route: RouteName; rule: AlertRule }) => call(sendSample, { params: { route }, body: { rule } }),
  'Sample sent.',
  'Unable to send the sample',
)

type Change = Listed & { channel: RouteName; change: z.input<typeof ChannelChange> }

export const updateChannelMutation = change(
  [channelsQuery.queryKey],
  async ({ channel: route, change: body, listed }: Change) => {
    const params = { route }
    if (!listed || !body.addresses) return call(updateRoute, { params, body })
    const addresses = (await call(listRoutes)).find((row) => row.channel === route)?.addresses ?? []
    const joined = joinEdited(addresses, { before: listed, after: body.addresses })
    return call(updateRoute, { params, body: { ...body, addresses: joined } })
  },
  settingsMeta,
)

export const removeChannelMutation = change(
  [channelsQuery.queryKey],
  (route: RouteName) => call(removeRoute, { params: { route } }),
  settingsMeta,
)

export const createRouteMutation = change(
  [channelsQuery.queryKey],
  (body: z.input<typeof ChannelChange> & { kind: ChannelName }) => call(createRoute, { body }),
  { success: 'Receiver added.', failure: 'Unable to add the receiver' },
)

export const previewMutation = act(
  (body: { kind: ChannelName; template?: string; rule?: AlertRule }) => call(previewRoute, { body }),
  { failure: 'Unable to show the message' },
)

export const newsletterQuery = askFor(['alerts', 'newsletter'], previewNewsletter, {}, 'Unable to make the newsletter')

export const newsletterSampleMutation = act(() => call(sendNewsletterSample), {
  success: 'Sent to your own address.',
  failure: 'Unable to send the newsletter',
})

export const renewKeyMutation = change(
  [channelsQuery.queryKey],
  (signing: 'hmac' | 'ed25519') => call(renewWebhookKey, { body: { signing } }),
  settingsMeta,
)

export const rotaQuery = (route: RouteName) =>
  askFor(['alerts', 'rotas', route], getRota, { params: { route } }, 'Unable to get the rota')

type OfRota = { route: RouteName }

const saveRota = <Given extends OfRota>(mutationFn: (given: Given) => Promise<RotaView>) =>
  mutationOptions({
    mutationFn,
    onSuccess: (saved, { route }, _result, { client }) => client.setQueryData(rotaQuery(route).queryKey, saved),
    meta: { success: 'Rota saved.', failure: 'Unable to save the rota' },
  })

export const setRotaMutation = saveRota(
  ({ route, change: body }: OfRota & { change: z.input<NonNullable<typeof setRota.body>> }) =>
    call(setRota, { params: { route }, body }),
)

/** Beside the swaps that others have made meanwhile. */
export const swapMutation = saveRota(async ({ route, span }: OfRota & { span: Parameters<typeof swapFor>[1] }) => {
  const params = { route }
  const { rota } = await call(getRota, { params })
  return call(setRota, { params, body: { swaps: swapFor(rota?.swaps ?? [], span) } })
})

export const removeRotaMutation = mutationOptions({
  mutationFn: (route: RouteName) => call(removeRota, { params: { route } }),
  onSuccess: (_reply, route, _result, { client }) => client.invalidateQueries({ queryKey: rotaQuery(route).queryKey }),
  meta: { success: 'Rota ended.', failure: 'Unable to end the rota' },
})

export const alertFeedsQuery = askFor(['alerts', 'feeds'], listAlertFeeds, {}, 'Unable to get the feeds')

export const createFeedMutation = change(
  [alertFeedsQuery.queryKey],
  (view_id: number) => call(createAlertFeed, { body: { view_id } }),
  { failure: 'Unable to make the feed' },
)

export const removeFeedMutation = change(
  [alertFeedsQuery.queryKey],
  (view_id: number) => call(removeAlertFeed, { params: { view_id } }),
  { success: 'Feed revoked.', failure: 'Unable to revoke the feed' },
)

export const backTestMutation = act((body: z.input<typeof TriedRules>) => call(backTest, { body }), {
  failure: 'Unable to test the rules',
})
