import { useQuery } from '@tanstack/react-query'
import { publicSettingsQuery } from '../lib/public-settings'
import { useState } from 'react'
import { showError } from '../lib/notice'

/** Shows a Turnstile widget if the worker asks for one; send `token` with the form. */
export function useHumanCheck() {
  const [token, setToken] = useState<string>()
  const { data } = useQuery(publicSettingsQuery)
  const site_key = data?.turnstile_site_key
  if (!site_key) return { token: undefined, isOwed: false, widget: null }
  return { token, isOwed: token === undefined, widget: <div ref={(place) => mount(place, site_key, setToken)} /> }
}

function mount(place: HTMLDivElement | null, site_key: string, onToken: (token: string | undefined) => void) {
  if (place && !place.dataset['shown']) {
    place.dataset['shown'] = 'yes'
    void showTurnstile(place, site_key, onToken)
  }
}

const script = 'https://challenges.cloudflare.com/turnstile/v0/api.js?render=explicit'

type Options = { sitekey: string; callback: (token: string) => void; 'expired-callback': () => void }
declare global {
  var turnstile: { render(place: HTMLElement, options: Options): void } | undefined
}

let loading: Promise<void> | undefined

async function showTurnstile(place: HTMLElement, sitekey: string, onToken: (token: string | undefined) => void) {
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
