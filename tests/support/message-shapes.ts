import { z } from 'zod'

// After Slack's reference "Blocks" and its limits.
const mrkdwn = z.strictObject({ type: z.literal('mrkdwn'), text: z.string().min(1).max(3_000) })
const SlackBlock = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('header'),
    text: z.strictObject({ type: z.literal('plain_text'), text: z.string().min(1).max(150) }),
  }),
  z.strictObject({ type: z.literal('context'), elements: z.array(mrkdwn).min(1).max(10) }),
  z.strictObject({ type: z.literal('section'), block_id: z.string().max(255).optional(), text: mrkdwn }),
])
const SlackMessage = z
  .strictObject({ text: z.string().min(1).max(40_000), blocks: z.array(SlackBlock).max(50) })
  .refine(({ blocks }) => {
    const ids = blocks.flatMap((block) => ('block_id' in block && block.block_id ? [block.block_id] : []))
    return new Set(ids).size === ids.length
  }, 'a block id stands twice')

// After adaptivecards.io/schemas/adaptive-card.json, version 1.4; `msteams` is what Teams adds to it.
const TextBlock = z.strictObject({
  type: z.literal('TextBlock'),
  text: z.string(),
  wrap: z.boolean().optional(),
  size: z.enum(['Small', 'Default', 'Medium', 'Large', 'ExtraLarge']).optional(),
  weight: z.enum(['Lighter', 'Default', 'Bolder']).optional(),
  spacing: z.enum(['None', 'Small', 'Default', 'Medium', 'Large', 'ExtraLarge', 'Padding']).optional(),
  isSubtle: z.boolean().optional(),
  separator: z.boolean().optional(),
})
const Container = z.strictObject({ type: z.literal('Container'), id: z.string(), items: z.array(TextBlock).min(1) })
const OpenUrl = z.strictObject({ type: z.literal('Action.OpenUrl'), title: z.string(), url: z.url() })
const TeamsMessage = z.strictObject({
  type: z.literal('message'),
  attachments: z
    .array(
      z.strictObject({
        contentType: z.literal('application/vnd.microsoft.card.adaptive'),
        contentUrl: z.null(),
        content: z.strictObject({
          $schema: z.literal('http://adaptivecards.io/schemas/adaptive-card.json'),
          type: z.literal('AdaptiveCard'),
          version: z.literal('1.4'),
          body: z.array(z.union([TextBlock, Container])).min(1),
          actions: z.array(OpenUrl).optional(),
          msteams: z.strictObject({ width: z.literal('Full') }),
        }),
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

// After TheHive's OpenAPI document v1-5.4.3: InputCreateAlert, InputUpdateAlert, InputComment and InputQuery, with what its text says of
// operations, filters, sorting and pages.
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
})
const HiveUpdate = HiveAlert.pick({ title: true, description: true, severity: true, tags: true }).partial()
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
  ]),
})
const hiveShapes = { alert: HiveAlert, update: HiveUpdate, comment: HiveComment, query: HiveQuery }
export const hiveProblem = (shape: keyof typeof hiveShapes, message: unknown) => problem(hiveShapes[shape], message)

// After MISP's OpenAPI document (AddEventRequest, EditEventRequest: Event, Attribute, Tag), and the categories that its describeTypes gave
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
export const mispProblem = (message: unknown) => problem(z.strictObject({ Event: MispEvent }), message)
