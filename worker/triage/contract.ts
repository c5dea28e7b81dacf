import * as z from 'zod'
import { affectedStatuses, confidences } from '../domain/versions/affected-status'
import { StatusChange, Undo } from '../decisions/decide-contract'
import { vulnStatuses } from '../domain/decisions/status'
import { vexJustifications } from '../domain/decisions/vex'
import { endpoint } from '../http/endpoint'
import { Tally, Id, IdParams, listSchema, Success } from '../http/fields'

const Status = z.enum(vulnStatuses)
const Person = z.object({ id: z.int(), name: z.string() }).nullable()

export const getStatus = endpoint({
  path: '/api/vulns/:id/status',
  access: 'member',
  summary: 'Status that the organization gave a vulnerability, as a bare string',
  params: IdParams,
  reply: Status,
})

export const statusHistory = endpoint({
  path: '/api/vulns/:id/status/history',
  access: 'member',
  summary: 'The status with who set it, and earlier ones of the last two years',
  params: IdParams,
  reply: z.object({
    status: Status,
    updated_at: z.string().nullable(),
    by: Person,
    justification: z.enum(vexJustifications).nullable(),
    note: z.string().nullable(),
    owner: z.string().nullable(),
    expires_at: z.string().nullable(),
    history: z.array(z.object({ status: Status, at: z.string(), by: Person })),
  }),
})

export const editStatus = endpoint({
  method: 'POST',
  path: '/api/vulns/:id/status/edit',
  access: 'member',
  summary: 'Set the status of a monitored vulnerability, with its reason; omitted parts of the reason go',
  params: IdParams,
  body: StatusChange,
  reply: z.object({ status: Status, undo: Undo }),
})

const maxBulk = 500

export const editStatuses = endpoint({
  method: 'POST',
  path: '/api/vulns/status/bulk',
  cost: 10,
  access: 'member',
  summary: 'Set the status of several vulnerabilities; those that are not monitored are left alone',
  body: z.object({ ids: listSchema(Id, { min: 1, max: maxBulk }), status: Status }),
  reply: z.object({ status: Status, set: z.array(z.int()), skipped: z.array(z.int()), undo: Undo }),
})

export const getOrgMetadata = endpoint({
  path: '/api/vulns/:id/orgvulnmetadata',
  access: 'member',
  summary: 'Status and comment of the organization, for older clients',
  params: IdParams,
  reply: z.object({ comment: z.string(), status: Status }),
})

const maxComment = 10_000
export const CommentText = z
  .string()
  .trim()
  .max(maxComment, `A comment must not be longer than ${maxComment} characters`)
  .refine((text) => !text.includes('\u0000'), 'A comment must not hold a NUL character')

export const Comment = z.object({
  id: z.int(),
  body: z.string(),
  author: Person,
  created_at: z.string(),
  /** When it was edited. */
  updated_at: z.string().nullable(),
  is_own: z.boolean(),
})
export type Comment = z.output<typeof Comment>

export const getComment = endpoint({
  path: '/api/vulns/:id/comment',
  access: 'member',
  summary: 'The newest comment of the organization, as a bare string',
  params: IdParams,
  reply: z.string(),
})

export const editComment = endpoint({
  method: 'POST',
  path: '/api/vulns/:id/comment/edit',
  access: 'member',
  summary: "Change the newest comment if it is the caller's own, else add one; an empty text removes it",
  params: IdParams,
  body: z.object({ comment: CommentText }),
  reply: z.object({ comment: z.string() }),
})

export const listComments = endpoint({
  path: '/api/vulns/:id/comments',
  access: 'member',
  summary: 'The discussion of the organization, oldest first',
  params: IdParams,
  reply: z.object({ count: Tally, results: z.array(Comment) }),
})

export const addComment = endpoint({
  method: 'POST',
  path: '/api/vulns/:id/comments',
  access: 'member',
  summary: 'Comment on a vulnerability',
  params: IdParams,
  body: z.object({ body: CommentText.min(1, 'Write something') }),
  status: 201,
  reply: Comment,
})

const CommentParams = z.object({ id: Id, comment_id: Id })

export const changeComment = endpoint({
  method: 'PUT',
  path: '/api/vulns/:id/comments/:comment_id',
  access: 'member',
  summary: 'Change an own comment',
  params: CommentParams,
  body: z.object({
    body: CommentText.min(1, 'Write something'),
    /** `updated_at` as it was read: another edit since then is not overwritten. */
    updated_at: z.string().nullish(),
  }),
  reply: Comment,
})

export const removeComment = endpoint({
  method: 'DELETE',
  path: '/api/vulns/:id/comments/:comment_id',
  access: 'member',
  summary: 'Delete an own comment',
  params: CommentParams,
  reply: Success,
})

export const vulnRecordList = endpoint({
  path: '/api/vulns/:id/records',
  access: 'member',
  summary: 'Records of the sources, as they are kept',
  params: IdParams,
  reply: z.array(
    z.object({
      source: z.string(),
      modified: z.string().nullable(),
      record: z.record(z.string(), z.unknown()),
    }),
  ),
})

const EpssModel = z.object({ name: z.string(), since: z.string() })

export const vulnEpss = endpoint({
  path: '/api/vulns/:id/epss',
  access: 'member',
  summary:
    'EPSS over time: its value until each day on which it changed, oldest first, the current value, the models, and LEV',
  params: IdParams,
  reply: z.object({
    now: z.number().nullable(),
    history: z.array(z.object({ until: z.string(), epss: z.number() })),
    /** Oldest first. Scores of different models are not comparable. */
    models: z.array(EpssModel),
    /** How probable it is, at least, that it was exploited between two days (NIST CSWP 41); null where no change of EPSS is stored. */
    lev: z
      .object({
        lev: z.number(),
        since: z.string(),
        to: z.string(),
        /** Models that began in between: the scores of each are multiplied as they are. */
        new_models: z.array(EpssModel),
      })
      .nullable(),
    /** The greatest of EPSS, LEV, and 1 for what is in CISA's KEV. */
    composite: z.number().nullable(),
  }),
})

const VersionQuery = z.object({
  version: z.string().trim().min(1, 'Name a version').max(200),
  product: Id.optional(),
  package: Id.optional(),
})

const VersionVerdict = z.object({
  status: z.enum(affectedStatuses),
  confidence: z.enum(confidences),
  source: z.string().nullable(),
  fixed_in: z.string().nullable(),
  /** If no source names a fix: the lowest version above that the first one does not list as affected. */
  first_unlisted: z.string().nullable(),
  /** Why it is not what ranges say by the letter, as a sentence: the record ends its range here, or speaks of another edition. */
  reason: z.string().nullable(),
  range: z.string().nullable(),
})

export const testVersion = endpoint({
  path: '/api/vulns/:id/affected',
  access: 'member',
  summary: 'Whether a version of a product or package is affected, who says so, and what fixes it',
  params: IdParams,
  query: VersionQuery.refine(
    (query) => (query.product === undefined) !== (query.package === undefined),
    'Name a product or a package',
  ),
  reply: VersionVerdict.extend({
    /** Sources that name versions say otherwise of this one. */
    is_disputed: z.boolean(),
    by: z.array(VersionVerdict.extend({ source: z.string() })),
  }),
})

export const vulnCpes = endpoint({
  path: '/api/vulns/:id/cpes',
  access: 'member',
  summary: 'The CPE names of what is affected',
  params: IdParams,
  reply: z.object({ cpes: z.array(z.string()) }),
})

export const refreshScore = endpoint({
  method: 'POST',
  alsoGet: true,
  path: '/api/vulns/:id/refresh_score',
  access: 'admin',
  summary: 'Rate a vulnerability anew',
  params: IdParams,
  reply: z.int().nullable(),
})

export const exportVuln = endpoint({
  path: '/api/vulns/:id/export/json',
  access: 'member',
  summary: 'All that is known of a vulnerability, as a file',
  params: IdParams,
  reply: z.unknown(),
})

export const maxRecipients = 10

export const sendVuln = endpoint({
  method: 'POST',
  path: '/api/vulns/:id/export/email',
  cost: 10,
  access: 'member',
  summary: 'Mail the details of a vulnerability to at most ten addresses',
  params: IdParams,
  body: z.object({ emails: z.union([z.string().max(5_000), z.array(z.string().max(320)).max(100)]) }),
  reply: Success.extend({ sent_to: z.array(z.string()) }),
})
