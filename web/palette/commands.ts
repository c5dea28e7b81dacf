import { parseAskedVersion } from '../../worker/domain/query/asked-version'
import type { DecisionChoice } from '../decisions/decide-form'
import { toInbox } from '../vulns/inbox-address'

const verbs = ['monitor', 'snooze', 'accept', 'assign', 'due'] as const
type Verb = (typeof verbs)[number]
export type Command = { verb: Verb; words: string; version?: string | undefined; owner?: string | undefined }

const spoken = new RegExp(`^\\s*(${verbs.join('|')})\\s+(.*)$`, 'i')

/** "monitor openssl 3.0.6", "assign CVE-2024-3094 to kim": a verb, its object, and its other arguments. */
export function parseCommand(text: string): Command | undefined {
  const [, first = '', rest = ''] = spoken.exec(text) ?? []
  const verb = verbs.find((one) => one === first.toLowerCase())
  if (!verb) return undefined
  const about = rest.trim()
  const asked = verb === 'monitor' ? parseAskedVersion(about) : undefined
  if (asked) return { verb, words: asked.name, version: asked.version }
  const [, words = about, owner] = (verb === 'assign' && /^(\S*) ?\bto (.{1,200})$/i.exec(about)) || []
  return { verb, words: words.trim(), owner }
}

export const decidingVerbs = new Map<Verb, { label: string; choice: DecisionChoice }>([
  ['snooze', { label: 'Snooze', choice: 'snoozed' }],
  ['accept', { label: 'Accept the risk of', choice: 'accepted' }],
  ['assign', { label: 'Assign', choice: 'in_progress' }],
])

/** "due overdue", "due 14d" and the like. */
export function listDueChoices(words: string) {
  const days = /^(\d{1,3}) ?d?(?:ays?)?$/i.exec(words)?.[1]
  if (days) return [{ label: `Due within ${Number(days)} days`, to: toInbox(`due<=${Number(days)}d`) }]
  return [
    { label: 'Overdue', to: toInbox('due<today') },
    { label: 'Due within 7 days', to: toInbox('due<=7d') },
    { label: 'Due within 30 days', to: toInbox('due<=30d') },
  ].filter(({ label }) => label.toLowerCase().includes(words.toLowerCase()))
}
