import * as z from 'zod'
import { RouteName } from '../../domain/alerts/alert-rules'
import { Rota } from '../../domain/alerts/rota'
import { endpoint } from '../../http/endpoint'
import { Id, listSchema, Success } from '../../http/fields'

const RotaParams = z.object({ route: RouteName })

/** As domain/alerts/rota has checked it. */
const StoredRota = z.object({
  zone: z.string(),
  starts_on: z.string(),
  hour: z.int(),
  people: z.array(z.int()),
  swaps: z.array(z.object({ user_id: z.int(), from: z.string(), to: z.string() })),
})

const RotaPerson = z.object({ id: z.int(), name: z.string() })
const RotaTurn = z.object({
  from: z.string(),
  to: z.string(),
  /** Null: nobody. */
  person: RotaPerson.nullable(),
  /** Member on duty without a swap. */
  usual: RotaPerson.nullable(),
})
export type RotaTurn = z.output<typeof RotaTurn>

export const RotaView = z.object({
  /** Null: all goes to the addresses of the receiver. */
  rota: StoredRota.nullable(),
  on_duty: RotaPerson.nullable(),
  /** The turn that runs, and those of the next four weeks. */
  turns: z.array(RotaTurn),
  /** Of the organization, and people of the rota who left it; unreachable ones are skipped. */
  members: z.array(RotaPerson.extend({ is_reachable: z.boolean() })),
  /** Receivers while nobody is on duty. */
  addresses: z.array(z.string()),
})
export type RotaView = z.output<typeof RotaView>

export const getRota = endpoint({
  path: '/api/alerts/routes/:route/rota',
  access: 'manageAlerts',
  summary: 'Members on duty for a further receiver of mails, now and in the next four weeks',
  params: RotaParams,
  reply: RotaView,
})

export const setRota = endpoint({
  method: 'PUT',
  path: '/api/alerts/routes/:route/rota',
  access: 'manageAlerts',
  summary:
    'Send the mails of a further receiver to the member on duty: members a week each, in order; omitted fields stay',
  params: RotaParams,
  body: z.strictObject({
    zone: Rota.shape.zone.optional(),
    starts_on: Rota.shape.starts_on.optional(),
    hour: z.coerce.number<number | string>().int().min(0).max(23).optional(),
    people: listSchema(Id, { min: 1, max: 50 }).optional(),
    swaps: Rota.shape.swaps.optional(),
  }),
  reply: RotaView,
})

export const removeRota = endpoint({
  method: 'DELETE',
  path: '/api/alerts/routes/:route/rota',
  access: 'manageAlerts',
  summary: 'End the rota of a receiver: its mails go to its addresses again',
  params: RotaParams,
  reply: Success,
})
