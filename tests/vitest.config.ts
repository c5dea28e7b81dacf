import { existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { cloudflareTest, readD1Migrations } from '@cloudflare/vitest-plugin'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vitest/config'
import { buildPublicPage } from '../web/worker-pages/build.ts'
import { startMailControl, startMailServer } from './support/mail-server.ts'
import { startOidcServer } from './support/oidc-server.ts'
import { startOpenapiJudge } from './support/openapi-judge.ts'
import { startReceivers } from './support/receivers.ts'
import { hasRealData } from './support/real-data.ts'
import { ClosingLine } from './support/reporter.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

// A real mail server beside the tests that run inside workerd.
async function mailBindings() {
  const server = await startMailServer()
  return { SMTP_URL: server.url, MAIL_CONTROL: await startMailControl(server) }
}

// And servers in the shape of those that alerts go to.
const receiverBindings = async () => ({ RECEIVERS_URL: (await startReceivers()).url })

// And one that holds answers against the OpenAPI document.
const judgeBindings = async () => ({ OPENAPI_JUDGE_URL: (await startOpenapiJudge()).url })

// And a real OpenID Connect provider, which sends back to the address of `aLocalWorld`.
const oidcBindings = async () => ({ OIDC_URL: (await startOidcServer('http://localhost/sso')).url })

// Databases that wait for no disk take a quarter less time, where memory has plenty of room.
const memory = '/dev/shm'
const room_bytes = 8e9
function hasRoom() {
  if (!existsSync(memory) || process.availableMemory() < room_bytes) return false
  const { bavail, bsize } = statfsSync(memory)
  return bavail * bsize > room_bytes
}

// Temporary files of a run go with it, whoever made them.
process.env.TMPDIR = mkdtempSync(join(hasRoom() ? memory : tmpdir(), 'earshot-tests-'))
process.once('exit', () => rmSync(process.env.TMPDIR ?? '', { recursive: true, force: true, maxRetries: 5 }))

// CI must not leave these out; a user's checkout has no such records.
const withRealData = hasRealData || process.env.CI !== undefined
if (!withRealData) console.info('skipped: tests/real-data, as there are no real records beside this checkout')

// A journey waits for more than half of its time, so that four share two cores.
const maxWorkers = 4

// Its modules name each other without their extension, which Node alone does not find.
const nodeModules = { deps: { inline: ['@pandatix/js-cvss'] } }

// For what starts a product and a browser of its own, or reads all records.
const slow = { maxWorkers, testTimeout: 120_000, hookTimeout: 180_000, expect: { poll: { timeout: 60_000 } } }

export default defineConfig({
  root,
  test: {
    reporters: ['default', new ClosingLine()],
    projects: [
      {
        root,
        test: {
          name: 'node',
          include: ['tests/*.test.ts', 'tests/domain/**/*.test.ts'],
          testTimeout: 60_000,
          isolate: false,
          server: nodeModules,
          maxWorkers,
        },
      },
      {
        root,
        plugins: [react()],
        // One file of all icons instead of six thousand, which takes each worker a fifth of the time.
        resolve: { alias: { '@tabler/icons-react': '@tabler/icons-react/dist/cjs/tabler-icons-react.cjs' } },
        test: {
          name: 'web',
          include: ['tests/web/**/*.test.{ts,tsx}'],
          environment: 'happy-dom',
          // The files share one page, which no link leaves.
          environmentOptions: {
            happyDOM: {
              settings: { navigation: { disableMainFrameNavigation: true, disableFallbackToSetURL: true } },
            },
          },
          isolate: false,
          setupFiles: ['tests/web/setup.ts'],
          maxWorkers,
        },
      },
      {
        root,
        plugins: [
          cloudflareTest(async () => ({
            wrangler: { configPath: './wrangler.toml' },
            miniflare: {
              // Empty databases, for what came before, and for a copy that is late.
              d1Databases: { UPGRADE: 'upgrade', COPY: 'copy' },
              bindings: {
                APP_SECRET: 'only-for-tests-0123456789abcdef0123456789abcdef',
                ...(await mailBindings()),
                ...(await oidcBindings()),
                ...(await receiverBindings()),
                ...(await judgeBindings()),
                PUBLIC_PAGE: await buildPublicPage(),
                TEST_MIGRATIONS: await readD1Migrations(`${root}migrations`),
                // '1': each test reads from a copy that knows no more than it must.
                LATE_COPIES: process.env.LATE_COPIES ?? '',
                // How many times as many requests as in each run.
                FUZZ_TIMES: process.env.FUZZ_TIMES ?? '1',
                FUZZ_SEED: process.env.FUZZ_SEED ?? '20261120',
              },
            },
          })),
        ],
        test: {
          name: 'worker',
          include: ['tests/worker/**/*.test.ts'],
          setupFiles: ['tests/worker/setup.ts'],
          // A busy machine takes several times as long.
          testTimeout: 30_000,
          hookTimeout: 30_000,
          isolate: false,
          // Each worker has a runtime, a mail server and a provider of its own.
          maxWorkers,
        },
      },
      {
        root,
        test: {
          name: 'e2e',
          include: ['tests/e2e/**/*.test.ts'],
          // Reading Playwright anew takes a second of each file.
          isolate: false,
          // A browser loses events on a busy machine; the report names what passed at the second try.
          retry: process.env.CI === undefined ? 0 : 1,
          ...slow,
        },
      },
      // Its two processes keep two cores busy: with one worker, it runs after all others.
      { root, test: { name: 'simulate', include: ['tests/simulate/*.test.ts'], maxWorkers: 1 } },
      ...(withRealData
        ? [
            {
              root,
              test: { name: 'real-data', include: ['tests/real-data/*.test.ts'], server: nodeModules, ...slow },
            },
          ]
        : []),
    ],
  },
})
