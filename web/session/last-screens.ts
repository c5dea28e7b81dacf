import type { QueryClient } from '@tanstack/react-query'
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
    const others = readScreens().filter((one) => one.address !== address)
    keep(key, JSON.stringify([screen, ...others].slice(0, most)))
  }
  addEventListener('pagehide', keepThis)
  document.addEventListener('visibilitychange', () => document.visibilityState === 'hidden' && keepThis())
  if (!isAuthenticated()) forgetScreens()
}

/** How they left this address in a window of this width. */
export const findLastScreen = (who: string) =>
  readScreens().find((one) => {
    const isSame = one.who === who && one.address === location.pathname + location.search && one.width === innerWidth
    return isSame && Date.now() - one.at < oldest_ms
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
