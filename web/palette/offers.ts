import { useMantineColorScheme } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useMatch, useNavigate } from 'react-router-dom'
import { parseAskedVersion } from '../../worker/domain/query/asked-version'
import { productLabel } from '../../worker/domain/names/product'
import { showSuccess } from '../lib/notice'
import { setItemsMutation } from '../monitoring/api'
import { versionAddress, versionAnswersQuery } from '../search/queries'
import { countBriefly } from '../search/version-words'
import { useAccess } from '../session/access'
import { useReadOnly } from '../session/known-org'
import type { Offer } from '../ui/choice-list'
import { keyDialog } from '../ui/keys'
import { vulnQuery } from '../vulns/api'
import { setMonitoredMutation } from '../watchlist/api'
import { decidingVerbs, listDueChoices, parseCommand, type Command } from './commands'
import type { DecisionChoice } from '../decisions/decide-form'
import { usePaletteHits, type PaletteHit } from './hits'
import { listPlaces } from './places'

const settled_ms = 200

export type ChosenDecision = { id: number; label: string; choice: DecisionChoice; owner: string | undefined }
type Ways = { setText: (text: string) => void; onClose: () => void; onDecide: (deciding: ChosenDecision) => void }

/** Offers for the typed text: a command, or places, results, and actions on them. */
export function useOffers(text: string, { setText, onClose, onDecide }: Ways) {
  const command = parseCommand(text)
  const words = (command?.words ?? text).trim()
  const [settled] = useDebouncedValue(words, settled_ms)
  const { found, isWaiting } = usePaletteHits(settled)
  const verdicts = useVerdicts(command ? '' : settled)
  const shown = useShownVuln(command !== undefined && words === '')
  const may = useAccess()
  const readOnly = useReadOnly()
  const go = useGoing(onClose)
  const monitor = useMonitoring(onClose)
  const actions = useActions(setText, onClose)

  const watchable = (version?: string) =>
    found.flatMap((hit) => {
      if (readOnly.disabled) return []
      if (!version) return hit.monitored ? [] : monitor(hit)
      if (hit.kind !== 'product') return []
      // To monitor it anew would replace the versions that it has.
      return hit.monitored
        ? go('Monitor', `Change the versions of ${hit.label}`, '/monitoring?tab=products')
        : monitor(hit, version)
    })
  const nothing =
    isWaiting || settled !== words ? 'Looking…' : describeNothing(command, words, found.length + shown.length)
  if (command && command.verb !== 'due' && readOnly.title) return { choices: [], nothing: readOnly.title, words }
  if (command) return { choices: offersFor(command), nothing, words }
  const doing = actions(words, readOnly.disabled ? 'nothing' : may('manageMetadata') ? 'all' : 'own')
  // A verb is a command, also where the words of a vulnerability hold it.
  const isVerb = ({ label }: Offer) => words !== '' && label.toLowerCase().startsWith(words.toLowerCase())
  const choices = [
    ...verdicts.map(({ label, to, hint }) => go('Answer', label, to, hint)),
    ...listPlaces(words, may).map(({ label, to }) => go('Go to', label, to)),
    ...doing.filter(isVerb),
    ...found.map(({ label, hint, to }) => go('Found', label, to, hint)),
    ...(words ? [go('Found', `Search everything for “${words}”`, `/search/${encodeURIComponent(words)}`)] : []),
    ...watchable(),
    ...doing.filter((offer) => !isVerb(offer)),
  ]
  return { choices, nothing, words }

  function offersFor({ verb, version, owner }: Command): Offer[] {
    if (verb === 'due') return listDueChoices(words).map(({ label, to }) => go('Inbox', label, to))
    const deciding = decidingVerbs.get(verb)
    if (!deciding) return watchable(version)
    if (verb === 'accept' && !may('manageMetadata')) return []
    return [...shown, ...found]
      .filter(({ kind, monitored }) => kind === 'vuln' && monitored)
      .map(({ id, label, hint }) => ({
        id: `${verb} ${id}`,
        group: 'Decide',
        label: `${deciding.label} ${label}${owner ? `: ${owner}` : ''}`,
        hint,
        run: () => onDecide({ id, label, choice: deciding.choice, owner }),
      }))
  }
}

/** To `openssl 3.0.6`: what affects it, on the page that judges each vulnerability. */
function useVerdicts(words: string) {
  const isAsked = parseAskedVersion(words) !== undefined
  const { data = [] } = useQuery({ ...versionAnswersQuery(words), enabled: isAsked, meta: {} })
  return data.map((answer) => {
    const { type, group, name, version } = answer
    const label = `${type === 'product' ? productLabel(group, name) : `${group}: ${name}`} ${version}: what affects it`
    return { label, to: versionAddress(answer), hint: countBriefly(answer) }
  })
}

/** On the page of a vulnerability a command without words is about it. */
function useShownVuln(isAsked: boolean): PaletteHit[] {
  const id = Number(useMatch('/vulns/:id')?.params.id)
  const { data } = useQuery({ ...vulnQuery(id), enabled: isAsked && id > 0, meta: {} })
  if (!data || !isAsked) return []
  const { known_as: label, monitored, summary } = data
  return [{ kind: 'vuln', id, label, monitored, hint: summary.slice(0, 60), to: `/vulns/${id}` }]
}

function describeNothing(command: Command | undefined, words: string, count: number) {
  if (command && !words && count === 0)
    return command.verb === 'monitor' ? 'Type what to monitor' : 'Type which vulnerability it is about'
  if (count === 0) return 'Nothing found'
  return command?.verb === 'monitor'
    ? 'You monitor all that was found'
    : 'Only what you monitor can be decided on, by who may'
}

function useGoing(onClose: () => void) {
  const navigate = useNavigate()
  return (group: string, label: string, to: string, hint?: string): Offer => ({
    id: `${group} ${to} ${label}`,
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
  const setters = {
    vuln: useMutation(setMonitoredMutation('vuln')),
    vendor: useMutation(setMonitoredMutation('vendor')),
    product: useMutation(setMonitoredMutation('product')),
  }
  const { mutateAsync: setItems } = useMutation(setItemsMutation)
  return ({ kind, id, label, hint }: PaletteHit, version?: string): Offer => ({
    id: `monitor ${kind} ${id} ${version ?? ''}`,
    group: 'Monitor',
    label: version ? `Monitor ${label} ${version}` : `Monitor ${label}`,
    hint,
    run: () => {
      onClose()
      if (!version) return setters[kind].mutate({ ids: [id], monitored: true })
      // The box is gone by then. A failure has a notice of its own.
      void setItems({ kind: 'product', items: [{ id, versions: [version] }], monitored: true }).then(
        () => showSuccess('Monitoring status successfuly updated.'),
        () => undefined,
      )
    },
  })
}

function useActions(setText: (text: string) => void, onClose: () => void) {
  const { setColorScheme } = useMantineColorScheme()
  const begin = (verb: string, label: string): Offer => ({
    id: verb,
    group: 'Do',
    label,
    run: () => setText(`${verb} `),
  })
  const paint = (scheme: 'light' | 'dark' | 'auto', label: string): Offer => ({
    id: `theme ${scheme}`,
    group: 'Do',
    label: `Theme: ${label}`,
    run: () => {
      onClose()
      setColorScheme(scheme)
    },
  })
  const changes = [
    begin('monitor', 'Monitor a product, a vendor or a CVE…'),
    begin('snooze', 'Snooze a vulnerability…'),
    begin('assign', 'Assign a vulnerability to a person or a team…'),
  ]
  return (words: string, mayChange: 'nothing' | 'own' | 'all') =>
    [
      { id: 'keys', group: 'Do', label: 'Keyboard shortcuts', run: () => (keyDialog.value = 'keys') },
      ...(mayChange === 'nothing' ? [] : changes),
      ...(mayChange === 'all' ? [begin('accept', 'Accept the risk of a vulnerability…')] : []),
      begin('due', 'Due: overdue, or within some days…'),
      paint('light', 'light'),
      paint('dark', 'dark'),
      paint('auto', 'as the system'),
    ].filter(({ label }) => label.toLowerCase().includes(words.toLowerCase()))
}
