import { randomUUID } from 'node:crypto'
import * as z from 'zod'
import type { Runtime } from './runtime.ts'
import { Binding, currentVersion, missing, readNamed, type AccountState, type ApiRoute, type Script } from './state.ts'

/** Uploads of Workers and their files, versions and which of them runs, secrets and the clock. */
export const workerRoutes = (state: AccountState, runtime: Runtime): ApiRoute[] => [
  [
    'GET',
    /^\/workers\/subdomain$/,
    () => {
      if (!state.subdomain) throw missing(10_007, 'An address')
      return { subdomain: state.subdomain }
    },
  ],
  [
    'PUT',
    /^\/workers\/subdomain$/,
    async ({ request }) => ({ subdomain: (state.subdomain = await readNamed(request, 'subdomain')) }),
  ],
  [
    'GET',
    /^\/workers\/services\/([^/]+)$/,
    ({ parts: [name = ''] }) => {
      if (!state.scripts.has(name)) throw missing(10_090, `Service ${name}`)
      const script = { last_deployed_from: 'wrangler', tag: 'tag', tags: [] }
      return { default_environment: { environment: 'production', script } }
    },
  ],
  [
    'GET',
    /^\/workers\/scripts\/([^/]+)\/settings$/,
    ({ parts: [name] }) => ({ bindings: currentVersion(findScript(state, name))?.bindings.map(withoutSecret) }),
  ],
  ['PATCH', /^\/workers\/scripts\/([^/]+)\/(?:script-)?settings$/, () => ({})],
  [
    'GET',
    /^\/workers\/scripts\/([^/]+)\/secrets$/,
    ({ parts: [name] }) =>
      currentVersion(findScript(state, name))
        ?.bindings.filter(({ type }) => type === 'secret_text')
        .map(withoutSecret),
  ],
  ['POST', /^\/workers\/scripts\/([^/]+)\/assets-upload-session$/, ({ request }) => openUpload(state, request)],
  ['POST', /^\/workers\/assets\/upload$/, ({ request }) => takeFiles(state, request)],
  [
    'PUT',
    /^\/workers\/scripts\/([^/]+)$/,
    async ({ parts: [name = ''], request }) => {
      const id = await addVersion(state, name, await request.formData())
      deployVersion(state, runtime, { name, id })
      return { deployment_id: id.replaceAll('-', '') }
    },
  ],
  [
    'POST',
    /^\/workers\/scripts\/([^/]+)\/versions$/,
    async ({ parts: [name = ''], request }) => ({
      id: await addVersion(state, name, await request.formData()),
      resources: { script: { etag: 'e' } },
    }),
  ],
  ['GET', /^\/workers\/scripts\/([^/]+)\/versions\/([^/]+)$/, ({ parts: [, id] }) => describeVersion(id)],
  [
    'GET',
    /^\/workers\/scripts\/([^/]+)\/deployments$/,
    ({ parts: [name] }) => listDeployments(findScript(state, name)),
  ],
  [
    'POST',
    /^\/workers\/scripts\/([^/]+)\/deployments$/,
    async ({ parts: [name = ''], request }) => {
      const Wanted = z.object({ versions: z.array(z.object({ version_id: z.string() })).length(1) })
      for (const { version_id: id } of Wanted.parse(await request.json()).versions)
        deployVersion(state, runtime, { name, id })
      return { id: randomUUID() }
    },
  ],
  ['GET', /^\/workers\/scripts\/([^/]+)\/subdomain$/, () => ({ enabled: false, previews_enabled: false })],
  ['POST', /^\/workers\/scripts\/([^/]+)\/subdomain$/, () => ({ enabled: true, previews_enabled: true })],
  [
    'POST',
    /^\/workers\/scripts\/([^/]+)\/domains\/changeset$/,
    () => ({ added: [], removed: [], updated: [], conflicting: [] }),
  ],
  [
    'PUT',
    /^\/workers\/scripts\/([^/]+)\/domains\/records$/,
    async ({ parts: [name], request }) => {
      const { origins } = z.object({ origins: z.array(z.object({ hostname: z.string() })) }).parse(await request.json())
      findScript(state, name).domains = origins.map(({ hostname }) => hostname)
      return {}
    },
  ],
  [
    'PUT',
    /^\/workers\/scripts\/([^/]+)\/schedules$/,
    async ({ parts: [name], request }) => {
      const crons = z.array(z.object({ cron: z.string() })).parse(await request.json())
      findScript(state, name).crons = crons.map(({ cron }) => cron)
      return {}
    },
  ],
]

function findScript(state: AccountState, name = '') {
  const script = state.scripts.get(name)
  if (!script) throw missing(10_007, `Worker ${name}`)
  return script
}

const withoutSecret = (binding: Binding) => (binding.type === 'secret_text' ? { ...binding, text: undefined } : binding)

const Metadata = z.object({
  main_module: z.string(),
  bindings: z.array(Binding),
  compatibility_date: z.string(),
  compatibility_flags: z.array(z.string()),
  keep_bindings: z.array(z.string()).default([]),
  assets: z.object({ jwt: z.string() }),
})

async function addVersion(state: AccountState, name: string, form: FormData) {
  const script: Script = state.scripts.get(name) ?? { versions: new Map(), deployed: [], crons: [], domains: [] }
  const { main_module, bindings, ...metadata } = Metadata.parse(JSON.parse(await readText(form.get('metadata'))))
  const earlier = currentVersion(script)?.bindings ?? []
  const inherited = bindings.map((one) =>
    one.type === 'inherit' ? (earlier.find((old) => old.name === one.name) ?? one) : one,
  )
  const kept = earlier.filter(
    (old) => metadata.keep_bindings.includes(old.type) && !bindings.some((one) => one.name === old.name),
  )
  const parts = [...form].flatMap(([part, file]) => (part === 'metadata' || typeof file === 'string' ? [] : [file]))
  const modules = await Promise.all(
    parts.map(async (file) => ({ name: file.name, type: file.type, bytes: new Uint8Array(await file.arrayBuffer()) })),
  )
  const id = randomUUID()
  script.versions.set(id, {
    bindings: [...inherited, ...kept],
    modules: modules.toSorted((a, b) => Number(b.name === main_module) - Number(a.name === main_module)),
    compatibility: { date: metadata.compatibility_date, flags: metadata.compatibility_flags },
    files: state.manifests.get(metadata.assets.jwt) ?? new Map<string, string>(),
    isBroken: state.planted.isBroken?.(script.versions.size + 1) ?? false,
  })
  state.scripts.set(name, script)
  return id
}

const readText = async (part: FormDataEntryValue | null) => (part instanceof File ? part.text() : (part ?? ''))

function deployVersion(state: AccountState, runtime: Runtime, { name, id }: { name: string; id: string }) {
  findScript(state, name).deployed.unshift(id)
  runtime.forget()
}

// The client reads what a token says of itself.
const newToken = () => `e30.${Buffer.from(JSON.stringify({ id: randomUUID() })).toString('base64url')}.e30`

async function openUpload(state: AccountState, request: Request) {
  const Manifest = z.object({ manifest: z.record(z.string(), z.object({ hash: z.string() })) })
  const files = Object.entries(Manifest.parse(await request.json()).manifest)
  const jwt = newToken()
  state.manifests.set(jwt, new Map(files.map(([path, { hash }]) => [path, hash])))
  const wanted = new Set(files.map(([, { hash }]) => hash).filter((hash) => !state.assets.has(hash)))
  return { jwt, buckets: wanted.size ? [[...wanted]] : [] }
}

async function takeFiles(state: AccountState, request: Request) {
  for (const [hash, file] of await request.formData())
    state.assets.set(hash, new Uint8Array(Buffer.from(await readText(file), 'base64')))
  return { jwt: request.headers.get('authorization')?.replace('Bearer ', '') }
}

const describeVersion = (id = '') => ({
  id,
  number: 1,
  metadata: { created_on: '2026-01-01T00:00:00Z' },
  resources: {},
})

const listDeployments = (script: Script) => ({
  deployments: script.deployed.map((version_id) => ({
    id: version_id,
    created_on: '2026-01-01T00:00:00Z',
    source: 'wrangler',
    strategy: 'percentage',
    author_email: 'somebody@example.com',
    versions: [{ version_id, percentage: 100 }],
  })),
})
