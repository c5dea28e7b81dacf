import { rows } from './org'
import { fakeOrigins, originSettings } from './origins'
import { aWorld } from './world'

export const minutes = (count: number) => new Date(Date.now() + count * 60_000)

/** A world that reads NVD, KEV and EPSS from origins that a test fills. */
export function aFeedsScene(settings: Parameters<typeof aWorld>[0] = {}) {
  const origins = fakeOrigins()
  const world = aWorld({ ...originSettings, EUKEV_URL: 'https://eukev.test/eukev.json', ...settings })

  /** The clock ticks and everything that follows from it happens. */
  async function sync(now = new Date()) {
    await world.tick(now)
    await world.drain()
  }

  const feed = async (id: string) => (await world.sql<Record<string, unknown>>`SELECT * FROM feeds WHERE id = ${id}`)[0]
  const lastRun = async (id: string) =>
    (
      await world.sql<Record<string, number>>`SELECT * FROM feed_runs WHERE feed_id = ${id}
        ORDER BY id DESC LIMIT 1`
    )[0]
  const contents = () =>
    Promise.all(
      [
        'vulns',
        'vuln_records',
        'affected',
        'vuln_products',
        'products',
        'vendors',
        'epss_scores',
        'vuln_changes',
        // How far the clock has looked for guesses to settle is no content.
        "counters WHERE name <> 'guesses_settled_to'",
      ].map((table) => rows(world.env, `SELECT * FROM ${table}`)),
    )

  const restore = () => origins.restore()

  return { origins, world, sync, feed, lastRun, contents, restore }
}
