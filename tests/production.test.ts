import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { unstable_readConfig } from 'wrangler'
import { root } from '../scripts/start/options'
import { computeCost } from './bench/cost'
import { readStartCost } from './support/start-cost'

const { scripts, cloudflare } = JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as {
  scripts: Record<string, string>
  cloudflare: { bindings: Record<string, { description: string }> }
}
const config = readFileSync(`${root}wrangler.toml`, 'utf8')
const queues = [...config.matchAll(/queues\.producers\]\]\nbinding = "\w+"\nqueue = "([\w-]+)"/g)].map(
  ([, name]) => name,
)

test('each queue gives up into a dead-letter queue that somebody reads', () => {
  expect(queues).toHaveLength(10)
  for (const queue of queues.filter((name) => !name?.endsWith('-dead'))) {
    expect(queues).toContain(`${queue}-dead`)
    expect(config).toContain(`dead_letter_queue = "${queue}-dead"`)
    expect(config).toContain(`[[queues.consumers]]\nqueue = "${queue}-dead"`)
  }
})

test('a step of a feed may use the CPU it needs, and no log of requests keeps the tokens in their paths', () => {
  expect(Number(/cpu_ms = ([\d_]+)/.exec(config)?.[1]?.replace('_', ''))).toBeGreaterThanOrEqual(30_000)
  expect(config).toContain('invocation_logs = false')
})

test('each resource, variable and secret of a deployment is described for the button that deploys, and nothing else is', () => {
  const secrets = [...readFileSync(`${root}.dev.vars.example`, 'utf8').matchAll(/^(\w+)=/gm)].map(([, name]) => name)
  expect(scripts.deploy).toMatch(/^npm audit --omit=dev && /)
  const settings = unstable_readConfig({ config: `${root}wrangler.toml` })
  const resources = [
    ...[...settings.d1_databases, ...settings.r2_buckets, ...(settings.queues.producers ?? [])].map(
      (one) => one.binding,
    ),
    ...settings.send_email.map(({ name }: { name: string }) => name),
  ]
  expect(Object.keys(cloudflare.bindings).toSorted()).toEqual(
    [...resources, ...Object.keys(settings.vars), ...secrets].toSorted(),
  )
  for (const { description } of Object.values(cloudflare.bindings)) expect(description.length).toBeGreaterThan(15)
})

const commands = Object.entries(scripts).flatMap(([name, command]) => {
  const [, file] = /(?:^|&& )node (?:--\S+ )*(\S+\.ts)( --dev)?$/.exec(command) ?? []
  return file ? [{ name, file }] : []
})

test.each(commands)(
  '$name tells how it is called, and does nothing where it was called otherwise',
  ({ name, file }) => {
    const run = (...args: string[]) => {
      const { status, stdout, stderr } = spawnSync(process.execPath, [file, ...args], { cwd: root, encoding: 'utf8' })
      return { status, text: stdout + stderr }
    }
    const usage = `npm ${name === 'start' || name === 'dev' ? 'start' : `run ${name}`} `
    expect(run('--help')).toEqual({ status: 0, text: expect.stringContaining(usage) })
    const wrong = run('--nothing')
    expect(wrong).toEqual({ status: 2, text: expect.stringMatching(/^Unknown option '--nothing'/) })
    expect(wrong.text).toContain(usage)
    expect(wrong.text).not.toContain('    at ')
  },
)

// Each bound is a fifth above what it was, but for the script, whose bound is a promise. Sizes, as a time says little of another machine.
test('a new isolate evaluates little before its first request', async () => {
  const { script, modules, evaluated } = await readStartCost()
  expect(script).toBeLessThanOrEqual(2_097_152)
  expect(modules).toBeLessThanOrEqual(171)
  expect(evaluated).toBeLessThanOrEqual(183_000)
  expect(modules).toBeGreaterThan(100)
})

test('an organization costs at most four cents a month at 10,000, and nothing makes it a tenth dearer unnoticed', () => {
  const each = (organizations: number) => computeCost(organizations).total / organizations
  expect(each(10_000)).toBeLessThanOrEqual(0.04)
  // As `npm run bench -- --only cost` wrote it down.
  expect(each(1_000)).toBeLessThan(0.0157 * 1.1)
  expect(each(10_000)).toBeLessThan(0.0396 * 1.1)
  expect(each(100_000)).toBeLessThan(0.0464 * 1.1)
})
