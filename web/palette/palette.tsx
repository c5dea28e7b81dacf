import { useDebouncedValue } from '@mantine/hooks'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useNavigate } from 'react-router-dom'
import { useAccess } from '../session/access'
import { useSession } from '../session/session'
import { ChoiceBox } from '../ui/choice-box'
import type { Offer } from '../ui/choice-box'
import { keyDialog } from '../ui/keys'
import { setMonitoredMutation } from '../watchlist/api'
import type { Access } from '../../worker/domain/people/access'
import { menu } from '../layout/menu'
import { inboxAddress } from '../vulns/inbox-address'
import { productLabel, rawProduct, readableName } from '../../worker/domain/names/product'
import { productsQuery, vendorsQuery } from '../catalog/api'
import { vulnsQuery } from '../vulns/api'

const settled_ms = 200
const monitoring = /^monitor\s+/i

export function Palette({ onClose }: { onClose: () => void }) {
  const [text, setText] = useState('')
  const wantsMonitoring = monitoring.test(text)
  const words = text.replace(monitoring, '').trim()
  const [settled] = useDebouncedValue(words, settled_ms)
  const { found, isWaiting } = usePaletteHits(settled)
  const may = useAccess()
  const go = useGoing(onClose)
  const monitor = useMonitoring(onClose)

  const watchable = found.filter(({ monitored }) => !monitored).map((one) => monitor(one))
  const choices = wantsMonitoring
    ? watchable
    : [
        ...listPlaces(words, may).map(({ label, to }) => go('Go to', label, to)),
        ...found.map(({ label, hint, to }) => go('Found', label, to, hint)),
        ...(words ? [go('Found', `Search everything for “${words}”`, `/search/${encodeURIComponent(words)}`)] : []),
        ...watchable,
        ...listActions(words, setText),
      ]
  return (
    <ChoiceBox
      title="Go, find or do anything"
      placeholder="A screen, a CVE, a product, or: monitor openssl"
      text={text}
      onType={setText}
      choices={choices}
      nothing={isWaiting || settled !== words ? 'Looking…' : describeNothing(words, found.length)}
      onClose={onClose}
    />
  )
}

function describeNothing(words: string, found: number) {
  if (!words) return 'Type what to monitor'
  return found > 0 ? 'You monitor all that was found' : 'Nothing found'
}

function useGoing(onClose: () => void) {
  const navigate = useNavigate()
  return (group: string, label: string, to: string, hint?: string): Offer => ({
    id: `${group} ${to}`,
    group,
    label,
    hint,
    run: () => {
      onClose()
      void navigate(to)
    },
  })
}

function useMonitoring(onClose: () => void) {
  const { org } = useSession()
  const setters = {
    vuln: useMutation(setMonitoredMutation('vuln')),
    vendor: useMutation(setMonitoredMutation('vendor')),
    product: useMutation(setMonitoredMutation('product')),
  }
  return ({ kind, id, label, hint }: PaletteHit): Offer => ({
    id: `monitor ${kind} ${id}`,
    group: 'Monitor',
    label: `Monitor ${label}`,
    hint,
    run: () => {
      onClose()
      setters[kind].mutate({ ids: [id], monitored: true, organization_id: org?.id })
    },
  })
}

function listActions(words: string, setText: (text: string) => void): Offer[] {
  const actions: Offer[] = [
    { id: 'keys', group: 'Do', label: 'Keyboard shortcuts', run: () => (keyDialog.value = 'keys') },
    { id: 'monitor', group: 'Do', label: 'Monitor a product, a vendor or a CVE…', run: () => setText('monitor ') },
  ]
  return actions.filter(({ label }) => label.toLowerCase().includes(words.toLowerCase()))
}

type Place = { label: string; to: string; access?: Access }

const shownFirst = 6

const places: Place[] = [
  ...menu.flatMap((item) =>
    'to' in item ? [item] : item.links.map(({ label, to }) => ({ label: `${item.label}: ${label}`, to })),
  ),
  { label: 'Inbox: what is open', to: inboxAddress },
  { label: 'Threat activities', to: '/threats' },
  { label: 'Reports', to: '/reports' },
  { label: 'Monitoring: products', to: '/monitoring?tab=products' },
  { label: 'Monitoring: vulnerabilities', to: '/monitoring?tab=vulns' },
  { label: 'Settings: profile', to: '/settings?tab=profile' },
  { label: 'Settings: alerting', to: '/settings?tab=alerting', access: 'manageAlerts' },
  { label: 'Settings: organizations and users', to: '/settings?tab=orgs', access: 'manageOrg' },
  { label: 'Settings: audit', to: '/settings?tab=audit', access: 'orgAdmin' },
  { label: 'Settings: single sign-on', to: '/settings?tab=sso', access: 'orgAdmin' },
  { label: 'Settings: sync', to: '/settings?tab=sync', access: 'admin' },
]

function listPlaces(words: string, may: (access: Access) => boolean) {
  const wanted = words.toLowerCase().split(/\s+/)
  const fitting = places.filter(
    ({ label, access = 'member' }) => may(access) && wanted.every((word) => label.toLowerCase().includes(word)),
  )
  return words ? fitting.slice(0, shownFirst) : fitting
}

type PaletteHit = {
  kind: 'vuln' | 'vendor' | 'product'
  id: number
  label: string
  hint: string
  to: string
  monitored: boolean
}

const limit = 4
const minCharacters = 2
const maxHint = 60

function usePaletteHits(words: string): { found: PaletteHit[]; isWaiting: boolean } {
  const silent = { enabled: words.length >= minCharacters, meta: {}, placeholderData: undefined }
  const vulns = useQuery({ ...vulnsQuery({ search: words, sorted_by: 'relevance', limit }), ...silent })
  const products = useQuery({ ...productsQuery({ search: words, limit }), ...silent })
  const vendors = useQuery({ ...vendorsQuery({ search: words, limit }), ...silent })
  const found: PaletteHit[] = [
    ...(vulns.data?.results ?? []).map(({ id, known_as, monitored, summary }): PaletteHit => {
      const hint = summary.slice(0, maxHint)
      return { kind: 'vuln', id, monitored, label: known_as, hint, to: `/vulns/${id}` }
    }),
    ...(products.data?.results ?? []).map(({ id, vendor, name, monitored }): PaletteHit => {
      const label = productLabel(vendor, name)
      const hint = `Product ${rawProduct(vendor, name)}`
      return { kind: 'product', id, monitored, label, hint, to: `/product/${id}` }
    }),
    ...(vendors.data?.results ?? []).map(({ id, name, monitored }): PaletteHit => {
      return { kind: 'vendor', id, monitored, label: readableName(name), hint: `Vendor ${name}`, to: `/vendor/${id}` }
    }),
  ]
  return { found, isWaiting: [vulns, products, vendors].some(({ isFetching }) => isFetching) }
}
