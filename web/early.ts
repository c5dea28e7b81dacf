// Runs without imports before the app, and fetches the code and the data of the first screen in advance for people who are signed
// in; `lib/early` takes the answers. They see how they left that screen meanwhile (`session/last-screens`).

type Start = { app: string; screens: Record<string, string[]> }
type LastScreen = { who: string; address: string; at: number; width: number; html: string }

const kept_ms = 10_000
const lastScreen = { oldest_ms: 86_400_000, longest_ms: 15_000, paint_ms: 200 }

const { app, screens }: Start = JSON.parse(document.getElementById('start')?.textContent ?? '{}')
const { pathname, search } = location
const session = readKept('EarshotHears')
const access = session.tokens?.access
const page = access && findPage()
if (page) start(page, isOver(access) ? renew(access) : Promise.resolve(access))
void parsed()
  .then(() => page && showLast(screens[page.name] ?? []))
  .then(() => import(app))

function start({ name, asks, named }: EarlyPage, token: Promise<string>) {
  const seen = localStorage.getItem('EarshotSeen')
  const headers = {
    accept: 'application/json',
    ...(seen && { 'x-d1-bookmark': seen }),
  }
  const get = async (url: string) => fetch(url, { headers: { ...headers, authorization: `JWT ${await token}` } })
  const early = new Map<string, Promise<Response>>()
  const ask = (url: string, answer = get(url)) => {
    early.set(url, answer)
    answer.catch(() => undefined)
  }
  window.earshotEarly = early
  for (const url of asks) ask(url)
  ask('/users/org/info')
  if (named) ask(named, askNamed(get(named), ask))

  for (const file of screens[name] ?? []) preload(file)
  setTimeout(() => removeAll(early), kept_ms)
}

/** Within a second it will be. */
function isOver(token: string) {
  const [, claims = ''] = token.split('.')
  try {
    return JSON.parse(atob(claims.replaceAll('-', '+').replaceAll('_', '/'))).exp * 1000 < Date.now() + 1_000
  } catch {
    return false
  }
}

/** Users who come back after a while do not wait for a refusal first. `session/renew` does the rest under the same lock, and what fails here. */
async function renew(stale: string): Promise<string> {
  if (!navigator.locks) return stale
  return navigator.locks.request('earshot-renew', () => renewAlone(stale)).catch(() => stale)
}

async function renewAlone(stale: string) {
  const { tokens } = readKept('EarshotHears')
  if (tokens?.access !== stale) return tokens?.access ?? stale
  const headers = { accept: 'application/json', 'content-type': 'application/json' }
  const body = JSON.stringify({ refresh: tokens.refresh })
  const response = await fetch('/api/public/jwt-auth/refresh-token/', { method: 'POST', headers, body })
  const now = readKept('EarshotHears')
  // Refused, or somebody signed out in another tab meanwhile.
  if (!response.ok || now.tokens?.access !== stale) return stale
  const renewed = await response.json()
  localStorage.setItem('EarshotHears', JSON.stringify({ ...now, tokens: renewed }))
  dispatchEvent(new StorageEvent('storage', { key: 'EarshotHears' }))
  return renewed.access
}

/** Answers that no screen took are outdated, and an unread answer holds its connection. */
function removeAll(early: Map<string, Promise<Response>>) {
  for (const answer of early.values()) answer.then(({ body }) => body?.cancel()).catch(() => undefined)
  early.clear()
}

/** Asks for the detail of the vulnerability that the name stands for, before the app has the name's answer and asks as well. */
async function askNamed(answer: Promise<Response>, ask: (url: string) => void) {
  const named = await answer
  const target: { type: string; id: number } | null = await named
    .clone()
    .json()
    .catch(() => null)
  if (target?.type === 'vuln') ask(`/api/vulns/${target.id}/`)
  return named
}

type EarlyPage = { name: string; asks: string[]; named?: string }

function findPage(): EarlyPage {
  const id = /^\/vulns\/([1-9]\d{0,14})$/.exec(pathname)?.[1]
  if (id) return { name: 'vuln', asks: [`/api/vulns/${id}/`] }
  const name = /^\/vulns\/([\w:.-]{1,100})$/.exec(pathname)?.[1]
  if (name) return { name: 'vuln', asks: [], named: `/api/search-target?${new URLSearchParams({ term: name })}` }
  if (pathname === '/vulns') return { name: 'vulns', asks: [listAddress()] }
  if (pathname === '/' || pathname === '/homepage')
    return {
      name: 'home',
      asks: [
        deskAddress(),
        '/api/data/sync/info',
        '/api/vulns/stats',
        '/api/vulns/news',
        '/api/vulns/latest?timedelta=30',
      ],
    }
  return { name: 'layout', asks: [] }
}

/** End of the visit before this one, as `last-visit` will say. */
function deskAddress() {
  const visit = readKept('EarshotVisits')[`${session.user?.id}@${session.org?.id}`]
  const isNew = Date.now() - Date.parse(visit?.seen) > 30 * 60_000
  const since = isNew ? visit.seen : visit?.before
  return `/api/vulns/desk${since ? `?${new URLSearchParams({ since })}` : ''}`
}

function listAddress() {
  const params = new URLSearchParams(search)
  const usual = params.has('inbox') ? '50' : '10'
  if (!params.has('limit')) params.set('limit', localStorage.getItem('rows of vulnerabilities') ?? usual)
  if (params.has('inbox') && !params.has('sorted_by')) params.set('sorted_by', 'risk')
  params.delete('inbox')
  params.set('count', 'quick')
  return `/api/vulns/?${params}`
}

async function parsed() {
  if (!document.getElementById('root')) await new Promise((resolve) => addEventListener('DOMContentLoaded', resolve))
}

/** Waits until it is seen: the app takes the time of the browser. */
async function showLast(files: string[]) {
  const who = `${session.user?.id}@${session.org?.id}`
  const screensLeft: LastScreen[] = [readKept('EarshotScreens')].flat()
  const last = screensLeft.find((one) => {
    const isSame = one.who === who && one.address === pathname + search && one.width === innerWidth
    return isSame && Date.now() - one.at < lastScreen.oldest_ms
  })
  if (!last) return
  await Promise.all(files.filter((file) => file.endsWith('.css')).map(addStyle))
  const isDark = matchMedia('(prefers-color-scheme: dark)').matches
  document.documentElement.dataset.mantineColorScheme = isDark ? 'dark' : 'light'
  // Nobody reads it out or presses it, whatever a browser makes of `inert`.
  const silent = { inert: true, ariaHidden: 'true' }
  const shown = Object.assign(document.createElement('div'), { id: 'last-screen', ...silent, innerHTML: last.html })
  const mark = document.createElement('p')
  mark.textContent = `As you left it ${tellAge(Date.now() - last.at)}. Loading…`
  shown.append(mark)
  document.body.append(shown)
  setTimeout(() => shown.remove(), lastScreen.longest_ms)
  await new Promise<void>((resolve) => {
    requestAnimationFrame(() => setTimeout(resolve))
    // A page in the background paints nothing.
    setTimeout(resolve, lastScreen.paint_ms)
  })
}

async function addStyle(href: string) {
  const link = Object.assign(document.createElement('link'), { rel: 'stylesheet', crossOrigin: '', href })
  document.head.append(link)
  await new Promise((resolve) => {
    for (const end of ['load', 'error']) link.addEventListener(end, resolve)
  })
}

function tellAge(ms: number) {
  const minutes = Math.round(ms / 60_000)
  const format = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })
  if (minutes === 0) return 'just now'
  return minutes < 90 ? format.format(-minutes, 'minutes') : format.format(-Math.round(minutes / 60), 'hours')
}

function preload(file: string) {
  const link = document.createElement('link')
  const isStyle = file.endsWith('.css')
  link.rel = isStyle ? 'preload' : 'modulepreload'
  if (isStyle) Object.assign(link, { as: 'style', crossOrigin: '' })
  link.href = file
  document.head.append(link)
}

function readKept(key: string) {
  try {
    return JSON.parse(localStorage.getItem(key) ?? '{}') ?? {}
  } catch {
    return {}
  }
}
