import * as z from 'zod'
import { NameText } from '../domain/people/name'
import { endpoint } from '../http/endpoint'
import { Flag, IdParams } from '../http/fields'

export const maxViews = 50
const maxName = 80
const maxQuery = 4_000

const ViewName = NameText.min(1, 'Name the view').max(maxName, `The name must not be longer than ${maxName} characters`)
/** The list's address after the question mark. */
const Query = z
  .string()
  .trim()
  .max(maxQuery)
  .transform((query) => query.replace(/^\?/, ''))

export const ViewRow = z.object({
  id: z.int(),
  name: z.string(),
  query: z.string(),
  is_shared: z.boolean(),
  is_own: z.boolean(),
  /** Author. */
  owner: z.string(),
  updated_at: z.string(),
})
export type ViewRow = z.output<typeof ViewRow>

export const ViewForm = z.object({ name: ViewName, query: Query, is_shared: Flag.default(false) })

export const listViews = endpoint({
  path: '/api/views/',
  access: 'member',
  summary: 'Saved views of the list of vulnerabilities: the own ones, and those that others share in the organization',
  reply: z.array(ViewRow),
})

export const createView = endpoint({
  method: 'POST',
  path: '/api/views/',
  access: 'member',
  summary: 'Save a view of the list of vulnerabilities',
  body: ViewForm,
  status: 201,
  reply: ViewRow,
})

export const updateView = endpoint({
  method: 'PUT',
  path: '/api/views/:id/',
  access: 'member',
  summary: 'Change an own view: its name, what it shows, or whether the organization sees it',
  params: IdParams,
  body: z.object({ name: ViewName.optional(), query: Query.optional(), is_shared: Flag.optional() }),
  reply: ViewRow,
})

export const removeView = endpoint({
  method: 'DELETE',
  path: '/api/views/:id/',
  access: 'member',
  summary: 'Remove an own view',
  params: IdParams,
  reply: z.object({ status: z.literal('success') }),
})
