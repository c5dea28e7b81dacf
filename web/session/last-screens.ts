import type { QueryClient } from '@tanstack/react-query'
import { formatRelative } from '../lib/format'
import { keep, readKept } from '../lib/kept'
import { currentIdentity, isAuthenticated } from './session'

/** How somebody left it; `early.ts` shows it to them while the app loads. */
type Screen = { who: string; address: string; at: number; width: number; html: string }

const key = 'EarshotScreens'
/** Home, lists and vulnerabilities: secrets that settings show once must not stay. */
const isKept = /^\/(?:homepage|vulns(?:\/[\w:.-]+)?)$/
const most = 3
/** Room is left for the session: a hundred rows are longer than anybody sees at once. */
const longest_chars = 400_000
const oldest_ms = 86_400_000
const longest_ms = 15_000
const paint_ms = 200

const shown = () => document.getElementById('last-screen')

export const forgetScreens = () => keep(key, null)

export function keepLastScreens(client: QueryClient) {
  const keepThis = () => {
    if (!isAuthenticated()) return forgetScreens()
    const { pathname, search } = location
    // Signing in goes to the address before its screen stands there.
    const isThere = document.querySelector('#content h1') && !document.querySelector('#root [type=password]')
    if (!isThere || shown() || client.isFetching() || !isKept.test(pathname)) return
    const [who, address, html] = [currentIdentity(), pathname + search, copyRoot()]
    if (html.length > longest_chars) return
    const screen = { who, address, at: Date.now(), width: innerWidth, html }
    const others = readScreens().filter((other) => other.address !== address)
    keep(key, JSON.stringify([screen, ...others].slice(0, most)))
  }
  addEventListener('pagehide', keepThis)
  document.addEventListener('visibilitychange', () => document.visibilityState === 'hidden' && keepThis())
  if (!isAuthenticated()) forgetScreens()
}

/** How they left this address in a window of this width, until the app stands there. */
export async function showLastScreen(who: string, loadStyles: () => Promise<unknown>) {
  const address = location.pathname + location.search
  const last = readScreens().find((screen) => {
    const isSame = screen.who === who && screen.address === address && screen.width === innerWidth
    return isSame && Date.now() - screen.at < oldest_ms
  })
  if (!last) return
  await loadStyles()
  const isDark = matchMedia('(prefers-color-scheme: dark)').matches
  document.documentElement.dataset.mantineColorScheme = isDark ? 'dark' : 'light'
  // Nobody reads it out or presses it, whatever a browser makes of `inert`.
  const silent = { inert: true, ariaHidden: 'true' }
  const place = Object.assign(document.createElement('div'), { id: 'last-screen', ...silent, innerHTML: last.html })
  const mark = document.createElement('p')
  mark.textContent = `As you left it ${formatRelative(last.at).replace('now', 'just now')}. Loading…`
  place.append(mark)
  document.body.append(place)
  setTimeout(() => place.remove(), longest_ms)
  await painted()
}

/** The app takes the time of the browser: it waits until this is seen. A page in the background paints nothing. */
const painted = () =>
  new Promise<void>((resolve) => {
    requestAnimationFrame(() => setTimeout(resolve))
    setTimeout(resolve, paint_ms)
  })

/** Once the app's own screen stands in its place, before that is painted. */
export function removeLastScreen() {
  const root = document.getElementById('root')
  if (!shown() || !root) return
  const observer = new MutationObserver(() => {
    if (!root.querySelector('h1')) return
    observer.disconnect()
    shown()?.remove()
  })
  observer.observe(root, { childList: true, subtree: true })
}

/** With what is chosen, which the text of an element does not tell. */
function copyRoot() {
  const root = document.querySelector<HTMLElement>('#root')
  const copy = root?.cloneNode(true) as HTMLElement | undefined
  const selects = root?.querySelectorAll('select') ?? []
  copy?.querySelectorAll('select').forEach((select, at) => {
    select.options[selects[at]?.selectedIndex ?? -1]?.setAttribute('selected', '')
  })
  return copy?.innerHTML ?? ''
}

const readScreens = () => [readKept(key) ?? []].flat() as Screen[]
