import { getPath } from 'hono/utils/url'
import { createApp } from './app'
import type { Env } from './env'
import { findFeatures, loadBound } from './features'
import type { onMessages } from './jobs'

/** By the features that they hold: as many as there are kinds of paths. */
const apps = new Map<string, ReturnType<typeof createApp>>()

async function openApp(path: string) {
  const features = findFeatures(path)
  const key = features.map(({ paths }) => paths[0]).join()
  const app = apps.get(key) ?? createApp(await loadBound(features))
  apps.set(key, app)
  return app
}

export default {
  fetch: async (request: Request, env, context) => (await openApp(getPath(request))).fetch(request, env, context),
  scheduled: async (controller, env) =>
    (await import('./jobs')).onSchedule(env, controller.cron, new Date(controller.scheduledTime)),
  queue: async (batch, env) => (await import('./jobs')).onMessages(env, batch.queue, batch.messages),
} satisfies ExportedHandler<Env, Parameters<typeof onMessages>[2][number]['body']>
