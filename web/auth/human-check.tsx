import { useQuery } from '@tanstack/react-query'
import { publicSettingsQuery } from '../lib/public-settings'
import { useState } from 'react'
import { showTurnstile } from './turnstile'

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
