import { computed, effect, signal } from '@preact/signals-react'
import * as z from 'zod'
import { findKept, keep } from '../../lib/kept'

/** Columns that a person may leave out of the list. */
export const choosableColumns = {
  epss: 'EPSS',
  kev: 'Risk',
  metadata: 'Metadata',
  monitored: 'Monitored',
  published: 'Published',
  updated: 'Last update',
}
type ChoosableColumn = keyof typeof choosableColumns
export const isChoosable = (key: string): key is ChoosableColumn => Object.hasOwn(choosableColumns, key)

const storageKey = 'EarshotListLook'
const Look = z.object({ hidden: z.array(z.string()).max(20), isSlim: z.boolean() })
const usual: z.output<typeof Look> = { hidden: ['published'], isSlim: false }

const look = signal(readLook())
effect(() => keep(storageKey, JSON.stringify(look.value)))

export const hiddenColumns = computed(() => new Set(look.value.hidden))
/** Rows of one line. */
export const isSlim = computed(() => look.value.isSlim)
export const setSlim = (wanted: boolean) => (look.value = { ...look.value, isSlim: wanted })
export const resetLook = () => (look.value = usual)

export function toggleColumn(key: ChoosableColumn) {
  const { hidden } = look.value
  look.value = { ...look.value, hidden: hidden.includes(key) ? hidden.filter((one) => one !== key) : [...hidden, key] }
}

function readLook() {
  try {
    return Look.parse(JSON.parse(findKept(storageKey) ?? ''))
  } catch {
    return usual
  }
}
