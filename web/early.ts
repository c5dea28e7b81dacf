// Runs before the app, and fetches the code and the data of the first screen in advance for people who are signed in; `lib/early`
// takes the answers. They see how they left that screen meanwhile (`session/last-screens`).
import { hasFormOfId } from '../worker/domain/names/cve'
import { refreshToken } from '../worker/auth/contract'
import { getOrgInfo } from '../worker/orgs/contract'
import type { dailyPages } from './chunks'
import { homeAsks } from './home/api'
import { findBefore, visitsKey } from './home/last-visit'
import { timeout_ms, toHeaders, toUrl } from './lib/call'
import type { Question } from './lib/early'
import { formatRelative } from './lib/format'
import { readId } from './lib/id-param'
import { readKept } from './lib/kept'
import { identify, keptSession, renewKept } from './session/kept-session'
import { findLastScreen } from './session/last-screens'
import { targetAsk, vulnAsk, vulnsAsk } from './vulns/api'
import { findDefaults, lookKey, withComposite } from './vulns/list/defaults'

/** By the build: the addresses of the app, and of the files of each screen. */
type Start = { app: string; screens: Record<ScreenName, string[]> }
type ScreenName = keyof typeof dailyPages

const kept_ms = 10_000
const longest_ms = 15_000
const paint_ms = 200

const { app, screens }: Start = JSON.parse(document.getElementById('start')?.textContent ?? '{}')
const { pathname, search } = location
const session = keptSession()
const who = identify(session)
const early = new Map<string, Promise<Response>>()
const token = findToken()
void begin().finally(() => import(/* @vite-ignore */ app))

async function begin() {
  if (!token) return parsed()
  window.earshotEarly = early
  ask([getOrgInfo])
  const files = screens[askFirst()]
  for (const file of files) preload(file)
  setTimeout(removeAll, kept_ms)
  await parsed()
  await showLast(files.filter((file) => file.endsWith('.css')))
}

/** Users who come back after a while do not wait for a refusal first. The app sees to what fails here. */
function findToken() {
  const access = session.tokens?.access
  if (!access || !isOver(access) || !navigator.locks) return access
  return renewKept(access, sendRefresh).catch(() => access)
}

async function sendRefresh(body: { refresh: string }) {
  const headers = { accept: 'application/json', 'content-type': 'application/json' }
  const signal = AbortSignal.timeout(timeout_ms)
  const response = await fetch(refreshToken.path, { method: 'POST', headers, body: JSON.stringify(body), signal })
  if (!response.ok) throw new Error('refused')
  return response.json()
}

/** Within a second it will be. */
function isOver(access: string) {
  try {
    const [, claims = ''] = access.split('.')
    return JSON.parse(atob(claims.replaceAll('-', '+').replaceAll('_', '/'))).exp * 1000 < Date.now() + 1_000
  } catch {
    return false
  }
}

function askFirst(): ScreenName {
  const [, room = '', name = '', further] = pathname.split('/')
  const params = new URLSearchParams(search)
  if (further !== undefined) return 'layout'
  if (room === 'vulns' && name) {
    askVuln(name)
    return 'vuln'
  }
  if (room === 'vulns') {
    const filters = { ...findDefaults(params), ...Object.fromEntries(params), inbox: undefined }
    ask(vulnsAsk(withComposite(filters, Object(readKept(lookKey)).shown ?? [])))
    return 'vulns'
  }
  if (pathname === '/' || pathname === '/homepage') {
    const since = findBefore(Object(readKept(visitsKey))[who])
    for (const asked of homeAsks(since, params.get('group') ?? undefined)) ask(asked)
    return 'home'
  }
  return room === 'search' ? 'search' : 'layout'
}

function askVuln(name: string) {
  const id = readId(name)
  if (id) ask(vulnAsk(id))
  else if (hasFormOfId(name)) ask(targetAsk(name), askNamed)
}

/** Before the app has the name's answer, and asks as well. */
async function askNamed(named: Response) {
  const target: { type: string; id: number } | null = await named
    .clone()
    .json()
    .catch(() => null)
  if (target?.type === 'vuln') ask(vulnAsk(target.id))
  return named
}

function ask([{ path }, { params, query } = {}]: Question, goOn = async (answer: Response) => answer) {
  const address = toUrl(path, params, query)
  const signal = AbortSignal.timeout(timeout_ms)
  const answer = Promise.resolve(token)
    .then((access) => fetch(address, { headers: toHeaders(access), signal }))
    .then(goOn)
  answer.catch(() => undefined)
  early.set(address, answer)
}

/** Answers that no screen took are outdated, and an unread answer holds its connection. */
function removeAll() {
  for (const answer of early.values()) answer.then(({ body }) => body?.cancel()).catch(() => undefined)
  early.clear()
}

async function parsed() {
  if (!document.getElementById('root')) await new Promise((resolve) => addEventListener('DOMContentLoaded', resolve))
}

/** Waits until it is seen: the app takes the time of the browser. */
async function showLast(styles: string[]) {
  const last = findLastScreen(who)
  if (!last) return
  await Promise.all(styles.map(addStyle))
  const isDark = matchMedia('(prefers-color-scheme: dark)').matches
  document.documentElement.dataset.mantineColorScheme = isDark ? 'dark' : 'light'
  // Nobody reads it out or presses it, whatever a browser makes of `inert`.
  const silent = { inert: true, ariaHidden: 'true' }
  const shown = Object.assign(document.createElement('div'), { id: 'last-screen', ...silent, innerHTML: last.html })
  const mark = document.createElement('p')
  mark.textContent = `As you left it ${formatRelative(last.at).replace('now', 'just now')}. Loading…`
  shown.append(mark)
  document.body.append(shown)
  setTimeout(() => shown.remove(), longest_ms)
  await new Promise<void>((resolve) => {
    requestAnimationFrame(() => setTimeout(resolve))
    // A page in the background paints nothing.
    setTimeout(resolve, paint_ms)
  })
}

async function addStyle(href: string) {
  const link = addLink({ rel: 'stylesheet', crossOrigin: '', href })
  await new Promise((resolve) => {
    for (const end of ['load', 'error']) link.addEventListener(end, resolve)
  })
}

function preload(href: string) {
  addLink(
    href.endsWith('.css') ? { rel: 'preload', as: 'style', crossOrigin: '', href } : { rel: 'modulepreload', href },
  )
}

function addLink(attributes: Partial<HTMLLinkElement>) {
  const link = Object.assign(document.createElement('link'), attributes)
  document.head.append(link)
  return link
}
