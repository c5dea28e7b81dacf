import { app } from './app'
import type { Env } from './env'
import { onMessages, onSchedule } from './jobs'

export default {
  fetch: app.fetch,
  scheduled: (controller, env) => onSchedule(env, controller.cron, new Date(controller.scheduledTime)),
  queue: (batch, env) => onMessages(env, batch.queue, batch.messages),
} satisfies ExportedHandler<Env, Parameters<typeof onMessages>[2][number]['body']>
