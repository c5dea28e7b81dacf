import { showError } from '../lib/notice'

const script = 'https://challenges.cloudflare.com/turnstile/v0/api.js?render=explicit'

type Options = { sitekey: string; callback: (token: string) => void; 'expired-callback': () => void }
declare global {
  var turnstile: { render(place: HTMLElement, options: Options): void } | undefined
}

let loading: Promise<void> | undefined

export async function showTurnstile(place: HTMLElement, sitekey: string, onToken: (token: string | undefined) => void) {
  try {
    if (!globalThis.turnstile) await (loading ??= load())
    globalThis.turnstile?.render(place, { sitekey, callback: onToken, 'expired-callback': () => onToken(undefined) })
  } catch (error) {
    loading = undefined
    showError('The check that you are human could not be loaded', error instanceof Error ? error.message : undefined)
  }
}

const load = () =>
  new Promise<void>((resolve, reject) => {
    const element = Object.assign(document.createElement('script'), { src: script, async: true })
    element.addEventListener('load', () => resolve())
    element.addEventListener('error', () => reject(new Error('Turnstile did not load')))
    document.head.append(element)
  })
