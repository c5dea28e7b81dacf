import { useDebouncedValue } from '@mantine/hooks'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useNavigate } from 'react-router-dom'
import { useAccess } from '../session/access'
import { useSession } from '../session/session'
import { ChoiceBox } from '../ui/choice-box'
import type { Offer } from '../ui/choice-box'
import { keyDialog } from '../ui/keys'
import { setMonitoredMutation } from '../watchlist/api'
import { listPlaces } from './places'
import { usePaletteHits } from './use-palette-hits'
import type { PaletteHit } from './use-palette-hits'

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
