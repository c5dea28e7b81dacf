// Runs before the app for people who are signed in: it fetches the code and the data of their first screen in advance (`lib/early`
// takes the answers), and shows how they left that screen (`session/last-screens`).
import { hasFormOfId } from '../worker/domain/names/cve'
import { refreshToken } from '../worker/auth/contract'
import { getOrgInfo } from '../worker/orgs/contract'
import type { dailyPages } from './chunks'
import { homeAsks } from './home/api'
import { findBefore, visitsKey } from './home/last-visit'
import { timeout_ms, toHeaders, toUrl } from './lib/call'
import type { Question } from './lib/early'
import { readId } from './lib/id-param'
import { readKept } from './lib/kept'
import { identify, keptSession, renewKept } from './session/kept-session'
import { showLastScreen } from './session/last-screens'
import { targetAsk, vulnAsk, vulnsAsk } from './vulns/api'
import { findDefaults, lookKey, withComposite } from './vulns/list/defaults'

/** By the build: the addresses of the app, and of the files of each screen. */
type Start = { app: string; screens: Record<ScreenName, string[]> }
type ScreenName = keyof typeof dailyPages

const kept_ms = 10_000

const { app, screens }: Start = JSON.parse(document.getElementById('start')?.textContent ?? '{}')
const session = keptSession()
const early = new Map<string, Promise<Response>>()
const token = findToken()
void begin().finally(() => import(/* @vite-ignore */ app))

async function begin() {
  if (!token) return parsed()
  window.earshotEarly = early
  ask([getOrgInfo])
  const files = screens[askFirst()]
  const styles = files.filter((file) => file.endsWith('.css'))
  for (const href of files)
    addLink(
      styles.includes(href) ? { rel: 'preload', as: 'style', crossOrigin: '', href } : { rel: 'modulepreload', href },
    )
  setTimeout(removeAll, kept_ms)
  await parsed()
  await showLastScreen(identify(session), () => Promise.all(styles.map(addStyle)))
}

/** Asks the first questions of the screen at this address. */
function askFirst(): ScreenName {
  const [, room = '', name = '', further] = location.pathname.split('/')
  const params = new URLSearchParams(location.search)
  if (further !== undefined) return 'layout'
  if (room === '' || room === 'homepage') {
    const since = findBefore(Object(readKept(visitsKey))[identify(session)])
    for (const question of homeAsks(since, params.get('group') ?? undefined)) ask(question)
    return 'home'
  }
  if (room === 'vulns' && name) {
    const id = readId(name)
    if (id) ask(vulnAsk(id))
    else if (hasFormOfId(name)) ask(targetAsk(name), askNamed)
    return 'vuln'
  }
  if (room === 'vulns') {
    const filters = { ...findDefaults(params), ...Object.fromEntries(params), inbox: undefined }
    ask(vulnsAsk(withComposite(filters, Object(readKept(lookKey)).shown ?? [])))
    return 'vulns'
  }
  return room === 'search' ? 'search' : 'layout'
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

/** Users who come back after a while do not wait for a refusal first. The app sees to what fails here. */
function findToken() {
  const access = session.tokens?.access
  if (!access || !isOver(access) || !navigator.locks) return access
  return renewKept(access, sendRefresh).catch(() => access)
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

async function sendRefresh(body: { refresh: string }) {
  const headers = { accept: 'application/json', 'content-type': 'application/json' }
  const signal = AbortSignal.timeout(timeout_ms)
  const response = await fetch(refreshToken.path, { method: 'POST', headers, body: JSON.stringify(body), signal })
  if (!response.ok) throw new Error('refused')
  return response.json()
}

async function parsed() {
  if (!document.getElementById('root')) await new Promise((resolve) => addEventListener('DOMContentLoaded', resolve))
}

async function addStyle(href: string) {
  const link = addLink({ rel: 'stylesheet', crossOrigin: '', href })
  await new Promise((resolve) => {
    for (const end of ['load', 'error']) link.addEventListener(end, resolve)
  })
}

function addLink(attributes: Partial<HTMLLinkElement>) {
  const link = Object.assign(document.createElement('link'), attributes)
  document.head.append(link)
  return link
}
