import * as z from 'zod'

// From docs.slack.dev/reference/block-kit: text objects take 1 to 3,000 characters, headers 150 and only plain text, contexts 10
// elements, a unique `block_id` 255 characters; 50 blocks a message. Leaves out elements that we do not send.
const mrkdwn = z.strictObject({
  type: z.literal('mrkdwn'),
  text: z.string().min(1).max(3_000),
  verbatim: z.boolean().optional(),
})
const block_id = z.string().min(1).max(255).optional()
const heading = z.strictObject({ type: z.literal('plain_text'), text: z.string().min(1).max(150) })
const SlackBlock = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('header'), block_id, text: heading }),
  z.strictObject({ type: z.literal('context'), block_id, elements: z.array(mrkdwn).min(1).max(10) }),
  z.strictObject({ type: z.literal('section'), block_id, text: mrkdwn }),
])
const SlackMessage = z
  .strictObject({ text: z.string().min(1).max(40_000), blocks: z.array(SlackBlock).min(1).max(50) })
  .refine(({ blocks }) => isEachOnce(blocks.flatMap(({ block_id: id }) => id ?? [])), 'a block id stands twice')

const isEachOnce = (ids: string[]) => new Set(ids).size === ids.length

// From the schema of Adaptive Cards 1.4 (schemas/1.4.0/adaptive-card.json), which allows no other properties: all of a TextBlock,
// and those of containers and actions that we send. Teams documents `msteams` in addition.
const spacings = ['default', 'none', 'small', 'medium', 'large', 'extraLarge', 'padding']
/** Its words are written in any case. */
const wordAmong = (words: string[]) =>
  z.string().refine((text) => words.some((word) => word.toLowerCase() === text.toLowerCase()), 'no word of the schema')
const element = {
  id: z.string().optional(),
  height: wordAmong(['auto', 'stretch']).optional(),
  separator: z.boolean().optional(),
  spacing: wordAmong(spacings).optional(),
  isVisible: z.boolean().optional(),
}
const TextBlock = z.strictObject({
  ...element,
  type: z.literal('TextBlock'),
  text: z.string(),
  wrap: z.boolean().optional(),
  maxLines: z.number().optional(),
  isSubtle: z.boolean().optional(),
  color: wordAmong(['default', 'dark', 'light', 'accent', 'good', 'warning', 'attention']).optional(),
  fontType: wordAmong(['default', 'monospace']).optional(),
  horizontalAlignment: wordAmong(['left', 'center', 'right']).optional(),
  size: wordAmong(['default', 'small', 'medium', 'large', 'extraLarge']).optional(),
  weight: wordAmong(['default', 'lighter', 'bolder']).optional(),
})
const Container = z.strictObject({ ...element, type: z.literal('Container'), items: z.array(TextBlock) })
const OpenUrl = z.strictObject({ type: z.literal('Action.OpenUrl'), title: z.string().optional(), url: z.url() })
const Card = z
  .strictObject({
    $schema: z.literal('http://adaptivecards.io/schemas/adaptive-card.json'),
    type: z.literal('AdaptiveCard'),
    version: z.literal('1.4'),
    body: z.array(z.discriminatedUnion('type', [TextBlock, Container])).min(1),
    // Teams shows six.
    actions: z.array(OpenUrl).min(1).max(6).optional(),
    msteams: z.strictObject({ width: z.literal('Full') }),
  })
  .refine(({ body }) => isEachOnce(body.flatMap(({ id }) => id ?? [])), 'an id stands twice')
const TeamsMessage = z.strictObject({
  type: z.literal('message'),
  attachments: z
    .array(
      z.strictObject({
        contentType: z.literal('application/vnd.microsoft.card.adaptive'),
        contentUrl: z.null(),
        content: Card,
      }),
    )
    .length(1),
})
const maxTeamsBytes = 28_000

const problem = (schema: z.ZodType, message: unknown) => {
  const { error } = schema.safeParse(message)
  return error ? `invalid_blocks: ${error.issues[0]?.path.join('.')} ${error.issues[0]?.message}` : null
}

export const slackProblem = (message: unknown) => problem(SlackMessage, message)
export const adaptiveCardProblem = (message: unknown) =>
  Buffer.byteLength(JSON.stringify(message)) > maxTeamsBytes ? 'too large' : problem(TeamsMessage, message)

// From TheHive's OpenAPI document v1-5.4.3: InputCreateAlert, InputUpdateAlert, InputComment and InputQuery, with its text about
// operations, filters, sorting and pages.
const HiveObservable = z.strictObject({
  dataType: z.string().min(1).max(64),
  data: z.array(z.string().min(1)).min(1),
  tags: z.array(z.string().min(1).max(128)).max(100).optional(),
})
const HiveAlert = z.strictObject({
  type: z.string().min(1).max(32),
  source: z.string().min(1).max(32),
  sourceRef: z.string().min(1).max(128),
  title: z.string().min(1).max(512),
  description: z.string().max(1_048_576),
  severity: z.union([1, 2, 3, 4].map((level) => z.literal(level))),
  tlp: z.int().min(0).max(4),
  pap: z.int().min(0).max(3),
  tags: z.array(z.string().min(1).max(128)).max(100),
  externalLink: z.url().max(512).optional(),
  observables: z.array(HiveObservable.extend({ data: z.string().min(1) })).optional(),
})
const tagList = HiveAlert.shape.tags
const HiveUpdate = HiveAlert.pick({ title: true, description: true, severity: true })
  .partial()
  .extend({ addTags: tagList.optional(), removeTags: tagList.optional() })
const HiveComment = z.strictObject({ message: z.string().max(1_048_576) })
const HiveEquals = z.strictObject({ _eq: z.strictObject({ _field: z.string(), _value: z.string() }) })
const HiveSort = z.strictObject({
  _name: z.literal('sort'),
  _fields: z.array(z.record(z.string(), z.enum(['asc', 'desc']))).min(1),
})
const HivePage = z.strictObject({ _name: z.literal('page'), from: z.int().min(0), to: z.int().min(1) })
const HiveQuery = z.strictObject({
  query: z.union([
    z.tuple([
      z.strictObject({ _name: z.literal('listAlert') }),
      z.strictObject({ _name: z.literal('filter'), _and: z.array(HiveEquals).min(1) }),
      HivePage,
    ]),
    z.tuple([
      z.strictObject({ _name: z.literal('getAlert'), idOrName: z.string() }),
      z.strictObject({ _name: z.literal('comments') }),
      HiveSort,
      HivePage,
    ]),
    z.tuple([
      z.strictObject({ _name: z.literal('getAlert'), idOrName: z.string() }),
      z.strictObject({ _name: z.literal('observables') }),
      HivePage,
    ]),
  ]),
})
const hiveShapes = {
  alert: HiveAlert,
  update: HiveUpdate,
  comment: HiveComment,
  observable: HiveObservable,
  query: HiveQuery,
}
export const hiveProblem = (shape: keyof typeof hiveShapes, message: unknown) => problem(hiveShapes[shape], message)

// From MISP's OpenAPI document (AddEventRequest, EditEventRequest: Event, Attribute, Tag), and the categories that its describeTypes gives
// for each type in every version of 2.4: a CPE became an external analysis late.
const uuid5 = z.uuid({ version: 'v5' })
const unixSeconds = z.string().regex(/^\d{10}$/)
const categories = {
  vulnerability: ['Payload delivery', 'Payload installation', 'External analysis'],
  cpe: ['Other'],
  link: ['Antivirus detection', 'External analysis', 'Internal reference'],
  comment: ['Internal reference', 'External analysis', 'Other'],
}
const MispAttribute = z
  .strictObject({
    uuid: uuid5,
    type: z.enum(['vulnerability', 'cpe', 'link', 'comment']),
    category: z.string(),
    value: z.string().min(1).max(131_071),
    to_ids: z.boolean(),
    timestamp: unixSeconds,
    comment: z.string().max(65_535).optional(),
    deleted: z.boolean().optional(),
  })
  .refine(({ type, category }) => categories[type].includes(category), 'the type is not of this category')
const MispEvent = z.strictObject({
  uuid: uuid5,
  info: z.string().min(1).max(65_535),
  date: z.iso.date(),
  timestamp: unixSeconds,
  threat_level_id: z.enum(['1', '2', '3', '4']),
  analysis: z.enum(['0', '1', '2']),
  distribution: z.enum(['0', '1', '2', '3', '4', '5']),
  published: z.boolean(),
  Attribute: z.array(MispAttribute),
  Tag: z.array(z.strictObject({ name: z.string().min(1).max(255) })),
})
const MispEdit = MispEvent.partial().extend({ uuid: uuid5, sharing_group_id: z.string().regex(/^\d+$/).optional() })
export const mispProblem = (message: unknown, action: string) =>
  problem(z.strictObject({ Event: action === 'edit' ? MispEdit : MispEvent }), message)

// From Mattermost's pages on incoming webhooks and message attachments: a post is cut at 16,383 characters, fallback and colour are plain.
const AttachedMessage = z.strictObject({
  username: z.string().min(1).max(64),
  text: z.string().min(1).max(16_383),
  attachments: z.array(
    z.strictObject({
      fallback: z.string().min(1),
      color: z.string().regex(/^#[0-9a-f]{6}$/),
      title: z.string().min(1),
      title_link: z.url(),
      text: z.string().min(1),
    }),
  ),
})
export const attachedProblem = (message: unknown) =>
  JSON.stringify(message).length > 16_383 ? 'too large' : problem(AttachedMessage, message)

// From PagerDuty's Events API v2 (send-alert-event): a routing key has 32 characters, a dedup key up to 255, a summary up to 1,024.
const routing = { routing_key: z.string().regex(/^[0-9a-zA-Z]{32}$/), dedup_key: z.string().min(1).max(255) }
const PagerDutyEvent = z.discriminatedUnion('event_action', [
  z.strictObject({
    ...routing,
    event_action: z.literal('trigger'),
    client: z.string().optional(),
    client_url: z.url().optional(),
    links: z.array(z.strictObject({ href: z.url(), text: z.string() })).optional(),
    payload: z.strictObject({
      summary: z.string().min(1).max(1_024),
      source: z.string().min(1),
      severity: z.enum(['critical', 'error', 'warning', 'info']),
      timestamp: z.iso.datetime().optional(),
      component: z.string().optional(),
      group: z.string().optional(),
      class: z.string().optional(),
      custom_details: z.record(z.string(), z.unknown()).optional(),
    }),
  }),
  z.strictObject({ ...routing, event_action: z.enum(['acknowledge', 'resolve']), client: z.string().optional() }),
])
export const pagerDutyProblem = (message: unknown) => problem(PagerDutyEvent, message)
