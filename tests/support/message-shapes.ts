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

// After adaptivecards.io/schemas/adaptive-card.json, version 1.4, and what a Teams workflow takes.
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
