import * as z from 'zod'
import { alertRules, channelNames, RouteName } from '../../domain/alerts/alert-rules'
import { endpoint } from '../../http/endpoint'
import { Success } from '../../http/fields'
import { ChannelChange, ChannelRow, TestOutcome } from '../channels/contract'

const RouteParams = z.object({ route: RouteName })
const SavedRoute = ChannelRow.extend({ key: z.string().optional() })

export const listRoutes = endpoint({
  path: '/api/alerts/routes/',
  access: 'manageAlerts',
  summary:
    'All receivers of the organization: the first of each kind, set up or not, and the further ones by their names',
  reply: z.array(ChannelRow),
})

export const createRoute = endpoint({
  method: 'POST',
  path: '/api/alerts/routes/',
  access: 'manageAlerts',
  summary: 'Add a receiver with rules of its own; a new webhook answers its signing key, this once',
  body: ChannelChange.extend({ kind: z.enum(channelNames) }),
  status: 201,
  reply: SavedRoute,
})

export const updateRoute = endpoint({
  method: 'PUT',
  path: '/api/alerts/routes/:route/',
  access: 'manageAlerts',
  summary: 'Change where a route leads, what it tells of, and when',
  params: RouteParams,
  body: ChannelChange,
  reply: SavedRoute,
})

export const removeRoute = endpoint({
  method: 'DELETE',
  path: '/api/alerts/routes/:route/',
  access: 'manageAlerts',
  summary: 'Remove a route; of the first of its kind only the address and the keys, as its rules are settings',
  params: RouteParams,
  reply: Success,
})

export const testRoute = endpoint({
  method: 'POST',
  path: '/api/alerts/routes/:route/test',
  access: 'manageAlerts',
  asksFirst: true,
  summary: 'Send a test by a route; one that was switched off is on again when it is taken',
  cost: 5,
  params: RouteParams,
  reply: TestOutcome,
})

export const sendSample = endpoint({
  method: 'POST',
  path: '/api/alerts/routes/:route/sample',
  access: 'manageAlerts',
  summary: "Send by a route how an alert of a kind looks, of the organization's own data and marked as a sample",
  cost: 5,
  params: RouteParams,
  body: z.object({ rule: z.enum(alertRules) }),
  reply: TestOutcome,
})

const RoutePreview = z.object({
  /** Of which alert; null where it is invented. */
  alert_id: z.int().nullable(),
  vuln: z.object({ id: z.int(), name: z.string() }),
  /** Nothing of the kind happened yet: it is told of what is monitored, as if it had. */
  is_invented: z.boolean(),
  /** Of a mail. */
  subject: z.string().nullable(),
  /** The message: JSON, or the plain text of a mail. */
  text: z.string(),
})

export const previewRoute = endpoint({
  method: 'POST',
  path: '/api/alerts/routes/preview',
  access: 'manageAlerts',
  summary:
    "The message that a kind of receiver would be sent of the organization's newest alert, or of a sample before it has one; a template is tried before it is saved",
  cost: 5,
  body: z.object({
    kind: z.enum(channelNames),
    template: z.string().max(10_000).optional(),
    /** The kind of alert; without one, that of the newest. */
    rule: z.enum(alertRules).optional(),
  }),
  reply: RoutePreview,
})
