import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { experimental_readRawConfig } from 'wrangler'
import { root } from '../start/options.ts'

export type Settings = { name: string; vars: Record<string, string>; customDomain?: string }

type Named = {
  queue?: string
  dead_letter_queue?: string
  database_name?: string
  bucket_name?: string
  dataset?: string
}

/** wrangler.toml for this deployment: resources carry its name, and no file of the repository is changed. */
export function writeConfig({ name, vars, customDomain }: Settings) {
  const { rawConfig } = experimental_readRawConfig({ config: join(root, 'wrangler.toml') })
  const rename = <Entry extends Named>(entries: Entry[] = []) =>
    entries.map((entry) => {
      const own = { ...entry }
      for (const key of ['queue', 'dead_letter_queue', 'database_name', 'bucket_name', 'dataset'] as const) {
        const value = own[key]
        if (value !== undefined) own[key] = value.replace(/^earshot/, name)
      }
      return own
    })
  const config = {
    ...rawConfig,
    name,
    main: resolve(root, rawConfig.main ?? ''),
    alias: Object.fromEntries(
      Object.entries<string>(rawConfig.alias ?? {}).map(([module, target]) => [
        module,
        target.startsWith('.') ? resolve(root, target) : target,
      ]),
    ),
    assets: { ...rawConfig.assets, directory: resolve(root, rawConfig.assets?.directory ?? '') },
    d1_databases: rename(rawConfig.d1_databases).map((database) => ({
      ...database,
      preview_database_id: undefined,
      migrations_dir: join(root, 'migrations'),
    })),
    r2_buckets: rename(rawConfig.r2_buckets),
    analytics_engine_datasets: rename(rawConfig.analytics_engine_datasets),
    queues: { producers: rename(rawConfig.queues?.producers), consumers: rename(rawConfig.queues?.consumers) },
    vars: { ...rawConfig.vars, ...vars },
    workers_dev: customDomain === undefined,
    ...(customDomain && { routes: [{ pattern: customDomain, custom_domain: true }] }),
  }
  const path = join(root, '.build/deploy', `${name}.json`)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, JSON.stringify(config, null, 2))
  return path
}
