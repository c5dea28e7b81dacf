// Keeps the files of the app, whose names tell their content: a returning user finds them compiled. Nothing that the API or the
// Worker's pages say is kept.

/** By the build: the names of its files, and of those of the first screens. */
declare const build: { name: string; files: string[] }

type Lasting = { waitUntil: (work: Promise<unknown>) => void }
type Asked = { request: Request; respondWith: (answer: Promise<Response>) => void }
const worker = self as unknown as {
  addEventListener: ((type: 'install' | 'activate', hear: (event: Lasting) => void) => void) &
    ((type: 'fetch', hear: (event: Asked) => void) => void)
  skipWaiting: () => Promise<void>
}

worker.addEventListener('install', (event) => event.waitUntil(keepFirst()))
worker.addEventListener('activate', (event) => event.waitUntil(removeOthers()))
worker.addEventListener('fetch', (event) => {
  const { origin, pathname } = new URL(event.request.url)
  if (origin === location.origin && pathname.startsWith('/assets/')) event.respondWith(answer(event.request))
})

async function keepFirst() {
  await worker.skipWaiting()
  await (await caches.open(build.name)).addAll(build.files)
}

async function removeOthers() {
  for (const name of await caches.keys()) if (name !== build.name) await caches.delete(name)
}

/** From the network where the browser's storage fails. */
async function answer(request: Request) {
  const cache = await caches.open(build.name).catch(() => undefined)
  const kept = await cache?.match(request).catch(() => undefined)
  if (kept) return kept
  const response = await fetch(request)
  if (response.ok) cache?.put(request, response.clone()).catch(() => undefined)
  return response
}
