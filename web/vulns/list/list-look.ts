import { computed, effect, signal } from '@preact/signals-react'
import * as z from 'zod'
import type { VulnQueryInput } from '../../../worker/vulns/contract'
import { keep, readKept } from '../../lib/kept'
import { lookKey, withComposite } from './defaults'

/** Columns that a person may leave out of the list. */
export const choosableColumns = Object.entries({
  epss: 'EPSS',
  composite: 'Composite',
  kev: 'Risk',
  metadata: 'Metadata',
  monitored: 'Monitored',
  published: 'Published',
  updated: 'Last update',
})

const names = z.array(z.string()).max(20)
const Look = z.object({ hidden: names, shown: names.default([]), isSlim: z.boolean() })
const usual: z.output<typeof Look> = { hidden: ['published'], shown: [], isSlim: false }
/** Not shown before somebody wants them. */
const further = ['composite']

const look = signal(readLook())
effect(() => keep(lookKey, JSON.stringify(look.value)))

/** By their labels. */
export const hiddenColumns = computed(() => {
  const { hidden, shown } = look.value
  const isHidden = (key: string) => hidden.includes(key) || (further.includes(key) && !shown.includes(key))
  return new Set(choosableColumns.flatMap(([key, label]) => (isHidden(key) ? label : [])))
})
export const withColumns = (query: VulnQueryInput) => withComposite(query, look.value.shown)
/** Rows of one line. */
export const isSlim = computed(() => look.value.isSlim)
export const setSlim = (wanted: boolean) => (look.value = { ...look.value, isSlim: wanted })
export const resetLook = () => (look.value = usual)

export function toggleColumn(key: string) {
  const list = further.includes(key) ? 'shown' : 'hidden'
  const listed = look.value[list]
  look.value = { ...look.value, [list]: listed.includes(key) ? listed.filter((it) => it !== key) : [...listed, key] }
}

function readLook() {
  return Look.safeParse(readKept(lookKey)).data ?? usual
}
