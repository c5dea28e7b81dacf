import { useEffect } from 'react'
import type { RefObject } from 'react'
import { useLocation, useNavigationType } from 'react-router-dom'
import { focusRow } from './keys'

type Opened = { list: string; id: string }
const storageKey = (place: string) => `row of ${place}`

/** When somebody comes back to the list, focuses the row that they had opened. */
export function useOpenedRow(list: string, body: RefObject<HTMLElement | null>, isReady: boolean) {
  const { key } = useLocation()
  const isBack = useNavigationType() === 'POP'
  useEffect(() => {
    if (!isReady || !isBack || !hasFreeFocus()) return
    const opened = readOpened(key)
    if (opened?.list !== list) return
    sessionStorage.removeItem(storageKey(key))
    focusRow(body.current?.querySelector<HTMLElement>(`tr[data-id="${CSS.escape(opened.id)}"]`) ?? undefined)
  }, [body, isBack, isReady, key, list])
  return (id: number | string) => sessionStorage.setItem(storageKey(key), JSON.stringify({ list, id: String(id) }))
}

/** False if somebody has already moved the focus elsewhere. */
function hasFreeFocus() {
  const focused = document.activeElement
  return focused === null || focused === document.body || focused.tagName === 'H1'
}

function readOpened(place: string): Opened | undefined {
  const written = sessionStorage.getItem(storageKey(place))
  // Only this file writes it.
  return written ? (JSON.parse(written) as Opened) : undefined
}
