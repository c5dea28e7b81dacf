import { applyD1Migrations, reset } from 'cloudflare:test'
import type { D1Migration } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { beforeEach } from 'vitest'

const { DB, TEST_MIGRATIONS } = env as unknown as { DB: D1Database; TEST_MIGRATIONS: D1Migration[] }

// The files share one runtime, because starting it costs a second; each test begins with an empty, migrated database.
beforeEach(async () => {
  // A database that slept is not reset: wake it first.
  await DB.prepare('SELECT 1').run()
  await reset()
  await applyD1Migrations(DB, TEST_MIGRATIONS)
})
